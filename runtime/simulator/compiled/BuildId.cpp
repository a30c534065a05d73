//===- BuildId.cpp - which build of the simulator is this? ----------------===//
#include "runtime/simulator/compiled/BuildId.h"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace neuron::simulator::compiled {

namespace {

struct Search {
  uintptr_t address; ///< in the object that is looked for
  std::string id;
};

/// The GNU build id among the notes of a segment.
std::string findIn(const char *notes, size_t size) {
  auto aligned = [](size_t n) { return (n + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes + at, sizeof(header));
    const char *name = notes + at + sizeof(header);
    const char *content = name + aligned(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0)
      return std::string(content, header.n_descsz);
    at += sizeof(header) + aligned(header.n_namesz) + aligned(header.n_descsz);
  }
  return {};
}

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    holds |= header.p_type == PT_LOAD && search.address >= begin &&
             search.address < begin + header.p_memsz;
  }
  if (!holds)
    return 0;
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type == PT_NOTE)
      search.id = findIn(
          reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr),
          header.p_memsz);
  }
  return 1;
}

std::string fileIdentity(const void *address) {
  Dl_info info;
  struct stat file;
  if (!dladdr(address, &info) || stat(info.dli_fname, &file) != 0)
    return {};
  return std::to_string(file.st_size) + "." +
         std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

} // namespace

std::string buildId() {
  static const std::string id = [] {
    auto *self = reinterpret_cast<const void *>(&buildId);
    Search search{reinterpret_cast<uintptr_t>(self), {}};
    dl_iterate_phdr(visit, &search);
    return search.id.empty() ? fileIdentity(self) : search.id;
  }();
  return id;
}

} // namespace neuron::simulator::compiled

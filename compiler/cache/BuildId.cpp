//===- BuildId.cpp - which build of the compiler this is ------------------===//
#include "compiler/cache/BuildId.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>

using namespace neuron::cache;

namespace {

struct Search {
  uintptr_t address; ///< somewhere in the library
  std::string id;
};

bool contains(const dl_phdr_info &info, uintptr_t address) {
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && address >= begin &&
        address < begin + header.p_memsz)
      return true;
  }
  return false;
}

size_t padded(size_t size) { return (size + 3) & ~size_t(3); }

/// The GNU build id among the notes of one segment, or "".
std::string findNote(const char *notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    size_t length =
        sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
    if (length > size)
      break;
    const char *name = notes + sizeof(note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        !std::memcmp(name, "GNU", 4))
      return llvm::toHex(llvm::StringRef(name + 4, note.n_descsz),
                         /*LowerCase=*/true);
    notes += length;
    size -= length;
  }
  return "";
}

int visit(dl_phdr_info *info, size_t, void *argument) {
  auto &search = *static_cast<Search *>(argument);
  if (!contains(*info, search.address))
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum && search.id.empty(); ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      search.id = findNote(reinterpret_cast<const char *>(
                               info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                           info->dlpi_phdr[i].p_memsz);
  return 1;
}

} // namespace

const std::string &neuron::cache::buildId() {
  static const std::string id = [] {
    Search search{reinterpret_cast<uintptr_t>(&buildId), ""};
    dl_iterate_phdr(visit, &search);
    return search.id;
  }();
  return id;
}

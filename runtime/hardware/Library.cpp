//===- Library.cpp - the NRT library that is used -------------------------===//
#include "runtime/hardware/Library.h"
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

namespace neuron::hardware {
namespace {

constexpr char kFile[] = "libnrt.so.1";
constexpr char kSystemPath[] = "/opt/aws/neuron/lib/libnrt.so.1";

/// Directory of the library or program that this code was linked into.
std::string ownDirectory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownDirectory), &info) ||
      !info.dli_fname)
    return "";
  // An executable may be known by the name it was called by.
  char *resolved = realpath(info.dli_fname, nullptr);
  std::string path = resolved ? resolved : info.dli_fname;
  std::free(resolved);
  if (!resolved) {
    char text[4096];
    ssize_t length = readlink("/proc/self/exe", text, sizeof(text));
    if (length > 0)
      path.assign(text, size_t(length));
  }
  return path.substr(0, path.rfind('/'));
}

std::vector<std::string> candidatesOf(const std::string &which) {
  if (which.empty() || which == "simulator") {
    // In a wheel beside us, in a build tree in lib/, never the system's:
    // that would be AWS's.
    std::string here = ownDirectory();
    return {here + "/" + kFile, here + "/lib/" + kFile,
            here + "/../lib/" + kFile};
  }
  if (which == "hardware")
    return {kSystemPath, kFile};
  return {which};
}

template <typename Pointer>
bool lookUp(void *handle, const char *name, Pointer &pointer) {
  pointer = reinterpret_cast<Pointer>(dlsym(handle, name));
  return pointer != nullptr;
}

/// All of them or none. The functions of earlier versions of the interface have
/// the same names and other arguments.
void lookUpAsync(void *handle, NrtApi &table) {
  nrt_version_t version = {};
  if (table.getVersion(&version, sizeof version) != NRT_SUCCESS)
    return;
  if (version.rt_major < 2 || (version.rt_major == 2 && version.rt_minor < 31))
    return;
  bool complete = true;
#define NEURON_ASYNC_LOOK_UP(member, function)                                 \
  complete = lookUp(handle, #function, table.member) && complete;
  NEURON_NRT_ASYNC_FUNCTIONS(NEURON_ASYNC_LOOK_UP)
#undef NEURON_ASYNC_LOOK_UP
  if (complete)
    return;
#define NEURON_ASYNC_RESET(member, function) table.member = nullptr;
  NEURON_NRT_ASYNC_FUNCTIONS(NEURON_ASYNC_RESET)
#undef NEURON_ASYNC_RESET
}

} // namespace

Result<Library> Library::open(const std::string &which) {
  bool known = which.empty() || which == "simulator" || which == "hardware";
  if (!known && which.find('/') == std::string::npos)
    return Error{"NEURON_MLIR_RUNTIME is '" + which +
                 "'; use simulator, hardware, or the path of a libnrt.so.1"};
  Library library;
  void *handle = nullptr;
  std::string problems;
  for (const std::string &candidate : candidatesOf(which)) {
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) {
      library.file = candidate;
      break;
    }
    const char *problem = dlerror();
    problems += std::string("\n  ") + (problem ? problem : candidate.c_str());
  }
  if (!handle)
    return Error{"cannot load the Neuron runtime (NEURON_MLIR_RUNTIME is '" +
                 which + "'):" + problems +
                 (which == "hardware"
                      ? "\ninstall aws-neuronx-runtime-lib, or unset "
                        "NEURON_MLIR_RUNTIME to use the simulator"
                      : "\nbuild or install neuron-mlir again")};

#define NEURON_NRT_LOOK_UP(member, function)                                   \
  if (!lookUp(handle, #function, library.table.member))                        \
    return Error{"'" + library.file +                                          \
                 "' has no function " #function                                \
                 "; it is no NRT library of version 2.30 or later"};
  NEURON_NRT_FUNCTIONS(NEURON_NRT_LOOK_UP)
#undef NEURON_NRT_LOOK_UP
  lookUpAsync(handle, library.table);
#define NEURON_INSPECT_LOOK_UP(member, function)                               \
  (void)lookUp(handle, #function, library.table.member);
  NEURON_NRT_INSPECT_FUNCTIONS(NEURON_INSPECT_LOOK_UP)
#undef NEURON_INSPECT_LOOK_UP
#define NEURON_SIM_LOOK_UP(member, function)                                   \
  (void)lookUp(handle, #function, library.table.member);
  NEURON_SIM_FUNCTIONS(NEURON_SIM_LOOK_UP)
#undef NEURON_SIM_LOOK_UP

  if (which == "hardware" && library.isSimulator())
    return Error{"NEURON_MLIR_RUNTIME is 'hardware', but '" + library.file +
                 "' is neuron-mlir's simulator; install "
                 "aws-neuronx-runtime-lib, or unset NEURON_MLIR_RUNTIME"};
  return library;
}

const Result<Library> &Library::get() {
  static const Result<Library> library = [] {
    const char *which = std::getenv("NEURON_MLIR_RUNTIME");
    return open(which ? which : "");
  }();
  return library;
}

std::string Library::describe(const char *function, NRT_STATUS status) const {
  std::string text = std::string(function) + " failed with " + nameOf(status) +
                     " (" + std::to_string(int(status)) + ")";
  if (isSimulator())
    text += std::string(": ") + table.simLastError();
  return text;
}

std::string nameOf(NRT_STATUS status) {
  switch (status) {
#define NEURON_NRT_STATUS_NAME(name, value, meaning)                           \
  case name:                                                                   \
    return #name;
    NEURON_NRT_STATUSES(NEURON_NRT_STATUS_NAME)
#undef NEURON_NRT_STATUS_NAME
  }
  return "an unknown status";
}

} // namespace neuron::hardware

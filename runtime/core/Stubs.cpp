//===- Stubs.cpp - NRT functions that the simulator has not ---------------===//
//
// Callers pass the arguments of the real function; by the calling convention
// of C they may be ignored.
//
//===----------------------------------------------------------------------===//
#include "runtime/core/Runtime.h"

using namespace neuron::nrt;

namespace {

NRT_STATUS missing(const char *function, std::atomic_flag &said) {
  return guarded(function, [&]() -> NRT_STATUS {
    std::string message =
        "neuron-mlir's simulator does not implement this function";
    if (!said.test_and_set())
      return fail(NRT_FAILURE, std::move(message));
    return failQuietly(NRT_FAILURE, std::move(message));
  });
}

} // namespace

extern "C" {
#define NEURON_STUB_BODY(name)                                                 \
  static std::atomic_flag said;                                                \
  NRT_STATUS status = missing(#name, said);

#define NEURON_STUB(name)                                                      \
  NRT_STATUS name() { NEURON_STUB_BODY(name) return status; }
#define NEURON_STUB_VOID(name)                                                 \
  void name() { NEURON_STUB_BODY(name)(void) status; }
#define NEURON_STUB_POINTER(name)                                              \
  void *name() {                                                               \
    NEURON_STUB_BODY(name)(void) status;                                       \
    return nullptr;                                                            \
  }
#include "runtime/core/Stubs.def"
}

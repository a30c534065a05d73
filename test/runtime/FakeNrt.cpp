//===- FakeNrt.cpp - an NRT library of another version ----------*- C++ -*-===//
//
// FAKE_MINOR is the release that nrt_get_version tells. Without FAKE_WHOLE one
// asynchronous function is missing. Nothing works.
//
//===----------------------------------------------------------------------===//
#include "runtime/hardware/Library.h"
#include <string_view>

// Functions have the names of the interface to the linker alone: its headers
// have declared them with their arguments.
#define FAKE(member, function)                                                 \
  extern "C" int fake_##function(void *) asm(#function);                       \
  int fake_##function(void *argument) { return answer(#function, argument); }

static int answer(std::string_view function, void *argument) {
  if (function != "nrt_get_version")
    return NRT_FAILURE;
  auto *version = static_cast<nrt_version_t *>(argument);
  version->rt_major = 2;
  version->rt_minor = FAKE_MINOR;
  return NRT_SUCCESS;
}

NEURON_NRT_FUNCTIONS(FAKE)
#ifdef FAKE_WHOLE
NEURON_NRT_ASYNC_FUNCTIONS(FAKE)
#else
FAKE(, nrta_tensor_write)
#endif

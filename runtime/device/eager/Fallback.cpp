//===- Fallback.cpp - operations that the CPU does ------------------------===//
#include "runtime/device/eager/Fallback.h"
#include "runtime/device/Generator.h"
#include "runtime/device/Runtime.h"
#include <ATen/native/CPUFallback.h>
#include <cstdlib>
#include <mutex>

using namespace neuron;
using namespace neuron::device;

namespace {

std::mutex mutex;
Executed tracked;
std::set<std::string> warned;

bool isForbidden() {
  const char *value = std::getenv("NEURON_FALLBACK_ENABLED");
  return value && std::string_view(value) == "0";
}

} // namespace

void device::noteFallback(const std::string &op, const std::string &why) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !isForbidden(), op, " cannot run on the neuron device: ", why,
      "\nCompute it on the CPU, or unset NEURON_FALLBACK_ENABLED to have that "
      "done for you.");
  bool first;
  {
    std::lock_guard lock(mutex);
    tracked.onCpu.insert(op);
    first = warned.insert(op).second;
  }
  if (first)
    TORCH_WARN(op, " runs on the CPU, with copies: ", why,
               ". NEURON_FALLBACK_ENABLED=0 makes this an error.");
}

void device::noteExecuted(const char *op) {
  std::lock_guard lock(mutex);
  tracked.onDevice.insert(op);
}

Executed device::executed() {
  std::lock_guard lock(mutex);
  return tracked;
}

void device::clearExecuted() {
  std::lock_guard lock(mutex);
  tracked = {};
}

void device::runOnCpu(const c10::OperatorHandle &op, torch::jit::Stack *stack,
                      const std::string &why) {
  noteFallback(op.schema().name(), why);
  // Its numbers come from the generator that stands behind ours.
  const auto &formals = op.schema().arguments();
  for (size_t i = 0; i < formals.size(); ++i) {
    c10::IValue &argument = (*stack)[stack->size() - formals.size() + i];
    bool takesGenerator =
        formals[i].type()->str().find("Generator") != std::string::npos;
    if (takesGenerator)
      argument = hostGenerator(argument.isGenerator()
                                   ? std::optional(argument.toGenerator())
                                   : std::nullopt,
                               -1);
  }
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

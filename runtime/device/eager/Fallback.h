//===- Fallback.h - operations that the CPU does ----------------*- C++ -*-===//
#pragma once
#include "runtime/device/eager/Eager.h"
#include <ATen/core/dispatch/Dispatcher.h>

namespace neuron::device {

/// Does the operation on the CPU with copies, and says so.
void runOnCpu(const c10::OperatorHandle &op, torch::jit::Stack *stack,
              const std::string &why);
/// For get_executed_ops().
void noteExecuted(const char *op);

} // namespace neuron::device

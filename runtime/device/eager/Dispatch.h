//===- Dispatch.h - the kernel of every operation ---------------*- C++ -*-===//
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace neuron::device {

/// Takes the arguments from the stack and puts the results there: by a program
/// for this signature, compiled if it is new, or on the CPU.
void eager(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
           torch::jit::Stack *stack);

} // namespace neuron::device

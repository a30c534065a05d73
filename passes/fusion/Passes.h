//===- Passes.h - from ops to kernels ---------------------------*- C++ -*-===//
#pragma once
#include "compiler/target/Target.h"
#include "dialects/neuron/Neuron.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace neuron::fusion {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"
} // namespace neuron::fusion

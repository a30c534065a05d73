//===- Passes.h - passes on tensors -----------------------------*- C++ -*-===//
#pragma once
#include "dialects/neuron/Neuron.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace neuron::graph {

/// Whether an intermediate value of f16 or bf16 may keep more precision.
enum class RoundingMode { Fused, Eager };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"
} // namespace neuron::graph

//===- Passes.h - what holds at the end of a phase --------------*- C++ -*-===//
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace neuron::verify {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/verify/Passes.h.inc"
} // namespace neuron::verify

//===- Passes.h - from kernels to instructions ------------------*- C++ -*-===//
#pragma once
#include "compiler/target/Target.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace neuron::lowering {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/lowering/Passes.h.inc"
} // namespace neuron::lowering

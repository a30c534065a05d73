//===- Passes.h - memory --------------------*- C++ -*-===//
#pragma once
#include "compiler/target/Target.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace neuron::memory {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/memory/Passes.h.inc"
} // namespace neuron::memory

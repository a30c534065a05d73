//===- Verifiers.h - numbered rules shared by kinds of op ---------*- C++
//-*-===//
#pragma once
#include "mlir/IR/OpDefinition.h"

namespace neuron::ir {

/// Rules E1 (one element type) and E2 (broadcast shape) of elementwise ops.
llvm::LogicalResult verifyBroadcast(mlir::Operation *op);

/// Rules R1 to R3 of reductions.
llvm::LogicalResult verifyReduction(mlir::Operation *op);

} // namespace neuron::ir

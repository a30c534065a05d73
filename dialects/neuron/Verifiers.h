//===- Verifiers.h - numbered rules shared by kinds of op -------*- C++ -*-===//
#pragma once
#include "mlir/IR/OpDefinition.h"

namespace neuron::ir {

/// That dims are sorted, unique and in [0, rank); the message names `rule`.
llvm::LogicalResult verifyDims(mlir::Operation *op, llvm::StringRef rule,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);

/// Rules E1 (one element type) and E2 (broadcast shape) of elementwise ops.
llvm::LogicalResult verifyBroadcast(mlir::Operation *op);

/// Rules R1 to R3 of reductions.
llvm::LogicalResult verifyReduction(mlir::Operation *op);

} // namespace neuron::ir

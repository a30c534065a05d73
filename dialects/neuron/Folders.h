//===- Folders.h - folding shared by kinds of op ----------------*- C++ -*-===//
#pragma once
#include "mlir/IR/OpDefinition.h"

namespace neuron::ir {

/// Folds an elementwise op: identities (x + -0.0, x * 1, cast to the same type,
/// ...) that hold for every value, NaN and signed zero included, and ops of
/// constants.
mlir::OpFoldResult foldElementwise(mlir::Operation *op,
                                   llvm::ArrayRef<mlir::Attribute> operands);

/// Folds a reduction over no dimension, over dimensions of size 1, of no
/// elements and of equal constants.
mlir::OpFoldResult foldReduction(mlir::Operation *op, mlir::Attribute input);

/// Whether the reduction only drops dimensions of size 1: each element of the
/// result has the bits of one element of the operand.
bool isReductionOfNothing(mlir::Operation *op);

} // namespace neuron::ir

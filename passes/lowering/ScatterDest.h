//===- ScatterDest.h - what a scatter may overwrite -------------*- C++ -*-===//
#pragma once
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/Builders.h"
#include "passes/lowering/KernelSpace.h"
#include "passes/lowering/StridedLayout.h"
#include "llvm/ADT/DenseSet.h"

namespace neuron::lowering {

/// The scatter whose result a value is, if it is the result of a kernel of one.
ir::ScatterOp scatterOf(mlir::Value result);
/// What the scatter's kernel reads as its destination.
mlir::OpOperand &destOperand(ir::ScatterOp scatter);

/// A kernel that writes the elements of `value` anew.
mlir::Value createCopy(mlir::OpBuilder &b, mlir::Value value);

/// Whether a scatter may write `result`, which lies as `layout` says, into the
/// memory of the argument that it takes the place of: the argument, seen as it
/// lies there, is the destination, and nothing reads it later.
bool scattersInPlace(mlir::Value result, StridedLayout layout,
                     mlir::BlockArgument argument,
                     StridedLayout argumentLayout);

/// Gives each scatter of the block, but those of `inPlace`, a destination of
/// its own, in row-major order, that nothing else reads: what it writes is
/// written there.
void ownDestinations(mlir::Block &block,
                     const llvm::DenseSet<mlir::Operation *> &inPlace);

} // namespace neuron::lowering

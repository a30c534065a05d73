//===- Instructions.h - nisa ops of selected steps --------------*- C++ -*-===//
#pragma once
#include "mlir/IR/Builders.h"
#include "passes/lowering/Selection.h"

namespace neuron::lowering {

struct InstructionFlags {
  bool accumulate = false; ///< a reduction adds to what its statistic holds
  bool hasAcc = false;     ///< the last of `outs` is an activation's sum
};

/// Creates the instruction of `step` (any but DMA and iota) on the given tiles.
/// `index`: where arg-reductions count from, `[base, coefficient a loop]`.
mlir::Operation *createInstruction(mlir::OpBuilder &b, const Step &step,
                                   mlir::ValueRange srcs, mlir::ValueRange outs,
                                   int64_t parts, InstructionFlags flags,
                                   llvm::ArrayRef<int64_t> index);

} // namespace neuron::lowering

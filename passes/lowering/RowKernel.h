//===- RowKernel.h - a row kernel as loops of instructions --------*- C++
//-*-===//
#pragma once
#include "mlir/IR/Builders.h"
#include "passes/lowering/HbmWindow.h"
#include "passes/lowering/Selection.h"

namespace neuron::lowering {

/// What a row kernel reads and writes.
struct KernelMemory {
  llvm::DenseMap<mlir::Value, HbmValue>
      read;                            ///< by the kernel's block argument
  llvm::SmallVector<HbmValue> written; ///< by the kernel's results
};

struct TileBudget {
  int64_t partitions;
  int64_t bytes; ///< a partition
};

/// Emits `kernel` as a nisa.kernel at `b`. Columns are cut into chunks so that
/// the tiles fit the budget.
llvm::LogicalResult emitRowKernel(ir::KernelOp kernel, const KernelSpace &space,
                                  const Selected &selected,
                                  const KernelMemory &memory, TileBudget budget,
                                  mlir::OpBuilder &b);

} // namespace neuron::lowering

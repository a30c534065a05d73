//===- RowKernel.h - row kernels as loops of instructions -------*- C++ -*-===//
#pragma once
#include "mlir/IR/Builders.h"
#include "passes/lowering/DeadColumns.h"
#include "passes/lowering/HbmWindow.h"
#include "passes/lowering/Selection.h"
#include <string>

namespace neuron::lowering {

/// What a row kernel reads and writes.
struct KernelMemory {
  llvm::DenseMap<mlir::Value, HbmValue>
      read; ///< by the kernel's block argument
  /// By the kernel's results; without a variable, the result stays on chip.
  llvm::SmallVector<HbmValue> written;
  /// Left matrices that the kernel before it in a chain leaves in SBUF: which
  /// of its values each is.
  llvm::DenseMap<mlir::Value, mlir::Value> onChip;
};

struct TileBudget {
  int64_t partitions;
  int64_t bytes;          ///< a partition
  int64_t productColumns; ///< that one matmul instruction writes
  const target::Target *costs;
};

struct StageInput {
  ir::KernelOp kernel;
  KernelSpace space;
  Selected selected;
  KernelMemory memory;
  std::optional<DeadColumns> dead; ///< of a kernel whose rows stay on chip
};

/// Of what kernels over the same rows become.
std::string nameOfChain(llvm::ArrayRef<ir::KernelOp> kernels);

/// Emits a kernel as a nisa.kernel at `b`. Columns are cut into chunks so that
/// the tiles fit the budget.
llvm::LogicalResult emitRowKernel(const StageInput &stage, TileBudget budget,
                                  mlir::OpBuilder &b);

/// Emits kernels over the same rows as one nisa.kernel: for each tile of rows,
/// one after the other. False, and nothing is emitted, if their tiles do not
/// fit the budget together.
llvm::FailureOr<bool> emitChain(llvm::ArrayRef<StageInput> stages,
                                TileBudget budget, mlir::OpBuilder &b);

} // namespace neuron::lowering

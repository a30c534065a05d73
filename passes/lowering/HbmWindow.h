//===- HbmWindow.h - the part of an HBM variable a kernel sees --*- C++ -*-===//
#pragma once
#include "dialects/nisa/Nisa.h"
#include "mlir/IR/Builders.h"
#include "passes/lowering/KernelSpace.h"
#include "passes/lowering/StridedLayout.h"

namespace neuron::lowering {

/// Where a value lies in HBM.
struct HbmValue {
  mlir::Value variable; ///< a memref in HBM
  StridedLayout layout;
};

/// A variable as a matrix of the kernel's rows and columns.
struct HbmWindow {
  mlir::Value variable;
  int64_t offset; ///< in elements
  llvm::SmallVector<int64_t> rowSizes, rowStrides, colSizes, colStrides;
};

/// Where `value`, which lies as `place` says, is found from a row and a column
/// of the space. Dimensions that it lacks are repeated; a value without rows is
/// repeated for the `tileRows` rows of a tile.
HbmWindow windowOf(const KernelSpace &space, mlir::Value value,
                   const HbmValue &place, int64_t tileRows);

/// A value as a matrix of the given of its dimensions, outermost first; it has
/// no others, but of size 1.
HbmWindow windowOf(const HbmValue &place, llvm::ArrayRef<unsigned> rowDims,
                   llvm::ArrayRef<unsigned> columnDims);

/// What a DMA moves: rows [row, row + parts), and columns from `column` on,
/// each given as `[base, coefficient of the outermost loop, ...]`.
struct Transfer {
  const HbmWindow &window;
  int64_t parts;
  llvm::ArrayRef<int64_t> row, column;
  nisa::Engine engine;
  int64_t queue;
};
void createLoad(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile,
                const Transfer &transfer);
void createStore(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile,
                 const Transfer &transfer);

} // namespace neuron::lowering

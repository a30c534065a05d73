//===- HbmWindow.h - the part of an HBM variable a kernel sees ----*- C++
//-*-===//
#pragma once
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

} // namespace neuron::lowering

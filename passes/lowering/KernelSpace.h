//===- KernelSpace.h - the iteration space of a row kernel ------*- C++ -*-===//
//
// A row kernel runs over `sizes`, split into row dimensions and column
// dimensions (attributes `shape`, `row_dims`, `column_dims`, set by the fusion
// pass). Aligned with it at the right, a value of the kernel has in each
// dimension the space's size or 1. Values are full, a statistic of each row (no
// column dimension), the same for all rows (no row dimension), or a scalar.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "dialects/neuron/Neuron.h"

namespace neuron::lowering {

class KernelSpace {
public:
  /// Fails, with an error on the kernel, where a value has no place in the
  /// space.
  static llvm::FailureOr<KernelSpace> compute(ir::KernelOp kernel);

  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  bool isColumn(unsigned dim) const { return column[dim]; }
  int64_t rows() const { return product(false); }
  int64_t columns() const { return product(true); }

  /// Whether `value` runs along a row (column) dimension.
  bool hasRows(mlir::Value value) const { return runsAlong(value, false); }
  bool hasColumns(mlir::Value value) const { return runsAlong(value, true); }

private:
  int64_t product(bool ofColumns) const;
  bool runsAlong(mlir::Value value, bool columns) const;

  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> column;
};

/// What `value` is a view of, through any views.
mlir::Value rootOf(mlir::Value value);

/// Whether `value` is read from HBM: a block argument of the kernel, a constant
/// of many elements, or a view of one.
bool isRead(mlir::Value value);

} // namespace neuron::lowering

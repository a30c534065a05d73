//===- KernelShape.h - the shape attribute of a kernel ----------*- C++ -*-===//
#pragma once
#include "passes/fusion/Grouping.h"

namespace neuron::fusion {

/// An iteration space with its dimensions of size 1, as the kernel states it.
struct KernelShape {
  IterationSpace space;
  llvm::SmallVector<int64_t, maxRank> sizes;
  /// Position in `sizes` of each dimension of the space.
  llvm::SmallVector<unsigned, maxRank> position;
  llvm::SmallVector<int64_t, maxRank> rowDims, columnDims;

  KernelShape(const Group &group, const Grouping &grouping, int64_t partitions);

  /// The shape of a value that runs along `mask`, with every dimension.
  llvm::SmallVector<int64_t> full(Mask mask) const;
  /// Whether a value of this shape and mask lies right when its shape is
  /// aligned at the right.
  bool isAligned(llvm::ArrayRef<int64_t> shape, Mask mask) const;
  /// Positions of the dimensions of `mask` in an aligned value of that rank.
  llvm::SmallVector<int64_t> dims(Mask mask, unsigned rank) const;

private:
  void chooseSizes(const Group &group, const Grouping &grouping);
  Mask chooseColumns(int64_t partitions) const;
};

} // namespace neuron::fusion

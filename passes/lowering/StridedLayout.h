//===- StridedLayout.h - how a value lies in an HBM variable ----*- C++ -*-===//
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace neuron::lowering {

/// Element (i0, i1, ...) lies at offset + sum(i*stride), in elements.
struct StridedLayout {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes, strides;

  static StridedLayout dense(llvm::ArrayRef<int64_t> sizes);
  /// Whether the elements lie in row-major order without gaps.
  bool isDense() const;
  /// Dense, unless `strides` (neuron.strides of an argument or a result) say
  /// otherwise.
  static StridedLayout of(mlir::Type tensor, mlir::DenseI64ArrayAttr strides);

  /// The layout of the same elements seen with other sizes, if strides can say
  /// it (as torch.Tensor.view).
  std::optional<StridedLayout> reshaped(llvm::ArrayRef<int64_t> sizes) const;
  StridedLayout expanded(llvm::ArrayRef<int64_t> sizes) const;
  StridedLayout permuted(llvm::ArrayRef<int64_t> permutation) const;
  StridedLayout sliced(llvm::ArrayRef<int64_t> starts,
                       llvm::ArrayRef<int64_t> steps,
                       llvm::ArrayRef<int64_t> sizes) const;

  StridedLayout windowed(int64_t dim, int64_t step, int64_t dilation,
                         llvm::ArrayRef<int64_t> sizes) const;
};

/// The layout of the result of a view op, given that of its input; nothing if
/// `view` is no view op or strides cannot say it.
std::optional<StridedLayout> viewed(const StridedLayout &input,
                                    mlir::Operation *view);

/// The layout of the input of a view op that makes its result lie in `result`:
/// what a producer has to write for its consumer to see `result`. Only reshape
/// and permute can be turned round.
std::optional<StridedLayout> unviewed(const StridedLayout &result,
                                      mlir::Operation *view);

/// What has to be written, and where, for `value` to lie as `layout` says:
/// `value` itself, or what it is a view of. Nothing if a view cannot be turned
/// round.
struct Written {
  mlir::Value value;
  StridedLayout layout;
};
std::optional<Written> writtenFor(mlir::Value value, StridedLayout layout);

/// The layouts of the operands of a neuron.concat whose result lies in
/// `result`.
llvm::SmallVector<StridedLayout> partsOf(const StridedLayout &result,
                                         mlir::Operation *concat);

} // namespace neuron::lowering

//===- Shapes.h - shape rules of the neuron dialect -------------*- C++ -*-===//
//
// The arithmetic of shapes that verifiers, folders and passes share.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace neuron::ir {

using Shape = llvm::SmallVector<int64_t, 8>;

/// Dimensions of a tensor at most (rule T1), and of a kernel.
inline constexpr unsigned kMaxRank = 16;

/// PyTorch's broadcast of two shapes, aligned at the right; none if two sizes
/// differ and neither is 1.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a,
                                     llvm::ArrayRef<int64_t> b);

/// The broadcast shape of ranked tensors.
std::optional<Shape> broadcastShapes(mlir::TypeRange types);

/// Whether a value of shape `from` can be broadcast to exactly `to` (rule V3).
bool broadcastsTo(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Shape of a reduction along `dims`, which obey rule R1.
Shape reducedShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims,
                   bool keepdim);

/// Whether a type is a tensor of the dialect (rule T1). For types that no op of
/// the dialect checks, such as a function's.
bool isTensor(mlir::Type type);

/// "[2, 3]", for diagnostics.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Shape of a ranked tensor type.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  return llvm::cast<mlir::RankedTensorType>(type).getShape();
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return shapeOf(value.getType());
}

} // namespace neuron::ir

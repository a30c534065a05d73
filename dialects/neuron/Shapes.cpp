//===- Shapes.cpp - shape rules of the neuron dialect ---------------------===//
#include "dialects/neuron/Shapes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace neuron::ir;

std::optional<Shape> neuron::ir::broadcastShapes(ArrayRef<int64_t> a,
                                                 ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape result(a);
  size_t offset = a.size() - b.size();
  for (auto [i, size] : llvm::enumerate(b)) {
    int64_t &other = result[offset + i];
    if (other == 1)
      other = size;
    else if (size != 1 && size != other)
      return std::nullopt;
  }
  return result;
}

std::optional<Shape> neuron::ir::broadcastShapes(TypeRange types) {
  std::optional<Shape> result = Shape();
  for (Type type : types) {
    result = broadcastShapes(*result, shapeOf(type));
    if (!result)
      return std::nullopt;
  }
  return result;
}

bool neuron::ir::broadcastsTo(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  std::optional<Shape> shape = broadcastShapes(from, to);
  return shape && ArrayRef<int64_t>(*shape) == to;
}

Shape neuron::ir::reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                               bool keepdim) {
  Shape result;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(dims, int64_t(i)))
      result.push_back(size);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

bool neuron::ir::isTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      tensor.getRank() > int64_t(kMaxRank))
    return false;
  Type element = tensor.getElementType();
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType,
          Float8E5M2Type, Float8E4M3FNUZType, Float8E5M2FNUZType,
          Float8E8M0FNUType>(element))
    return true;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return (width == 1 && integer.isSignless()) ||
         llvm::is_contained({8u, 16u, 32u, 64u}, width);
}

std::string neuron::ir::shapeText(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(
             llvm::map_range(shape,
                             [](int64_t size) { return std::to_string(size); }),
             ", ") +
         "]";
}

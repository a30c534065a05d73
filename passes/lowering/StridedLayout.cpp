//===- StridedLayout.cpp --------------------------------------------------===//
#include "passes/lowering/StridedLayout.h"
#include "dialects/neuron/Neuron.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

StridedLayout StridedLayout::dense(ArrayRef<int64_t> sizes) {
  StridedLayout layout;
  layout.sizes.assign(sizes.begin(), sizes.end());
  layout.strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    layout.strides[i] = stride;
    stride *= sizes[i];
  }
  return layout;
}

bool StridedLayout::isDense() const {
  StridedLayout wanted = dense(sizes);
  for (auto [size, stride, own] : llvm::zip(sizes, strides, wanted.strides))
    if (size != 1 && stride != own)
      return false;
  return true;
}

StridedLayout StridedLayout::of(Type tensor, DenseI64ArrayAttr strides) {
  StridedLayout layout = dense(cast<RankedTensorType>(tensor).getShape());
  if (strides)
    layout.strides.assign(strides.asArrayRef().begin(),
                          strides.asArrayRef().end());
  return layout;
}

std::optional<StridedLayout>
StridedLayout::reshaped(ArrayRef<int64_t> newSizes) const {
  // Runs of dimensions that lie as one: each is then cut anew.
  SmallVector<std::pair<int64_t, int64_t>> runs; // count, innermost stride
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    if (size == 1)
      continue;
    if (!runs.empty() && runs.back().second == stride * size)
      runs.back() = {runs.back().first * size, stride};
    else
      runs.push_back({size, stride});
  }
  StridedLayout result;
  result.offset = offset;
  result.sizes.assign(newSizes.begin(), newSizes.end());
  result.strides.assign(newSizes.size(), 0);
  size_t run = runs.size();
  int64_t left = 1, stride = 0;
  for (size_t i = newSizes.size(); i-- > 0;) {
    if (newSizes[i] == 1) {
      result.strides[i] = 0;
      continue;
    }
    if (left == 1) {
      if (run == 0)
        return std::nullopt;
      --run;
      left = runs[run].first;
      stride = runs[run].second;
    }
    if (left % newSizes[i] != 0)
      return std::nullopt;
    result.strides[i] = stride;
    stride *= newSizes[i];
    left /= newSizes[i];
  }
  if (left != 1 || run != 0)
    return std::nullopt;
  return result;
}

StridedLayout StridedLayout::expanded(ArrayRef<int64_t> newSizes) const {
  StridedLayout result;
  result.offset = offset;
  result.sizes.assign(newSizes.begin(), newSizes.end());
  result.strides.assign(newSizes.size(), 0);
  size_t missing = newSizes.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1)
      result.strides[missing + i] = strides[i];
  return result;
}

StridedLayout StridedLayout::permuted(ArrayRef<int64_t> permutation) const {
  StridedLayout result;
  result.offset = offset;
  for (int64_t dim : permutation) {
    result.sizes.push_back(sizes[dim]);
    result.strides.push_back(strides[dim]);
  }
  return result;
}

StridedLayout StridedLayout::sliced(ArrayRef<int64_t> starts,
                                    ArrayRef<int64_t> steps,
                                    ArrayRef<int64_t> newSizes) const {
  StridedLayout result;
  result.offset = offset;
  result.sizes.assign(newSizes.begin(), newSizes.end());
  for (size_t i = 0; i < sizes.size(); ++i) {
    result.offset += starts[i] * strides[i];
    result.strides.push_back(strides[i] * steps[i]);
  }
  return result;
}

StridedLayout StridedLayout::windowed(int64_t dim, int64_t step,
                                      int64_t dilation,
                                      ArrayRef<int64_t> newSizes) const {
  StridedLayout result = *this;
  result.sizes.assign(newSizes.begin(), newSizes.end());
  result.strides[dim] = strides[dim] * step;
  result.strides.insert(result.strides.begin() + dim + 1,
                        strides[dim] * dilation);
  return result;
}

std::optional<StridedLayout> lowering::viewed(const StridedLayout &input,
                                              Operation *view) {
  if (!isa<ir::ViewOpInterface>(view))
    return std::nullopt;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(view->getResult(0).getType()).getShape();
  if (isa<ir::ReshapeOp>(view))
    return input.reshaped(sizes);
  if (isa<ir::ExpandOp>(view))
    return input.expanded(sizes);
  if (auto permute = dyn_cast<ir::PermuteOp>(view))
    return input.permuted(permute.getPermutation());
  if (auto slice = dyn_cast<ir::SliceOp>(view))
    return input.sliced(slice.getStarts(), slice.getSteps(), sizes);
  if (auto window = dyn_cast<ir::WindowOp>(view))
    return input.windowed(window.getDim(), window.getStep(),
                          window.getDilation(), sizes);
  return std::nullopt;
}

std::optional<StridedLayout> lowering::unviewed(const StridedLayout &result,
                                                Operation *view) {
  if (auto reshape = dyn_cast<ir::ReshapeOp>(view))
    return result.reshaped(reshape.getInput().getType().getShape());
  if (auto permute = dyn_cast<ir::PermuteOp>(view)) {
    ArrayRef<int64_t> permutation = permute.getPermutation();
    StridedLayout input;
    input.offset = result.offset;
    input.sizes.resize(permutation.size());
    input.strides.resize(permutation.size());
    for (auto [i, dim] : llvm::enumerate(permutation)) {
      input.sizes[dim] = result.sizes[i];
      input.strides[dim] = result.strides[i];
    }
    return input;
  }
  return std::nullopt;
}

std::optional<Written> lowering::writtenFor(Value value, StridedLayout layout) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ir::ViewOpInterface>(op))
      break;
    std::optional<StridedLayout> inner = unviewed(layout, op);
    if (!inner)
      return std::nullopt;
    layout = std::move(*inner);
    value = op->getOperand(0);
  }
  return Written{value, std::move(layout)};
}

SmallVector<StridedLayout> lowering::partsOf(const StridedLayout &result,
                                             Operation *concat) {
  int64_t dim = cast<ir::ConcatOp>(concat).getDim();
  SmallVector<StridedLayout> parts;
  StridedLayout part = result;
  for (Value input : concat->getOperands()) {
    part.sizes[dim] = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    parts.push_back(part);
    part.offset += part.sizes[dim] * part.strides[dim];
  }
  return parts;
}

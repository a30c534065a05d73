//===- ViewFolders.cpp - folding and canonical form of views --------------===//
//
// A view that shows its operand unchanged goes; a view of a view of the same
// kind becomes one view; a view of a constant is a constant. What is left gets
// one form: a view that neither repeats nor reorders elements is a reshape.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Folders.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace neuron::ir;

//===----------------------------------------------------------------------===//
// Views of constants
//===----------------------------------------------------------------------===//

static Shape rowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// The constant that a view shows; `strides` and `offset` say where the
/// elements of the result are among those of the operand.
static DenseElementsAttr viewOfConstant(Attribute attr, RankedTensorType type,
                                        ArrayRef<int64_t> strides,
                                        int64_t offset = 0) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attr);
  int64_t count = type.getNumElements();
  if (count == 0)
    return constantOf(type, {});
  if (!elements)
    return {};
  if (elements.isSplat())
    return elements.resizeSplat(type);
  if (count > kMaxFoldedElements)
    return {};
  SmallVector<Scalar> scalars = scalarsOf(elements), results;
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = offset, rest = i;
    for (int64_t d = type.getRank(); d-- > 0; rest /= type.getDimSize(d))
      index += rest % type.getDimSize(d) * strides[d];
    results.push_back(scalars[index]);
  }
  return constantOf(type, results);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto constant = viewOfConstant(adaptor.getInput(), getType(),
                                     rowMajorStrides(getType().getShape())))
    return constant;
  auto inner = getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  Shape strides(getType().getRank() - shape.size(), 0);
  for (auto [size, stride] : llvm::zip(shape, rowMajorStrides(shape)))
    strides.push_back(size == 1 ? 0 : stride);
  if (auto constant = viewOfConstant(adaptor.getInput(), getType(), strides))
    return constant;
  auto inner = getInput().getDefiningOp<ExpandOp>();
  if (!inner)
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> perm = getPermutation();
  if (llvm::equal(perm, llvm::seq<int64_t>(0, perm.size())))
    return getInput();
  Shape inputStrides = rowMajorStrides(shapeOf(getInput())), strides;
  for (int64_t dim : perm)
    strides.push_back(inputStrides[dim]);
  if (auto constant = viewOfConstant(adaptor.getInput(), getType(), strides))
    return constant;
  auto inner = getInput().getDefiningOp<PermuteOp>();
  if (!inner)
    return {};
  Shape composed;
  for (int64_t dim : perm)
    composed.push_back(inner.getPermutation()[dim]);
  setPermutation(composed);
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> starts = getStarts(), steps = getSteps();
  // Every element of a dimension, forward, or the only one.
  bool keepsOrder = llvm::all_of(
      llvm::zip(steps, getType().getShape()), [](auto stepAndSize) {
        return std::get<0>(stepAndSize) > 0 || std::get<1>(stepAndSize) <= 1;
      });
  if (getInput().getType() == getType() && keepsOrder)
    return getInput();
  Shape strides = rowMajorStrides(shapeOf(getInput()));
  int64_t offset = 0;
  // Without elements the start may be one past the end, and is not used.
  if (getType().getNumElements() != 0)
    for (size_t d = 0; d < strides.size(); ++d) {
      offset += starts[d] * strides[d];
      // A step of one element is not taken, and may be large.
      strides[d] = getType().getDimSize(d) == 1 ? 0 : strides[d] * steps[d];
    }
  if (auto constant =
          viewOfConstant(adaptor.getInput(), getType(), strides, offset))
    return constant;
  auto inner = getInput().getDefiningOp<SliceOp>();
  if (!inner)
    return {};
  Shape composedStarts, composedSteps;
  for (size_t d = 0; d < starts.size(); ++d) {
    // One element has step 1 in canonical form; no product overflows.
    bool isSingle = getType().getDimSize(d) <= 1;
    composedStarts.push_back(inner.getStarts()[d] +
                             starts[d] * inner.getSteps()[d]);
    composedSteps.push_back(isSingle ? 1 : steps[d] * inner.getSteps()[d]);
  }
  setStarts(composedStarts);
  setSteps(composedSteps);
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult WindowOp::fold(FoldAdaptor adaptor) {
  Shape strides = rowMajorStrides(shapeOf(getInput()));
  int64_t dim = getDim(), stride = strides[dim];
  // A step that is not taken may be large.
  auto stepOf = [&](int64_t step, int64_t size) {
    return size <= 1 ? 0 : step * stride;
  };
  strides[dim] = stepOf(getStep(), getType().getDimSize(dim));
  strides.insert(strides.begin() + dim + 1,
                 stepOf(getDilation(), getType().getDimSize(dim + 1)));
  return viewOfConstant(adaptor.getInput(), getType(), strides);
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

namespace {

/// An expand that repeats nothing only adds dimensions of size 1.
///
/// Example:
///   neuron.expand %x : (tensor<8xf32>) -> tensor<1x8xf32>
/// becomes
///   neuron.reshape %x : (tensor<8xf32>) -> tensor<1x8xf32>
struct ExpandToReshape final : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInput().getType().getNumElements() !=
        op.getType().getNumElements())
      return rewriter.notifyMatchFailure(op, "repeats elements");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// A permutation that keeps the order of all dimensions larger than 1 moves no
/// element.
///
/// Example:
///   neuron.permute %x perm [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
/// becomes
///   neuron.reshape %x : (tensor<1x8xf32>) -> tensor<8x1xf32>
struct PermuteToReshape final : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (op.getInput().getType().getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return rewriter.notifyMatchFailure(op, "reorders elements");
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// The step to a second element that is not there is 1.
///
/// Example:
///   neuron.slice %x starts [3] steps [5] : (tensor<8xf32>) -> tensor<1xf32>
/// becomes
///   neuron.slice %x starts [3] steps [1] : (tensor<8xf32>) -> tensor<1xf32>
struct NormalizeSliceSteps final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    Shape steps(op.getSteps());
    for (auto [step, size] : llvm::zip(steps, op.getType().getShape()))
      if (size <= 1)
        step = 1;
    if (ArrayRef<int64_t>(steps) == op.getSteps())
      return rewriter.notifyMatchFailure(op, "every step is taken or 1");
    rewriter.modifyOpInPlace(op, [&] { op.setSteps(steps); });
    return success();
  }
};

/// Windows of one element, or a single window, are a slice.
///
/// Example:
///   neuron.window %x dim 0 step 2 dilation 1 : (tensor<9xf32>) ->
///       tensor<4x1xf32>
/// becomes
///   %0 = neuron.slice %x starts [0] steps [2] : (tensor<9xf32>) ->
///       tensor<4xf32>
///   neuron.reshape %0 : (tensor<4xf32>) -> tensor<4x1xf32>
struct WindowToSlice final : OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WindowOp op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim();
    int64_t windows = op.getType().getDimSize(dim),
            elements = op.getType().getDimSize(dim + 1);
    if (windows != 1 && elements != 1)
      return rewriter.notifyMatchFailure(op, "several windows of several");
    Shape starts(shapeOf(op.getInput()).size(), 0), steps(starts.size(), 1);
    Shape sizes(shapeOf(op.getInput()));
    sizes[dim] = windows * elements;
    if (sizes[dim] > 1)
      steps[dim] = elements == 1 ? op.getStep() : op.getDilation();
    Value slice =
        SliceOp::create(rewriter, op.getLoc(), op.getType().clone(sizes),
                        op.getInput(), rewriter.getDenseI64ArrayAttr(starts),
                        rewriter.getDenseI64ArrayAttr(steps));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
    return success();
  }
};

/// Windows that lie one behind the other are a reshape.
///
/// Example:
///   neuron.window %x dim 0 step 3 dilation 1 : (tensor<9xf32>) ->
///       tensor<3x3xf32>
/// becomes
///   neuron.reshape %x : (tensor<9xf32>) -> tensor<3x3xf32>
struct WindowToReshape final : OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WindowOp op,
                                PatternRewriter &rewriter) const override {
    uint64_t elements = op.getType().getDimSize(op.getDim() + 1);
    if (op.getDilation() != 1 || op.getStep() != elements ||
        op.getType().getNumElements() !=
            op.getInput().getType().getNumElements())
      return rewriter.notifyMatchFailure(op, "windows overlap or leave gaps");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// A reduction whose dimensions are put back keeps them.
///
/// Example:
///   %0 = neuron.sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
///   %1 = neuron.reshape %0 : (tensor<4xf32>) -> tensor<4x1xf32>
/// becomes
///   %1 = neuron.sum %x dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
struct ReshapeToKeepdim final : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto reduction = op.getInput().getDefiningOp<ReductionOpInterface>();
    if (!reduction)
      return rewriter.notifyMatchFailure(op, "operand is no reduction");
    if (reduction.keepsDims())
      return rewriter.notifyMatchFailure(op, "reduction keeps dimensions");
    if (!reduction->hasOneUse())
      return rewriter.notifyMatchFailure(op, "reduction has another use");
    Shape kept =
        reducedShape(reduction.getReducedOperand().getType().getShape(),
                     reduction.getReducedDims(), /*keepdim=*/true);
    if (op.getType().getShape() != ArrayRef<int64_t>(kept))
      return rewriter.notifyMatchFailure(op, "other dimensions are added");
    rewriter.setInsertionPoint(reduction);
    Operation *keeping = rewriter.clone(*reduction);
    rewriter.modifyOpInPlace(keeping, [&] {
      keeping->getResult(0).setType(op.getType());
      cast<ReductionOpInterface>(keeping).setKeepsDims(true);
    });
    rewriter.replaceOp(op, keeping);
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ReshapeToKeepdim>(context);
}
void ExpandOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ExpandToReshape>(context);
}
void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<PermuteToReshape>(context);
}
void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<NormalizeSliceSteps>(context);
}
void WindowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<WindowToSlice, WindowToReshape>(context);
}

//===- ConcatOp.cpp - rules and canonical form of neuron.concat -----------===//
//
// Operands without elements go, nested and repeated ones become fewer, and what
// is read of one operand only is read from there: every operand that is left
// costs a kernel that writes it.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace neuron::ir;

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError("C1: must have an operand");
  int64_t rank = getType().getRank(), dim = getDim();
  for (Value input : getInputs()) {
    if (getElementTypeOrSelf(input) != getType().getElementType())
      return emitOpError("C1: operands must have the result's element type ")
             << getType().getElementType() << ", got "
             << getElementTypeOrSelf(input);
    if (int64_t(shapeOf(input).size()) != rank)
      return emitOpError("C1: operands must have the result's rank ")
             << rank << ", got " << shapeOf(input).size();
  }
  if (dim < 0 || dim >= rank)
    return emitOpError("C2: dim must be in [0, ") << rank << "), got " << dim;
  Shape expected(getType().getShape());
  int64_t sum = 0;
  for (Value input : getInputs()) {
    // No sum of sizes overflows that a result could have.
    if (__builtin_add_overflow(sum, shapeOf(input)[dim], &sum))
      return emitOpError("C3: the sizes along dim do not fit 64 bits");
    expected[dim] = shapeOf(input)[dim];
    if (shapeOf(input) != ArrayRef<int64_t>(expected))
      return emitOpError("C3: operands must have the result's sizes but for "
                         "dim ")
             << dim << ", got " << shapeText(shapeOf(input)) << " for "
             << shapeText(getType().getShape());
  }
  if (sum != getType().getDimSize(dim))
    return emitOpError("C3: the result must have size ")
           << sum << " in dimension " << dim << ", got "
           << getType().getDimSize(dim);
  return success();
}

//===----------------------------------------------------------------------===//
// Folder
//===----------------------------------------------------------------------===//

/// The elements of constants, one behind the other along `dim`.
static DenseElementsAttr concatOfConstants(ArrayRef<Attribute> operands,
                                           int64_t dim, RankedTensorType type) {
  SmallVector<DenseElementsAttr> parts;
  for (Attribute operand : operands) {
    parts.push_back(dyn_cast_or_null<DenseElementsAttr>(operand));
    if (!parts.back())
      return {};
  }
  auto isSameSplat = [&](DenseElementsAttr part) {
    return part.isSplat() && parts[0].isSplat() &&
           part.getSplatValue<Attribute>() ==
               parts[0].getSplatValue<Attribute>();
  };
  if (llvm::all_of(parts, isSameSplat))
    return parts[0].resizeSplat(type);
  if (type.getNumElements() > kMaxFoldedElements)
    return {};
  int64_t outer = 1;
  for (int64_t size : type.getShape().take_front(dim))
    outer *= size;
  SmallVector<SmallVector<Scalar>> scalars;
  for (DenseElementsAttr part : parts)
    scalars.push_back(scalarsOf(part));
  SmallVector<Scalar> results;
  for (int64_t block = 0; block < outer; ++block)
    for (auto [part, elements] : llvm::zip(parts, scalars)) {
      int64_t run = part.getNumElements() / outer;
      for (int64_t i = 0; i < run; ++i)
        results.push_back(elements[elements.size() == 1 ? 0 : block * run + i]);
    }
  return constantOf(type, results);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs()[0];
  if (getType().getNumElements() == 0)
    return constantOf(getType(), {});
  if (auto constant =
          concatOfConstants(adaptor.getInputs(), getDim(), getType()))
    return constant;
  SmallVector<Value> kept;
  for (Value input : getInputs())
    if (shapeOf(input)[getDim()] != 0)
      kept.push_back(input);
  if (kept.size() == getInputs().size())
    return {};
  getInputsMutable().assign(kept);
  return getResult();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

namespace {

/// A concat that only another one along the same dimension uses.
///
/// Example:
///   %0 = neuron.concat %a, %b dim 0 : ...
///   neuron.concat %0, %c dim 0 : ...
/// becomes
///   neuron.concat %a, %b, %c dim 0 : ...
struct FlattenConcat final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    bool changes = false;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner.getDim() == op.getDim() && inner->hasOneUse()) {
        llvm::append_range(inputs, inner.getInputs());
        changes = true;
      } else {
        inputs.push_back(input);
      }
    }
    if (!changes)
      return rewriter.notifyMatchFailure(op, "no operand is such a concat");
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};

/// A slice that follows another one of the same value: the slice of both, or
/// null.
Value joinSlices(Value first, Value second, int64_t dim,
                 PatternRewriter &rewriter) {
  auto a = first.getDefiningOp<SliceOp>(), b = second.getDefiningOp<SliceOp>();
  if (!a || !b || a.getInput() != b.getInput())
    return {};
  Shape sizes(shapeOf(first)), starts(a.getStarts()), steps(a.getSteps());
  int64_t sizeA = sizes[dim], sizeB = shapeOf(second)[dim];
  int64_t distance = b.getStarts()[dim] - starts[dim];
  // The one element of a slice may be taken for part of any progression.
  int64_t step = sizeA > 1   ? steps[dim]
                 : sizeB > 1 ? b.getSteps()[dim]
                             : distance;
  // No product: a step that is taken fits the operand.
  bool follows = step != 0 && distance % step == 0 &&
                 distance / step == sizeA &&
                 (sizeB <= 1 || b.getSteps()[dim] == step);
  if (!follows)
    return {};
  for (int64_t d = 0; d < int64_t(sizes.size()); ++d)
    if (d != dim && (starts[d] != b.getStarts()[d] ||
                     (sizes[d] > 1 && steps[d] != b.getSteps()[d])))
      return {};
  sizes[dim] += sizeB;
  steps[dim] = step;
  return SliceOp::create(rewriter, first.getLoc(), a.getType().clone(sizes),
                         a.getInput(), rewriter.getDenseI64ArrayAttr(starts),
                         rewriter.getDenseI64ArrayAttr(steps));
}

/// Two splat constants of one number, as one, or null.
Value joinSplats(Value first, Value second, int64_t dim,
                 PatternRewriter &rewriter) {
  DenseElementsAttr a, b;
  if (!matchPattern(first, m_Constant(&a)) ||
      !matchPattern(second, m_Constant(&b)) || !a.isSplat() || !b.isSplat() ||
      a.getSplatValue<Attribute>() != b.getSplatValue<Attribute>())
    return {};
  Shape sizes(shapeOf(first));
  sizes[dim] += shapeOf(second)[dim];
  return ConstantOp::create(
      rewriter, first.getLoc(),
      a.resizeSplat(cast<ShapedType>(first.getType()).clone(sizes)));
}

/// Neighbours that are parts of one value, or filled with one number.
///
/// Example:
///   %0 = neuron.slice %x starts [0] steps [1] : ... -> tensor<3xf32>
///   %1 = neuron.slice %x starts [3] steps [1] : ... -> tensor<2xf32>
///   neuron.concat %0, %1, %y dim 0 : ...
/// becomes
///   %0 = neuron.slice %x starts [0] steps [1] : ... -> tensor<5xf32>
///   neuron.concat %0, %y dim 0 : ...
struct JoinNeighbours final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs{op.getInputs().front()};
    for (Value input : op.getInputs().drop_front()) {
      Value joined = joinSlices(inputs.back(), input, op.getDim(), rewriter);
      if (!joined)
        joined = joinSplats(inputs.back(), input, op.getDim(), rewriter);
      if (joined)
        inputs.back() = joined;
      else
        inputs.push_back(input);
    }
    if (inputs.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no neighbours join");
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};

/// One value again and again is a broadcast.
///
/// Example:
///   neuron.concat %x, %x dim 0 : (tensor<3xf32>, tensor<3xf32>) ->
///       tensor<6xf32>
/// becomes
///   %0 = neuron.reshape %x : (tensor<3xf32>) -> tensor<1x3xf32>
///   %1 = neuron.expand %0 : (tensor<1x3xf32>) -> tensor<2x3xf32>
///   neuron.reshape %1 : (tensor<2x3xf32>) -> tensor<6xf32>
struct ConcatToExpand final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_equal(op.getInputs()))
      return rewriter.notifyMatchFailure(op, "operands differ");
    Value input = op.getInputs().front();
    Shape shape(shapeOf(input));
    int64_t count = op.getInputs().size();
    if (shape.size() >= 8)
      return rewriter.notifyMatchFailure(op, "no room for a dimension");
    shape.insert(shape.begin() + op.getDim(), 1);
    RankedTensorType type = op.getType();
    Value single =
        ReshapeOp::create(rewriter, op.getLoc(), type.clone(shape), input);
    shape[op.getDim()] = count;
    Value wide =
        ExpandOp::create(rewriter, op.getLoc(), type.clone(shape), single);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, wide);
    return success();
  }
};

/// A slice that lies in one operand is a slice of that.
///
/// Example:
///   %0 = neuron.concat %a, %b dim 0 : (tensor<2xf32>, tensor<3xf32>) -> ...
///   neuron.slice %0 starts [3] steps [1] : (tensor<5xf32>) -> tensor<2xf32>
/// becomes
///   neuron.slice %b starts [1] steps [1] : (tensor<3xf32>) -> tensor<2xf32>
struct SliceOfConcat final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getInput().getDefiningOp<ConcatOp>();
    if (!concat)
      return rewriter.notifyMatchFailure(op, "operand is no concat");
    int64_t dim = concat.getDim();
    Shape starts(op.getStarts());
    int64_t count = op.getType().getDimSize(dim), first = starts[dim];
    if (count == 0)
      return rewriter.notifyMatchFailure(op, "takes nothing");
    int64_t last =
        count == 1 ? first : first + (count - 1) * op.getSteps()[dim];
    int64_t low = std::min(first, last), high = std::max(first, last);
    int64_t begin = 0;
    for (Value input : concat.getInputs()) {
      int64_t end = begin + shapeOf(input)[dim];
      if (low < end) {
        if (low < begin || high >= end)
          return rewriter.notifyMatchFailure(op, "takes of several operands");
        starts[dim] -= begin;
        rewriter.replaceOpWithNewOp<SliceOp>(
            op, op.getType(), input, rewriter.getDenseI64ArrayAttr(starts),
            op.getStepsAttr());
        return success();
      }
      begin = end;
    }
    return rewriter.notifyMatchFailure(op, "takes of no operand");
  }
};

} // namespace

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FlattenConcat, JoinNeighbours, ConcatToExpand, SliceOfConcat>(
      context);
}

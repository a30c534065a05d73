//===- Indexing.cpp - rules of gather and scatter -------------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace neuron::ir;

bool neuron::ir::isReadInMemory(OpOperand &use) {
  auto reader = dyn_cast<MemoryReaderOpInterface>(use.getOwner());
  return reader && reader.isReadInMemory(use.getOperandNumber());
}

/// Whether `value` is [n, rest...] with n >= 1 and a rest that broadcasts to
/// `shape`.
static LogicalResult verifyIndexed(Operation *op, StringRef rule, Value value,
                                   ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> sizes = shapeOf(value);
  if (sizes.empty() || sizes.front() < 1)
    return op->emitOpError(rule)
           << ": the indexed operand must have a first dimension with an "
              "element, got "
           << shapeText(sizes);
  if (!broadcastsTo(sizes.drop_front(), shape))
    return op->emitOpError(rule)
           << ": dimensions behind the indexed one must broadcast to "
           << shapeText(shape) << ", got " << shapeText(sizes.drop_front());
  return success();
}

LogicalResult GatherOp::verify() {
  Type element = getElementTypeOrSelf(getInput());
  if (getElementTypeOrSelf(getResult()) != element)
    return emitOpError("J1: result must have the input's element type ")
           << element << ", got " << getElementTypeOrSelf(getResult());
  ArrayRef<int64_t> shape = shapeOf(getResult());
  if (failed(verifyIndexed(*this, "J2", getInput(), shape)))
    return failure();
  if (!broadcastsTo(shapeOf(getIndex()), shape))
    return emitOpError("J3: index must broadcast to ")
           << shapeText(shape) << ", got " << shapeText(shapeOf(getIndex()));
  return success();
}

namespace {

/// One known index, in bounds, is a view.
///
/// Example:
///   neuron.gather %x, %two : tensor<4x8xf32>, tensor<i64> -> tensor<8xf32>
/// becomes
///   %0 = neuron.slice %x starts [2, 0] steps [1, 1]
///       : (tensor<4x8xf32>) -> tensor<1x8xf32>
///   neuron.reshape %0 : (tensor<1x8xf32>) -> tensor<8xf32>
struct GatherOfKnown final : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    Attribute known;
    if (!matchPattern(op.getIndex(), m_Constant(&known)) || !splatOf(known))
      return rewriter.notifyMatchFailure(op, "index is no known number");
    RankedTensorType type = op.getInput().getType();
    int64_t index = splatOf(known)->asInt().getSExtValue();
    if (index < 0 || index >= type.getDimSize(0))
      return rewriter.notifyMatchFailure(op, "index is an error at run time");
    Shape starts(type.getRank(), 0), steps(type.getRank(), 1),
        sizes(type.getShape());
    starts[0] = index;
    sizes[0] = 1;
    ArrayRef<int64_t> rest = ArrayRef<int64_t>(sizes).drop_front();
    Value slice = SliceOp::create(rewriter, op.getLoc(), type.clone(sizes),
                                  op.getInput(), starts, steps);
    Value row =
        ReshapeOp::create(rewriter, op.getLoc(), type.clone(rest), slice);
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), row);
    return success();
  }
};

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                           MLIRContext *context) {
  results.add<GatherOfKnown>(context);
}

SmallVector<int64_t, 8> ScatterOp::getSpace() {
  return *broadcastShapes(shapeOf(getIndex()), shapeOf(getUpdates()));
}

LogicalResult ScatterOp::verify() {
  Type element = getElementTypeOrSelf(getDest());
  if (getElementTypeOrSelf(getUpdates()) != element)
    return emitOpError("J4: updates must have the element type of dest, ")
           << element << ", got " << getElementTypeOrSelf(getUpdates());
  std::optional<Shape> space =
      broadcastShapes(shapeOf(getIndex()), shapeOf(getUpdates()));
  if (!space)
    return emitOpError("J5: index and updates must broadcast, got ")
           << shapeText(shapeOf(getIndex())) << " and "
           << shapeText(shapeOf(getUpdates()));
  if (failed(verifyIndexed(*this, "J5", getDest(), *space)))
    return failure();
  StringRef reduce = getReduce();
  bool isArithmetic = reduce == "sum" || reduce == "prod";
  bool isKnown = reduce == "none" || reduce == "max" || reduce == "min" ||
                 (isArithmetic && !element.isInteger(1));
  if (!isKnown)
    return emitOpError("J6: does not combine elements of ")
           << element << " by '" << reduce << "'";
  return success();
}

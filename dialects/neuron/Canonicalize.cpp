//===- Canonicalize.cpp - patterns for kinds of op ------------------------===//
//
// Rewrites that fold() cannot do because they make operations. Those of one
// view are in ViewFolders.cpp; the canonical form they lead to is described in
// NeuronDialect.td.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Folders.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace neuron::ir;
using neuron::program::Fn;

static Attribute constantValue(Value value) {
  Attribute attr;
  return matchPattern(value, m_Constant(&attr)) ? attr : Attribute();
}

namespace {

//===----------------------------------------------------------------------===//
// Any operation
//===----------------------------------------------------------------------===//

/// Without elements there is nothing to compute. Kernels have several results
/// and stay.
///
/// Example:
///   neuron.softmax %x dims [1] : tensor<4x0xf32>
/// becomes
///   neuron.constant dense<> : tensor<4x0xf32>
struct EmptyToConstant final : RewritePattern {
  EmptyToConstant(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<NeuronDialect>(op->getDialect()) ||
        isa<ConstantOp, KernelOp>(op) || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not a computation of neuron");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getNumElements() != 0)
      return rewriter.notifyMatchFailure(op, "result has elements");
    rewriter.replaceOpWithNewOp<ConstantOp>(op, constantOf(type, {}));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// An operand that was broadcast explicitly is broadcast by the operation, and
/// a splat constant has rank 0.
///
/// Example:
///   %0 = neuron.expand %b : (tensor<8xf32>) -> tensor<4x8xf32>
///   %1 = neuron.add %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>)
///       -> tensor<4x8xf32>
/// becomes
///   %1 = neuron.add %x, %b : (tensor<4x8xf32>, tensor<8xf32>)
///       -> tensor<4x8xf32>
struct AbsorbBroadcast final
    : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() < 2)
      return rewriter.notifyMatchFailure(op, "does not broadcast");
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType type = narrowerType(operand.get());
      if (!type || !keepsShape(op, operand, type))
        continue;
      Value narrower = narrow(operand.get(), type, rewriter);
      rewriter.modifyOpInPlace(op, [&] { operand.set(narrower); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is broadcast before");
  }

private:
  /// Type of a smaller value that broadcasts to this one; null if none is seen.
  static RankedTensorType narrowerType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() > 0 && splatOf(constantValue(value)))
      return RankedTensorType::get({}, type.getElementType());
    if (auto expand = value.getDefiningOp<ExpandOp>())
      return expand.getInput().getType();
    // A reshape that adds dimensions of size 1 at the left.
    auto reshape = value.getDefiningOp<ReshapeOp>();
    if (reshape && reshape.getInput().getType().getRank() < type.getRank() &&
        broadcastsTo(shapeOf(reshape.getInput()), type.getShape()))
      return reshape.getInput().getType();
    return {};
  }

  /// Whether the result's shape stays when `operand` has the type `type`.
  static bool keepsShape(Operation *op, OpOperand &operand, Type type) {
    SmallVector<Type> types(op->getOperandTypes());
    types[operand.getOperandNumber()] = type;
    std::optional<Shape> shape = broadcastShapes(types);
    return shape && ArrayRef<int64_t>(*shape) == shapeOf(op->getResult(0));
  }

  static Value narrow(Value value, RankedTensorType type,
                      PatternRewriter &rewriter) {
    if (std::optional<Scalar> splat = splatOf(constantValue(value)))
      return ConstantOp::create(rewriter, value.getLoc(),
                                constantOf(type, *splat));
    return value.getDefiningOp()->getOperand(0);
  }
};

/// The constant of a comparison is on the right.
///
/// Example:
///   neuron.lt %constant, %x
/// becomes
///   neuron.gt %x, %constant
template <typename From, typename To>
struct SwapComparison final : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!constantValue(op.getLhs()) || constantValue(op.getRhs()))
      return rewriter.notifyMatchFailure(op,
                                         "left operand is not the constant");
    rewriter.replaceOpWithNewOp<To>(op, op.getType(), op.getRhs(), op.getLhs());
    return success();
  }
};

/// PyTorch computes x to the power of the number 2 as x * x.
///
/// Example:
///   neuron.pow %x, %two : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
/// becomes
///   neuron.square %x : tensor<8xf32>
struct PowToSquare final : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Scalar> exponent = splatOf(constantValue(op.getRhs()));
    if (!exponent)
      return rewriter.notifyMatchFailure(op, "exponent is not one number");
    bool isTwo = exponent->isFloat() ? exponent->asFloat().isExactlyValue(2.0)
                                     : exponent->asInt() == 2;
    if (!isTwo || op.getLhs().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "exponent is not 2, or the base "
                                             "is broadcast");
    rewriter.replaceOpWithNewOp<SquareOp>(op, op.getLhs());
    return success();
  }
};

/// An even function does not see the sign.
///
/// Example:
///   %0 = neuron.neg %x : tensor<8xf32>
///   %1 = neuron.abs %0 : tensor<8xf32>
/// becomes
///   %1 = neuron.abs %x : tensor<8xf32>
template <typename Even> struct DropSign final : OpRewritePattern<Even> {
  using OpRewritePattern<Even>::OpRewritePattern;
  LogicalResult matchAndRewrite(Even op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getInput().getDefiningOp();
    if (!isa_and_nonnull<NegOp, AbsOp>(inner))
      return rewriter.notifyMatchFailure(op, "operand's sign was not changed");
    rewriter.modifyOpInPlace(op,
                             [&] { op->setOperand(0, inner->getOperand(0)); });
    return success();
  }
};

/// A select by a known condition is one of its operands, broadcast.
///
/// Example:
///   neuron.select %true, %x, %y
///       : (tensor<i1>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
/// becomes
///   neuron.expand %x : (tensor<8xf32>) -> tensor<4x8xf32>
struct SelectOfKnown final : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Scalar> condition = splatOf(constantValue(op.getCondition()));
    if (!condition)
      return rewriter.notifyMatchFailure(op, "condition is not known");
    Value chosen = condition->isZero() ? op.getOnFalse() : op.getOnTrue();
    if (chosen.getType() == op.getType())
      rewriter.replaceOp(op, chosen);
    else
      rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), chosen);
    return success();
  }
};

/// A select by a negation is the select with its operands swapped.
///
/// Example:
///   %0 = neuron.logical_not %c : (tensor<8xi1>) -> tensor<8xi1>
///   %1 = neuron.select %0, %x, %y
/// becomes
///   %1 = neuron.select %c, %y, %x
struct SelectOfNot final : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    Operation *negation = op.getCondition().getDefiningOp();
    if (!isa_and_nonnull<LogicalNotOp, BitwiseNotOp>(negation))
      return rewriter.notifyMatchFailure(op, "condition is no negation");
    Value condition = negation->getOperand(0);
    if (condition.getType() != op.getCondition().getType())
      return rewriter.notifyMatchFailure(op, "negation of numbers");
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), condition,
                                          op.getOnFalse(), op.getOnTrue());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A reduction along dimensions of size 1 drops them, if it is exact of one
/// element.
///
/// Example:
///   neuron.max %x dims [0] : (tensor<1x8xf32>) -> tensor<8xf32>
/// becomes
///   neuron.reshape %x : (tensor<1x8xf32>) -> tensor<8xf32>
struct ReductionToReshape final
    : OpInterfaceRewritePattern<ReductionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ReductionOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isReductionOfNothing(op))
      return rewriter.notifyMatchFailure(op, "computes something");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(),
                                           op.getReducedOperand());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Bits that a type's integers or its significand can hold, without the sign.
unsigned magnitudeBits(Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return type.getFPMantissaWidth();
  unsigned width = element.getIntOrFloatBitWidth();
  return isUnsigned(element) ? width : width - 1;
}

/// Whether every value of `from` is a value of `to`.
bool isWidening(Type from, Type to) {
  auto isFloat8 = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  };
  if (isFloat8(from)) // f16 has not all powers of f8E8M0FNU
    return to.isF32() || to.isF64() || to.isBF16();
  if (isFloat8(to))
    return false;
  if (isa<FloatType>(from))
    return isa<FloatType>(to) &&
           from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  bool losesSign = isa<IntegerType>(to) && isUnsigned(to) && !isUnsigned(from);
  return !losesSign && magnitudeBits(from) <= magnitudeBits(to);
}

bool isNumberOfBits(Type element) {
  return isa<IntegerType>(element) && !element.isInteger(1);
}

/// Two casts are one if the first loses nothing that the second would keep. A
/// float on its way to an integer stays: out of range, the way matters.
///
/// Example:
///   %0 = neuron.cast %x : tensor<8xbf16> to tensor<8xf32>
///   %1 = neuron.cast %0 : tensor<8xf32> to tensor<8xf64>
/// becomes
///   %1 = neuron.cast %x : tensor<8xbf16> to tensor<8xf64>
struct MergeCasts final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no cast");
    Value input = inner.getInput();
    Type a = getElementTypeOrSelf(input), b = getElementTypeOrSelf(inner),
         c = getElementTypeOrSelf(op);
    // Integers wrap: only the low bits of the last type matter.
    bool isModular = isNumberOfBits(a) && isNumberOfBits(b) &&
                     isNumberOfBits(c) &&
                     c.getIntOrFloatBitWidth() <= b.getIntOrFloatBitWidth();
    bool truncatesFloat = isa<FloatType>(b) && isNumberOfBits(c) && a != c;
    if (!isModular && (truncatesFloat || !isWidening(a, b)))
      return rewriter.notifyMatchFailure(op, "first cast may lose something");
    if (a == c)
      rewriter.replaceOp(op, input);
    else
      rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), input);
    return success();
  }
};

} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<MergeCasts>(context);
}

void NeuronDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns
      .add<EmptyToConstant, AbsorbBroadcast, SwapComparison<LtOp, GtOp>,
           SwapComparison<GtOp, LtOp>, SwapComparison<LeOp, GeOp>,
           SwapComparison<GeOp, LeOp>, PowToSquare, DropSign<AbsOp>,
           DropSign<SquareOp>, SelectOfKnown, SelectOfNot, ReductionToReshape>(
          getContext());
}

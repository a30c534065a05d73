//===- DecomposeComposites.cpp - named ops to primitive ones --------------===//
//
// Inside kernels, ops that no instruction computes become ops that instructions
// do: softmax, log_softmax, rms_norm, layer_norm, mean, var, norm and floating
// iota. What is left are elementwise ops, casts, and the reductions sum, prod,
// max, min, any, all, argmax and argmin.
//
// It assumes that rounding has been made explicit: composites compute in f32 or
// f64. Division by a statistic becomes multiplication by its reciprocal: one
// division a row instead of one an element, for at most one more ulp, which the
// composites' bounds allow. Nothing here knows a shape or a target.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/lowering/Composites.h"
#include "passes/lowering/Passes.h"
#include <cmath>
#include <limits>

namespace neuron::lowering {
#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "passes/lowering/Passes.h.inc"
} // namespace neuron::lowering

using namespace mlir;
using namespace neuron;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Builds primitive ops that compute like PyTorch on values of one element
/// type.
struct Primitives {
  OpBuilder &b;
  Location loc;

  Value constant(Type element, double number) {
    auto type = RankedTensorType::get({}, element);
    return ir::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getFloatAttr(element, number)));
  }
  template <typename Op> Value binary(Value lhs, Value rhs) {
    SmallVector<int64_t> shape;
    ArrayRef<int64_t> l = typeOf(lhs).getShape(), r = typeOf(rhs).getShape();
    size_t rank = std::max(l.size(), r.size());
    for (size_t i = 0; i < rank; ++i) {
      int64_t a = i + l.size() < rank ? 1 : l[i + l.size() - rank];
      int64_t c = i + r.size() < rank ? 1 : r[i + r.size() - rank];
      shape.push_back(a == 1 ? c : a);
    }
    auto type = RankedTensorType::get(shape, typeOf(lhs).getElementType());
    return Op::create(b, loc, type, lhs, rhs);
  }
  template <typename Op> Value unary(Value input) {
    return Op::create(b, loc, input.getType(), input);
  }
  /// A reduction that keeps the reduced dimensions with size 1.
  template <typename Op> Value reduce(Value input, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> shape(typeOf(input).getShape());
    for (int64_t dim : dims)
      shape[dim] = 1;
    auto type = RankedTensorType::get(shape, typeOf(input).getElementType());
    return Op::create(b, loc, type, input, b.getDenseI64ArrayAttr(dims),
                      b.getUnitAttr());
  }
  /// The largest element where the rest of the formula brings out a NaN by
  /// itself, so that the Vector engine's NaN-ignoring maximum will do.
  Value maxIgnoringNan(Value input, ArrayRef<int64_t> dims) {
    Value max = reduce<ir::MaxOp>(input, dims);
    max.getDefiningOp()->setAttr("ignore_nan", b.getUnitAttr());
    return max;
  }
  Value scaled(Value input, double factor) {
    return binary<ir::MulOp>(input,
                             constant(typeOf(input).getElementType(), factor));
  }
  Value mean(Value input, ArrayRef<int64_t> dims) {
    return scaled(reduce<ir::SumOp>(input, dims), 1.0 / count(input, dims));
  }
  static double count(Value input, ArrayRef<int64_t> dims) {
    double n = 1;
    for (int64_t dim : dims)
      n *= double(typeOf(input).getDimSize(dim));
    return n;
  }
  Value reshaped(Value input, Type type) {
    return input.getType() == type
               ? input
               : ir::ReshapeOp::create(b, loc, type, input).getResult();
  }
};

template <typename Op> struct Decompose : OpRewritePattern<Op> {
  using Applies = std::function<bool(Operation *)>;
  Decompose(MLIRContext *context, Applies applies)
      : OpRewritePattern<Op>(context), applies(std::move(applies)) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!applies(op))
      return rewriter.notifyMatchFailure(op, "stays whole here");
    Type element = typeOf(op->getOperand(0)).getElementType();
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "rounding is not explicit yet");
    Primitives p{rewriter, op.getLoc()};
    Value result = build(op, p);
    rewriter.replaceOp(op, p.reshaped(result, op.getResult().getType()));
    return success();
  }

  Applies applies;

  static Value build(ir::MeanOp op, Primitives &p) {
    return p.mean(op.getInput(), op.getDims());
  }

  // sum((x - mean)^2) / max(0, n - correction): two passes over the row, so
  // that a large offset costs no digits.
  static Value build(ir::VarOp op, Primitives &p) {
    Value x = op.getInput();
    double n = Primitives::count(x, op.getDims());
    double divisor = std::max(0.0, n - op.getCorrection().convertToDouble());
    return p.scaled(
        p.reduce<ir::SumOp>(p.unary<ir::SquareOp>(p.binary<ir::SubOp>(
                                x, p.mean(x, op.getDims()))),
                            op.getDims()),
        1.0 / divisor);
  }

  static Value build(ir::NormOp op, Primitives &p) {
    Value x = op.getInput();
    ArrayRef<int64_t> dims = op.getDims();
    double ord = op.getOrd().convertToDouble();
    Type element = typeOf(x).getElementType();
    if (ord == 2)
      return p.unary<ir::SqrtOp>(
          p.reduce<ir::SumOp>(p.unary<ir::SquareOp>(x), dims));
    if (ord == 0) {
      auto boolType =
          RankedTensorType::get(typeOf(x).getShape(), p.b.getI1Type());
      Value nonZero =
          ir::NeOp::create(p.b, p.loc, boolType, x, p.constant(element, 0));
      return p.reduce<ir::SumOp>(
          ir::CastOp::create(p.b, p.loc, x.getType(), nonZero), dims);
    }
    Value magnitude = p.unary<ir::AbsOp>(x);
    if (ord == 1)
      return p.reduce<ir::SumOp>(magnitude, dims);
    if (std::isinf(ord))
      return ord > 0 ? p.reduce<ir::MaxOp>(magnitude, dims)
                     : p.reduce<ir::MinOp>(magnitude, dims);
    Value powers = p.binary<ir::PowOp>(magnitude, p.constant(element, ord));
    return p.binary<ir::PowOp>(p.reduce<ir::SumOp>(powers, dims),
                               p.constant(element, 1.0 / ord));
  }

  static Value build(ir::SoftmaxOp op, Primitives &p) {
    Value x = op.getInput();
    Value e = p.unary<ir::ExpOp>(
        p.binary<ir::SubOp>(x, p.maxIgnoringNan(x, op.getDims())));
    return p.binary<ir::MulOp>(
        e, p.unary<ir::ReciprocalOp>(p.reduce<ir::SumOp>(e, op.getDims())));
  }

  static Value build(ir::LogSoftmaxOp op, Primitives &p) {
    Value x = op.getInput();
    Value shifted = p.binary<ir::SubOp>(x, p.maxIgnoringNan(x, op.getDims()));
    Value sum = p.reduce<ir::SumOp>(p.unary<ir::ExpOp>(shifted), op.getDims());
    return p.binary<ir::SubOp>(shifted, p.unary<ir::LogOp>(sum));
  }

  static Value normalized(Value centered, Value x, ArrayRef<int64_t> dims,
                          double eps, Primitives &p) {
    Value variance = p.mean(p.unary<ir::SquareOp>(centered), dims);
    Value shifted = p.binary<ir::AddOp>(
        variance, p.constant(typeOf(x).getElementType(), eps));
    return p.binary<ir::MulOp>(centered, p.unary<ir::RsqrtOp>(shifted));
  }

  static Value build(ir::RmsNormOp op, Primitives &p) {
    Value y = normalized(op.getInput(), op.getInput(), op.getDims(),
                         op.getEps().convertToDouble(), p);
    return op.getWeight() ? p.binary<ir::MulOp>(y, op.getWeight()) : y;
  }

  static Value build(ir::LayerNormOp op, Primitives &p) {
    Value x = op.getInput();
    Value centered = p.binary<ir::SubOp>(x, p.mean(x, op.getDims()));
    Value y =
        normalized(centered, x, op.getDims(), op.getEps().convertToDouble(), p);
    if (op.getWeight())
      y = p.binary<ir::MulOp>(y, op.getWeight());
    return op.getBias() ? p.binary<ir::AddOp>(y, op.getBias()) : y;
  }
};

// PyTorch's arange of a floating type is computed in double and rounded once;
// the instruction counts in integers.
//   neuron.iota dim 0 start 0.5 step 0.1 : tensor<4xf32>
//   -> iota i64 -> cast f64 -> * 0.1 -> + 0.5 -> cast f32
struct FloatIota : OpRewritePattern<ir::IotaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::IotaOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (!isa<FloatType>(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "counts in integers already");
    auto start = dyn_cast<FloatAttr>(op.getStart());
    auto step = dyn_cast<FloatAttr>(op.getStep());
    if (!start || !step)
      return rewriter.notifyMatchFailure(op, "start and step are no floats");
    Primitives p{rewriter, op.getLoc()};
    Type f64 = rewriter.getF64Type();
    Value index = ir::IotaOp::create(
        rewriter, op.getLoc(), type.clone(rewriter.getI64Type()),
        op.getDimAttr(), rewriter.getI64IntegerAttr(0),
        rewriter.getI64IntegerAttr(1));
    Value number =
        ir::CastOp::create(rewriter, op.getLoc(), type.clone(f64), index);
    number =
        p.binary<ir::MulOp>(number, p.constant(f64, step.getValueAsDouble()));
    number =
        p.binary<ir::AddOp>(number, p.constant(f64, start.getValueAsDouble()));
    if (number.getType() != type)
      number = ir::CastOp::create(rewriter, op.getLoc(), type, number);
    rewriter.replaceOp(op, number);
    return success();
  }
};

struct DecomposeComposites final
    : neuron::lowering::impl::DecomposeCompositesBase<DecomposeComposites> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    neuron::lowering::populateDecomposition(patterns, [](Operation *op) {
      return bool(op->getParentOfType<ir::KernelOp>());
    });
    patterns.add<FloatIota>(&getContext());
    // There is one block everywhere: nothing to simplify in regions.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
  }
};

} // namespace

void neuron::lowering::populateDecomposition(
    RewritePatternSet &patterns,
    const std::function<bool(Operation *)> &applies) {
  patterns
      .add<Decompose<ir::MeanOp>, Decompose<ir::VarOp>, Decompose<ir::NormOp>,
           Decompose<ir::SoftmaxOp>, Decompose<ir::LogSoftmaxOp>,
           Decompose<ir::RmsNormOp>, Decompose<ir::LayerNormOp>>(
          patterns.getContext(), applies);
}

//===- ReductionFolder.cpp - folding of reductions ------------------------===//
//
// Over no elements, a reduction is its identity; over one, it may be that
// element; over equal constants, it may be known. Sums of floats are left
// alone: PyTorch starts them at 0.0, so the sum of -0.0 is 0.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Folders.h"
#include "dialects/neuron/Neuron.h"

using namespace mlir;
using namespace neuron::ir;

/// Number of elements that make one element of the result.
static int64_t countReduced(ReductionOpInterface op) {
  int64_t count = 1;
  for (int64_t dim : op.getReducedDims())
    count *= op.getReducedOperand().getType().getDimSize(dim);
  return count;
}

bool neuron::ir::isReductionOfNothing(Operation *op) {
  auto reduction = cast<ReductionOpInterface>(op);
  if (countReduced(reduction) != 1)
    return false;
  Type element = reduction.getReducedOperand().getType().getElementType();
  if (isa<MaxOp, MinOp, ProdOp>(op))
    return true;
  if (isa<AnyOp, AllOp>(op))
    return element.isInteger(1);
  return isa<SumOp>(op) && isa<IntegerType>(element);
}

/// The value of a reduction of no elements.
static std::optional<Scalar> valueOfNothing(Operation *op, Type element) {
  Scalar zero = scalarOf(element, 0), one = scalarOf(element, 1);
  auto nan = [&] {
    return Scalar{
        element, APFloat::getNaN(cast<FloatType>(element).getFloatSemantics())};
  };
  if (isa<SumOp, AnyOp>(op))
    return zero;
  if (isa<ProdOp, AllOp>(op))
    return one;
  if (isa<MeanOp>(op))
    return nan();
  // 0 / max(0, 0 - correction)
  if (auto var = dyn_cast<VarOp>(op))
    return var.getCorrection().isNegative() && !var.getCorrection().isZero()
               ? zero
               : nan();
  if (auto norm = dyn_cast<NormOp>(op); norm && !norm.getOrd().isNaN())
    return zero;
  return std::nullopt;
}

/// The value of a reduction of `count` elements that are all `value`.
static std::optional<Scalar> valueOfEqual(Operation *op, const Scalar &value,
                                          int64_t count, Type element) {
  if (isa<ArgmaxOp, ArgminOp>(op))
    return scalarOf(element, 0);
  if (isa<AnyOp, AllOp>(op))
    return scalarOf(element, !value.isZero());
  if (isa<MaxOp, MinOp>(op) && !value.isNaN())
    return value;
  if (isa<SumOp>(op) && !value.isFloat()) {
    APInt factor = APInt(64, count).zextOrTrunc(value.asInt().getBitWidth());
    return Scalar{element, value.asInt() * factor};
  }
  return std::nullopt;
}

OpFoldResult neuron::ir::foldReduction(Operation *op, Attribute input) {
  auto reduction = cast<ReductionOpInterface>(op);
  Value operand = reduction.getReducedOperand();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Type element = type.getElementType();
  if (type.getNumElements() == 0)
    return constantOf(type, {});
  int64_t count = countReduced(reduction);
  if (count == 0) {
    std::optional<Scalar> value = valueOfNothing(op, element);
    return value ? OpFoldResult(constantOf(type, *value)) : OpFoldResult();
  }
  if (operand.getType() == type && isReductionOfNothing(op))
    return operand;
  if (count == 1 && isa<ArgmaxOp, ArgminOp>(op))
    return constantOf(type, scalarOf(element, 0));
  if (std::optional<Scalar> splat = splatOf(input))
    if (auto value = valueOfEqual(op, *splat, count, element))
      return constantOf(type, *value);
  return {};
}

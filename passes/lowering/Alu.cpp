//===- Alu.cpp - what the Vector engine's ALU computes --------------------===//
#include "passes/lowering/Alu.h"
#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using program::Fn;

/// Of the 8-bit floats every core has e5m2 only; the others' e4m3 ends at 240
/// or is of later cores, so GpSimd converts them.
bool lowering::fitsF32(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         isa<Float8E5M2Type>(type) ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 16);
}

TypedAttr lowering::splatOf(Value value) {
  while (auto view = value.getDefiningOp<ir::ViewOpInterface>())
    value = view.getViewed();
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  if (!constant)
    return {};
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat())
    return {};
  return cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

TypedAttr lowering::f32(MLIRContext *context, double number) {
  return Builder(context).getF32FloatAttr(float(number));
}

TypedAttr lowering::zero(Type type) {
  return cast<TypedAttr>(Builder(type.getContext()).getZeroAttr(type));
}

/// x / 2^k is x * 2^-k, exactly.
static std::optional<Alu> exactReciprocal(Value a, Value b) {
  MLIRContext *context = a.getContext();
  auto number = dyn_cast_or_null<FloatAttr>(splatOf(b));
  if (!number)
    return std::nullopt;
  double divisor = number.getValueAsDouble();
  int exponent;
  if (std::frexp(divisor, &exponent) != 0.5 &&
      std::frexp(divisor, &exponent) != -0.5)
    return std::nullopt;
  if (exponent < -120 || exponent > 120)
    return std::nullopt;
  return Alu{Fn::mul, a, f32(context, 1.0 / divisor)};
}

std::optional<Alu> lowering::asAlu(Operation *op) {
  MLIRContext *context = op->getContext();
  auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op);
  if (!elementwise || isa<ir::CastOp, ir::BitcastOp, ir::SelectOp>(op))
    return std::nullopt;
  Type type = elementOf(op->getOperands().front());
  Fn fn = elementwise.getFn();
  Value a = op->getOperand(0);
  Value b = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  bool isTest = program::info(fn).resultIsBool;
  if (type.isF32()) {
    switch (fn) {
    case Fn::neg:
      return Alu{Fn::mul, a, f32(context, -1)};
    case Fn::square:
      return Alu{Fn::mul, a, a};
    // Of equal values fmax takes its left operand, hw_max its right one.
    case Fn::fmax:
      return Alu{Fn::hw_max, b, a};
    case Fn::fmin:
      return Alu{Fn::hw_min, b, a};
    case Fn::isnan:
      return Alu{Fn::ne, a, a};
    case Fn::div:
      return exactReciprocal(a, b);
    default:
      break;
    }
  }
  if (fitsF32(type)) {
    if (fn == Fn::logical_not || (fn == Fn::bitwise_not && type.isInteger(1)))
      return Alu{Fn::eq, a, zero(type)};
    if (type.isInteger(1)) {
      if (fn == Fn::bitwise_and)
        return Alu{Fn::logical_and, a, b};
      if (fn == Fn::bitwise_or)
        return Alu{Fn::logical_or, a, b};
      if (fn == Fn::bitwise_xor)
        return Alu{Fn::logical_xor, a, b};
    }
  }
  if (!program::runsOnVector(fn) || program::info(fn).arity != 2)
    return std::nullopt;
  if (!(isTest ? fitsF32(type) : type.isF32()))
    return std::nullopt;
  return Alu{fn, a, b};
}

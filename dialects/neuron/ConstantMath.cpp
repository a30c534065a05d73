//===- ConstantMath.cpp - exact arithmetic on constants -------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Float8.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace neuron::ir;
using llvm::APSInt;
using neuron::program::Fn;

static constexpr auto kNearestEven = APFloat::rmNearestTiesToEven;

uint8_t neuron::ir::domainOf(Type element) {
  if (isa<FloatType>(element))
    return program::fn_table::F;
  return element.isInteger(1) ? program::fn_table::B : program::fn_table::I;
}

bool neuron::ir::isUnsigned(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

//===----------------------------------------------------------------------===//
// Constants and their elements
//===----------------------------------------------------------------------===//

Scalar neuron::ir::scalarOf(Type element, int64_t value) {
  if (auto type = dyn_cast<FloatType>(element)) {
    if (type.getWidth() == 8)
      return {element, float8Of(float(value), type.getFloatSemantics())};
    APFloat number(type.getFloatSemantics());
    number.convertFromAPInt(APInt(64, value, /*isSigned=*/true), true,
                            kNearestEven);
    return {element, number};
  }
  if (element.isInteger(1))
    return {element, APInt(1, value != 0)};
  unsigned width = element.getIntOrFloatBitWidth();
  return {element, APInt(64, value, /*isSigned=*/true).trunc(width)};
}

std::optional<Scalar> neuron::ir::splatOf(Attribute attr) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!elements || elements.empty() || !elements.isSplat())
    return std::nullopt;
  return scalarsOf(elements).front();
}

SmallVector<Scalar> neuron::ir::scalarsOf(DenseElementsAttr attr) {
  Type element = attr.getElementType();
  SmallVector<Scalar> scalars;
  if (attr.empty())
    return scalars;
  if (isa<FloatType>(element)) {
    if (attr.isSplat())
      return {Scalar{element, attr.getSplatValue<APFloat>()}};
    for (APFloat value : attr.getValues<APFloat>())
      scalars.push_back({element, value});
    return scalars;
  }
  if (attr.isSplat())
    return {Scalar{element, attr.getSplatValue<APInt>()}};
  for (APInt value : attr.getValues<APInt>())
    scalars.push_back({element, value});
  return scalars;
}

DenseElementsAttr neuron::ir::constantOf(RankedTensorType type,
                                         ArrayRef<Scalar> scalars) {
  if (isa<FloatType>(type.getElementType())) {
    SmallVector<APFloat> values;
    for (const Scalar &scalar : scalars)
      values.push_back(scalar.asFloat());
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<APInt> values;
  for (const Scalar &scalar : scalars)
    values.push_back(scalar.asInt());
  return DenseElementsAttr::get(type, values);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Rounds to a float type. PyTorch reaches the short types by way of f32.
static APFloat roundTo(APFloat value, FloatType to) {
  bool losesInfo;
  if (to.getWidth() < 32)
    value.convert(APFloat::IEEEsingle(), kNearestEven, &losesInfo);
  if (to.getWidth() == 8)
    return float8Of(value.convertToFloat(), to.getFloatSemantics());
  value.convert(to.getFloatSemantics(), kNearestEven, &losesInfo);
  return value;
}

static std::optional<Scalar> convertToInt(const Scalar &scalar, Type to) {
  if (to.isInteger(1))
    return scalarOf(to, !scalar.isZero());
  unsigned width = to.getIntOrFloatBitWidth();
  if (!scalar.isFloat()) {
    const APInt &value = scalar.asInt();
    return Scalar{to, isUnsigned(scalar.type) ? value.zextOrTrunc(width)
                                              : value.sextOrTrunc(width)};
  }
  APSInt value(width, isUnsigned(to));
  bool isExact;
  APFloat::opStatus status =
      scalar.asFloat().convertToInteger(value, APFloat::rmTowardZero, &isExact);
  if (status & APFloat::opInvalidOp)
    return std::nullopt;
  return Scalar{to, APInt(value)};
}

std::optional<Scalar> neuron::ir::convert(const Scalar &scalar, Type to) {
  if (scalar.type == to)
    return scalar;
  auto toFloat = dyn_cast<FloatType>(to);
  if (!toFloat)
    return convertToInt(scalar, to);
  if (scalar.isNaN())
    return std::nullopt;
  if (scalar.isFloat())
    return Scalar{to, roundTo(scalar.asFloat(), toFloat)};
  APFloat value(toFloat.getWidth() < 32 ? APFloat::IEEEsingle()
                                        : toFloat.getFloatSemantics());
  value.convertFromAPInt(scalar.asInt(), !isUnsigned(scalar.type),
                         kNearestEven);
  return Scalar{to, roundTo(value, toFloat)};
}

//===----------------------------------------------------------------------===//
// Functions with a result of the operands' type
//===----------------------------------------------------------------------===//

namespace {
using FloatResult = std::optional<APFloat>;
using IntResult = std::optional<APInt>;
using FloatFn = FloatResult (*)(const APFloat &a, const APFloat &b);
using IntFn = IntResult (*)(const APInt &a, const APInt &b, bool isUnsigned);

/// A function on floats (f32 or f64) and on integers or bools; null: refused.
/// Of one operand, `b` is `a`.
struct ValueRow {
  Fn fn;
  FloatFn onFloats;
  IntFn onInts;
};
} // namespace

static APFloat integral(APFloat value, APFloat::roundingMode mode) {
  value.roundToIntegral(mode);
  return value;
}

/// Which zero of two of different sign is the larger one differs between
/// scalar and vector code.
static bool areMixedZeros(const APFloat &a, const APFloat &b) {
  return a.isZero() && b.isZero() && a.isNegative() != b.isNegative();
}

static FloatResult larger(const APFloat &a, const APFloat &b) {
  if (areMixedZeros(a, b))
    return std::nullopt;
  return a < b ? b : a;
}

static FloatResult smaller(const APFloat &a, const APFloat &b) {
  if (areMixedZeros(a, b))
    return std::nullopt;
  return b < a ? b : a;
}

static bool lessThan(const APInt &a, const APInt &b, bool isUnsigned) {
  return isUnsigned ? a.ult(b) : a.slt(b);
}

/// Division by zero raises, and the least integer by -1 overflows.
static bool isDivisible(const APInt &a, const APInt &b, bool isUnsigned) {
  return !b.isZero() && (isUnsigned || !a.isMinSignedValue() || !b.isAllOnes());
}

static IntResult truncDiv(const APInt &a, const APInt &b, bool isUnsigned) {
  if (!isDivisible(a, b, isUnsigned))
    return std::nullopt;
  return isUnsigned ? a.udiv(b) : a.sdiv(b);
}

static IntResult fmod(const APInt &a, const APInt &b, bool isUnsigned) {
  if (!isDivisible(a, b, isUnsigned))
    return std::nullopt;
  return isUnsigned ? a.urem(b) : a.srem(b);
}

/// Whether rounding toward minus infinity differs from rounding toward zero.
static bool roundsDown(const APInt &a, const APInt &b, bool isUnsigned) {
  return !isUnsigned && a.isNegative() != b.isNegative() && !a.srem(b).isZero();
}

static IntResult floorDiv(const APInt &a, const APInt &b, bool isUnsigned) {
  IntResult quotient = truncDiv(a, b, isUnsigned);
  if (quotient && roundsDown(a, b, isUnsigned))
    --*quotient;
  return quotient;
}

static IntResult remainder(const APInt &a, const APInt &b, bool isUnsigned) {
  IntResult modulus = fmod(a, b, isUnsigned);
  if (modulus && roundsDown(a, b, isUnsigned))
    *modulus += b;
  return modulus;
}

static IntResult shiftLeft(const APInt &a, const APInt &b, bool) {
  if (b.uge(a.getBitWidth()))
    return std::nullopt;
  return a.shl(b);
}

static IntResult shiftRight(const APInt &a, const APInt &b, bool isUnsigned) {
  if (b.uge(a.getBitWidth()))
    return std::nullopt;
  return isUnsigned ? a.lshr(b) : a.ashr(b);
}

static IntResult sameInt(const APInt &a, const APInt &, bool) { return a; }

#define ON_FLOATS(expression)                                                  \
  [](const APFloat &a, const APFloat &b) -> FloatResult { return expression; }
#define ON_INTS(expression)                                                    \
  [](const APInt &a, const APInt &b, bool isUnsigned) -> IntResult {           \
    return expression;                                                         \
  }

static const ValueRow kValueRows[] = {
    {Fn::add, ON_FLOATS(a + b), ON_INTS(a + b)},
    {Fn::sub, ON_FLOATS(a - b), ON_INTS(a - b)},
    {Fn::mul, ON_FLOATS(a * b), ON_INTS(a * b)},
    {Fn::div, ON_FLOATS(a / b), nullptr},
    {Fn::floor_div, nullptr, floorDiv},
    {Fn::trunc_div, nullptr, truncDiv},
    {Fn::remainder, nullptr, remainder},
    {Fn::fmod, nullptr, fmod},
    {Fn::maximum, larger, ON_INTS(lessThan(a, b, isUnsigned) ? b : a)},
    {Fn::minimum, smaller, ON_INTS(lessThan(b, a, isUnsigned) ? b : a)},
    {Fn::fmax, larger, nullptr},
    {Fn::fmin, smaller, nullptr},
    {Fn::neg, ON_FLOATS(-a), ON_INTS(-a)},
    {Fn::abs, ON_FLOATS(llvm::abs(a)),
     ON_INTS(!isUnsigned && a.isNegative() ? -a : a)},
    {Fn::sign,
     ON_FLOATS(a.isZero() ? APFloat::getZero(a.getSemantics())
                          : APFloat::getOne(a.getSemantics(), a.isNegative())),
     ON_INTS(a.isZero() ? a
             : !isUnsigned && a.isNegative()
                 ? APInt::getAllOnes(a.getBitWidth())
                 : APInt(a.getBitWidth(), 1))},
    {Fn::relu,
     ON_FLOATS(a.isZero() ? FloatResult()
               : a.isNegative()
                   ? FloatResult(APFloat::getZero(a.getSemantics()))
                   : FloatResult(a)),
     ON_INTS(!isUnsigned && a.isNegative() ? APInt(a.getBitWidth(), 0) : a)},
    {Fn::square, ON_FLOATS(a * a), ON_INTS(a * a)},
    {Fn::reciprocal, ON_FLOATS(APFloat::getOne(a.getSemantics()) / a), nullptr},
    {Fn::copysign, ON_FLOATS(APFloat::copySign(a, b)), nullptr},
    {Fn::ceil, ON_FLOATS(integral(a, APFloat::rmTowardPositive)), sameInt},
    {Fn::floor, ON_FLOATS(integral(a, APFloat::rmTowardNegative)), sameInt},
    {Fn::round, ON_FLOATS(integral(a, kNearestEven)), sameInt},
    {Fn::trunc, ON_FLOATS(integral(a, APFloat::rmTowardZero)), sameInt},
    {Fn::bitwise_not, nullptr, ON_INTS(~a)},
    {Fn::bitwise_and, nullptr, ON_INTS(a & b)},
    {Fn::bitwise_or, nullptr, ON_INTS(a | b)},
    {Fn::bitwise_xor, nullptr, ON_INTS(a ^ b)},
    {Fn::shift_left, nullptr, shiftLeft},
    {Fn::shift_right, nullptr, shiftRight},
};

static std::optional<Scalar> evaluateValue(const ValueRow &row, const Scalar &a,
                                           const Scalar &b) {
  if (!a.isFloat()) {
    if (!row.onInts)
      return std::nullopt;
    IntResult result = row.onInts(a.asInt(), b.asInt(), isUnsigned(a.type));
    return result ? std::optional(Scalar{a.type, *result}) : std::nullopt;
  }
  if (!row.onFloats || a.isNaN() || b.isNaN())
    return std::nullopt;
  // The 16-bit types compute in f32 and round once.
  auto widen = [](APFloat value) {
    bool losesInfo;
    if (&value.getSemantics() != &APFloat::IEEEdouble())
      value.convert(APFloat::IEEEsingle(), kNearestEven, &losesInfo);
    return value;
  };
  FloatResult result = row.onFloats(widen(a.asFloat()), widen(b.asFloat()));
  if (!result || result->isNaN())
    return std::nullopt;
  return Scalar{a.type, roundTo(*result, cast<FloatType>(a.type))};
}

//===----------------------------------------------------------------------===//
// Functions with a bool result
//===----------------------------------------------------------------------===//

namespace {
struct TestRow {
  Fn fn;
  bool (*test)(const Scalar &a, const Scalar &b);
};
} // namespace

static bool isLess(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? a.asFloat() < b.asFloat()
                     : lessThan(a.asInt(), b.asInt(), isUnsigned(a.type));
}

static bool isEqual(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? a.asFloat() == b.asFloat() : a.asInt() == b.asInt();
}

static bool hasSign(const Scalar &a, const Scalar &) {
  if (a.isFloat())
    return a.asFloat().isNegative();
  return !isUnsigned(a.type) && a.asInt().isNegative();
}

#define TEST(expression)                                                       \
  [](const Scalar &a, const Scalar &b) -> bool { return expression; }

static const TestRow kTestRows[] = {
    {Fn::eq, isEqual},
    {Fn::ne, TEST(!isEqual(a, b))},
    {Fn::lt, isLess},
    {Fn::le, TEST(isLess(a, b) || isEqual(a, b))},
    {Fn::gt, TEST(isLess(b, a))},
    {Fn::ge, TEST(isLess(b, a) || isEqual(a, b))},
    {Fn::isnan, TEST(a.isNaN())},
    {Fn::isinf, TEST(a.asFloat().isInfinity())},
    {Fn::isfinite, TEST(a.asFloat().isFinite())},
    {Fn::signbit, hasSign},
    {Fn::logical_not, TEST(a.isZero())},
    {Fn::logical_and, TEST(!a.isZero() && !b.isZero())},
    {Fn::logical_or, TEST(!a.isZero() || !b.isZero())},
    {Fn::logical_xor, TEST(a.isZero() != b.isZero())},
};

std::optional<Scalar> neuron::ir::evaluate(Fn fn, ArrayRef<Scalar> operands,
                                           Type result) {
  if (fn == Fn::identity)
    return convert(operands.front(), result);
  if (fn == Fn::select)
    return operands[operands[0].isZero() ? 2 : 1];
  const Scalar &a = operands.front(), &b = operands.back();
  for (const TestRow &row : kTestRows)
    if (row.fn == fn)
      return scalarOf(result, row.test(a, b));
  for (const ValueRow &row : kValueRows)
    if (row.fn == fn)
      return evaluateValue(row, a, b);
  return std::nullopt;
}

//===- ElementwiseRows.cpp - pointwise ATen overloads ---------------------===//
//
// Operands are promoted here as PyTorch promotes them, and computed where eager
// computes: a row states what sets its overload apart, see RowFlag. Which
// operations take a number in float32 and which round it to the tensor's dtype
// first was measured on eager CPU for every row
// (test/python/test_scalar_rounding.py keeps it so).
//
//===----------------------------------------------------------------------===//
#include "compiler/import/NodeBuilder.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

//===----------------------------------------------------------------------===//
// Arithmetic of two operands
//===----------------------------------------------------------------------===//

/// Bools have no arithmetic of their own: PyTorch defines these by logic.
static StringRef boolForm(StringRef op) {
  if (op == "add" || op == "maximum" || op == "fmax" || op == "bitwise_or")
    return "logical_or";
  if (op == "bitwise_xor")
    return "logical_xor";
  if (op == "mul" || op == "minimum" || op == "fmin" || op == "bitwise_and")
    return "logical_and";
  return "";
}

static Value arithmetic(NodeBuilder &n, StringRef op, DType dtype, Value lhs,
                        Value rhs) {
  if (isInteger(dtype) &&
      (op == "fmax" || op == "fmin")) // there is no NaN to ignore
    op = op == "fmax" ? "maximum" : "minimum";
  if (!isBool(dtype))
    return n.e.binary(op, lhs, rhs);
  StringRef logic = boolForm(op);
  if (logic.empty())
    n.fail("bool operands");
  return n.e.compare(logic, lhs, rhs);
}

/// Whether argument `index` takes part in float32 beside tensors of a short
/// dtype (RowFlag kWideScalar).
static bool isWideScalar(NodeBuilder &n, unsigned index, DType dtype) {
  if (!n.has(kWideScalar) || !isReduced(dtype))
    return false;
  if (n.isNumber(index))
    return !Emitter::isExact(dtype, n.number(index));
  auto type = cast<RankedTensorType>(n.tensor(index).getType());
  return type.getNumElements() == 1 && dtypeOf(type) != dtype;
}

/// op(lhs, rhs) in the result's dtype.
static void binary(NodeBuilder &n) {
  DType dtype = n.resultDType();
  if (isWideScalar(n, 1, dtype)) {
    Value wide = n.e.binary(n.row.op, n.operand(0, DType::F32),
                            n.operand(1, DType::F32));
    return n.result(n.e.cast(wide, dtype));
  }
  n.result(
      arithmetic(n, n.row.op, dtype, n.operand(0, dtype), n.operand(1, dtype)));
}

/// add, sub and rsub: the second term is multiplied by alpha.
static void addAlpha(NodeBuilder &n) {
  DType dtype = n.resultDType();
  unsigned first = n.has(kReversed) ? 1 : 0, second = 1 - first;
  bool scaled = n.numArgs() > 2 && n.isNumber(2) && n.real(2) != 1;
  Value lhs = n.operand(first, dtype), rhs = n.operand(second, dtype);
  if (!scaled)
    return n.result(arithmetic(n, n.row.op, dtype, lhs, rhs));
  if (isBool(dtype)) {
    Value factor = n.e.constant(dtype, n.number(2));
    return n.result(arithmetic(n, n.row.op, dtype, lhs,
                               n.e.compare("logical_and", rhs, factor)));
  }
  // alpha is rounded to the dtype; the product is not.
  DType wide = opmath(dtype);
  Value factor = n.e.constant(wide, Emitter::rounded(dtype, n.number(2)));
  Value product = n.e.binary("mul", n.e.cast(rhs, wide), factor);
  n.result(n.e.cast(n.e.binary(n.row.op, n.e.cast(lhs, wide), product), dtype));
}

/// div with rounding_mode None, "floor" or "trunc".
static void divMode(NodeBuilder &n) {
  DType dtype = n.resultDType();
  StringRef op = "div";
  if (!n.isNone(2))
    op = n.string(2) == "floor" ? "floor_div" : "trunc_div";
  if (isBool(dtype))
    return n.fail("bool operands");
  if (isWideScalar(n, 1, dtype))
    return n.result(n.e.cast(
        n.e.binary(op, n.operand(0, DType::F32), n.operand(1, DType::F32)),
        dtype));
  // Eager truncates the rounded quotient of two tensors, but divides by one
  // number in float32.
  bool byNumber =
      n.isNumber(1) ||
      cast<RankedTensorType>(n.tensor(1).getType()).getNumElements() == 1;
  if (op == "trunc_div" && isReduced(dtype) && !byNumber)
    return n.result(n.e.unary(
        "trunc", n.e.binary("div", n.operand(0, dtype), n.operand(1, dtype))));
  n.result(n.e.binary(op, n.operand(0, dtype), n.operand(1, dtype)));
}

/// tensor ** number. Eager has special cases; bfloat16 and float16 differ in
/// where they round.
static void powScalar(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.operand(0, dtype);
  double exponent = n.real(1);
  Emitter &e = n.e;
  if (isBool(dtype))
    return n.fail("bool operands");
  if (exponent == 1)
    return n.result(x);
  if (exponent == 0)
    return n.result(e.constant(dtype, 1.0, Emitter::shapeOf(x)));
  if (exponent == 2)
    return n.result(e.unary("square", x));
  if (isInteger(dtype)) {
    if (exponent < 0)
      return n.fail("Integers to negative integer powers are not allowed");
    return n.result(e.binary("pow", x, e.constant(dtype, n.number(1))));
  }
  // float16 is computed in float32 throughout, bfloat16 rounds each product.
  DType wide = dtype == DType::F16 ? DType::F32 : dtype;
  if (exponent == 3) {
    Value y = e.cast(x, wide);
    return n.result(e.cast(e.binary("mul", e.unary("square", y), y), dtype));
  }
  if (exponent == -2)
    return n.result(e.cast(
        e.unary("reciprocal", e.unary("square", e.cast(x, wide))), dtype));
  if (exponent == 0.5)
    return n.result(e.unary("sqrt", x));
  if (exponent == -0.5)
    return n.result(e.unary("rsqrt", x));
  if (exponent == -1)
    return n.result(e.unary("reciprocal", x));
  n.result(e.binary("pow", x, e.constant(dtype, n.number(1))));
}

/// The next float16 or bfloat16 of `a` toward `b` is what a +- a little more
/// than half a unit in the last place is rounded to; below the smallest normal
/// number the unit is the smallest number. With p bits of a significand,
/// |a| * 2^-p * (1 + 2^-(p-1)) is such a step for every a: more than half a
/// unit, even where the units below are half as large, and less than 1.5.
static Value nextHalf(Emitter &e, DType dtype, Value a, Value b) {
  bool isBF16 = dtype == DType::BF16;
  int bits = isBF16 ? 8 : 11;
  double least = std::ldexp(1.0, isBF16 ? -133 : -24);
  double most = isBF16 ? std::ldexp(255.0, 120) : 65504.0;
  double share = std::ldexp(1 + std::ldexp(1.0, 1 - bits), -bits);
  auto number = [&](double value) { return e.constant(DType::F32, value); };
  Value size = e.unary("abs", a);
  Value step =
      e.binary("maximum", e.binary("mul", size, number(share)), number(least));
  Value next = e.select(e.compare("gt", b, a), e.binary("add", a, step),
                        e.binary("sub", a, step));
  next = e.cast(e.cast(next, dtype), DType::F32);
  // A step to zero keeps the sign; infinity's neighbour is the largest number.
  next = e.select(e.compare("eq", next, number(0)),
                  e.binary("mul", a, number(0)), next);
  Value limit =
      e.select(e.compare("gt", a, number(0)), number(most), number(-most));
  next = e.select(
      e.compare("eq", size, number(std::numeric_limits<double>::infinity())),
      limit, next);
  Value isNan = e.compare("ne", b, b);
  Value stays = e.compare("logical_or", e.compare("eq", a, b), isNan);
  return e.cast(e.select(stays, b, next), dtype);
}

static void nextafter(NodeBuilder &n) {
  DType dtype = n.resultDType();
  if (!isReduced(dtype))
    return binary(n);
  auto operand = [&](unsigned i) {
    return n.e.cast(n.operand(i, dtype), DType::F32);
  };
  n.result(nextHalf(n.e, dtype, operand(0), operand(1)));
}

/// number ** tensor and tensor ** tensor.
static void pow(NodeBuilder &n) {
  DType dtype = n.resultDType();
  if (isBool(dtype))
    return n.fail("bool operands");
  n.result(n.e.binary("pow", n.operand(0, dtype), n.operand(1, dtype)));
}

/// x * 2 ** other, where the power has the dtype that PyTorch gives it.
static void ldexp(NodeBuilder &n) {
  Value other = n.tensor(1);
  Promotion promotion;
  promotion.addNumber(DType::F32);
  promotion.addTensor(dtypeOf(other.getType()), Emitter::rankOf(other) == 0);
  DType dtype = promotion.result(), result = n.resultDType();
  Value power =
      n.e.binary("pow", n.e.constant(dtype, 2.0), n.e.cast(other, dtype));
  n.result(n.e.binary("mul", n.operand(0, result), n.e.cast(power, result)));
}

//===----------------------------------------------------------------------===//
// Comparison and logic
//===----------------------------------------------------------------------===//

static void compare(NodeBuilder &n) {
  DType dtype = n.promoted({0, 1});
  n.result(n.e.compare(n.row.op, n.operand(0, dtype), n.operand(1, dtype)));
}

/// logical_and, or, xor: operands of one dtype are taken as they are, others
/// are made bools first. A number takes the tensor's dtype before: it may be
/// zero in that (256 in int8).
static void logical(NodeBuilder &n) {
  Value lhs = n.tensor(0), rhs = n.tensor(1);
  if (lhs.getType() != rhs.getType() &&
      dtypeOf(lhs.getType()) != dtypeOf(rhs.getType())) {
    DType promoted = n.promoted({0, 1});
    for (Value *operand : {&lhs, &rhs}) {
      if (Emitter::shapeOf(*operand).empty())
        *operand = n.e.cast(*operand, promoted);
      *operand = n.e.cast(*operand, DType::Bool);
    }
  }
  n.result(n.e.compare(n.row.op, lhs, rhs));
}

static void test(NodeBuilder &n) { n.result(n.e.test(n.row.op, n.tensor(0))); }

/// isnan, isinf, isfinite, signbit: of types that cannot be so, a constant.
static void floatTest(NodeBuilder &n) {
  Value x = n.tensor(0);
  DType dtype = dtypeOf(x.getType());
  if (isFloating(dtype) || (n.row.op == "signbit" && isInteger(dtype)))
    return n.result(n.e.test(n.row.op, x));
  n.result(
      n.e.constant(DType::Bool, n.row.op == "isfinite", Emitter::shapeOf(x)));
}

static void where(NodeBuilder &n) {
  DType dtype = n.resultDType();
  n.result(n.e.select(n.e.cast(n.tensor(0), DType::Bool), n.operand(1, dtype),
                      n.operand(2, dtype)));
}

/// Of 0.0 and -0.0 eager takes the left operand, in bfloat16 the right one.
static void fmaxFmin(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value lhs = n.operand(0, dtype), rhs = n.operand(1, dtype);
  if (dtype == DType::BF16)
    std::swap(lhs, rhs);
  n.result(arithmetic(n, n.row.op, dtype, lhs, rhs));
}

static void maskedFill(NodeBuilder &n) {
  DType dtype = n.resultDType();
  n.result(n.e.select(n.e.cast(n.tensor(1), DType::Bool), n.operand(2, dtype),
                      n.operand(0, dtype)));
}

/// clamp(x, min, max), numbers or tensors; NaN wins, and the upper bound wins
/// over the lower one. A zero keeps its sign: of equal zeros maximum and
/// minimum take the left one.
static void clamp(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value value = n.operand(0, dtype);
  if (!n.isNone(1))
    value = arithmetic(n, "maximum", dtype, value, n.operand(1, dtype));
  if (!n.isNone(2))
    value = arithmetic(n, "minimum", dtype, value, n.operand(2, dtype));
  n.result(value);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// A floating function; integers are converted to the default dtype, which is
/// the result's.
static void floatUnary(NodeBuilder &n) {
  n.result(n.e.unary(n.row.op, n.operand(0, n.resultDType())));
}

/// A function of numbers; bools are refused by PyTorch or stay as they are.
static void numberUnary(NodeBuilder &n) {
  Value x = n.tensor(0);
  if (isBool(dtypeOf(x.getType()))) {
    if (n.row.op != "abs" && n.row.op != "sign")
      return n.fail("bool operand");
    return n.result(x);
  }
  if (n.row.op == "abs" && isFloat8(dtypeOf(x.getType()))) {
    // Eager negates what is less than zero: -0.0 and a NaN's sign stay.
    Value isLess = n.e.compare("lt", x, n.e.constant(DType::F32, 0.0));
    return n.result(n.e.select(isLess, n.e.unary("neg", x), x));
  }
  n.result(n.e.unary(n.row.op, x));
}

/// ceil, floor, round, trunc: integers stay as they are.
static void roundUnary(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(isFloating(dtypeOf(x.getType())) ? n.e.unary(n.row.op, x) : x);
}

static void roundDecimals(NodeBuilder &n) {
  Value x = n.tensor(0);
  DType dtype = dtypeOf(x.getType());
  int64_t decimals = n.integer(1);
  if (decimals == 0 || !isFloating(dtype))
    return n.result(isFloating(dtype) ? n.e.unary("round", x) : x);
  double power = 1;
  for (int64_t i = 0; i < std::min<int64_t>(std::abs(decimals), 400); ++i)
    power *= 10;
  DType wide = opmath(dtype);
  Value factor = n.e.constant(wide, power);
  StringRef before = decimals > 0 ? "mul" : "div",
            after = decimals > 0 ? "div" : "mul";
  Value scaled =
      n.e.unary("round", n.e.binary(before, n.e.cast(x, wide), factor));
  n.result(n.e.cast(n.e.binary(after, scaled, factor), dtype));
}

/// The angle of a real number: pi of a negative one, else 0.
static void angle(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.operand(0, dtype), zero = n.e.constant(dtype, 0.0);
  Value real = n.e.select(n.e.compare("lt", x, zero),
                          n.e.constant(dtype, std::acos(-1.0)), zero);
  n.result(n.e.select(n.e.test("isnan", x), x, real));
}

static void bitwiseNot(NodeBuilder &n) {
  Value x = n.tensor(0);
  if (isBool(dtypeOf(x.getType())))
    return n.result(n.e.test("logical_not", x));
  n.result(n.e.unary("bitwise_not", x));
}

static void square(NodeBuilder &n) {
  Value x = n.operand(0, n.resultDType());
  if (isBool(n.resultDType()))
    return n.fail("bool operand");
  n.result(n.e.unary("square", x));
}

//===----------------------------------------------------------------------===//
// Fused arithmetic: one rounding at the end, numbers in float32
//===----------------------------------------------------------------------===//

/// self + (value * t1) * t2, or / t2 (addcdiv).
static void addcmul(NodeBuilder &n) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  Emitter &e = n.e;
  Value first = n.operand(1, wide), second = n.operand(2, wide);
  if (n.isNumber(3) && n.real(3) != 1)
    first = e.binary("mul", e.constant(wide, n.number(3)), first);
  Value term = e.binary(n.has(kSecond) ? "div" : "mul", first, second);
  n.result(e.cast(e.binary("add", n.operand(0, wide), term), dtype));
}

/// start + weight * (end - start), from the nearer end.
static void lerp(NodeBuilder &n) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  Emitter &e = n.e;
  Value start = n.operand(0, wide), end = n.operand(1, wide);
  Value difference = e.binary("sub", end, start);
  Value one = e.constant(wide, 1.0);
  auto fromStart = [&](Value weight) {
    return e.binary("add", start, e.binary("mul", weight, difference));
  };
  auto fromEnd = [&](Value weight) {
    return e.binary("sub", end,
                    e.binary("mul", difference, e.binary("sub", one, weight)));
  };
  Value weight = n.operand(2, wide);
  Value result;
  if (n.isNumber(2))
    result = std::abs(n.real(2)) < 0.5 ? fromStart(weight) : fromEnd(weight);
  else
    result =
        e.select(e.compare("lt", e.unary("abs", weight), e.constant(wide, 0.5)),
                 fromStart(weight), fromEnd(weight));
  n.result(e.cast(result, dtype));
}

/// x > 0 ? x : x * slope
static void leakyRelu(NodeBuilder &n) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  Emitter &e = n.e;
  Value x = n.operand(0, wide);
  Value negative = e.binary("mul", x, e.constant(wide, n.number(1)));
  n.result(e.cast(
      e.select(e.compare("gt", x, e.constant(wide, 0.0)), x, negative), dtype));
}

/// elu(x, alpha, scale, input_scale): x <= 0 ? expm1(x * input_scale) * alpha *
/// scale : x * scale
static void elu(NodeBuilder &n) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  Emitter &e = n.e;
  Value x = n.operand(0, wide);
  auto scaled = [&](Value value, double factor) {
    return factor == 1 ? value
                       : e.binary("mul", value, e.constant(wide, factor));
  };
  double alpha = n.real(1), scale = n.real(2), inputScale = n.real(3);
  // The product of the two coefficients is rounded before it is used, as in
  // eager.
  double coefficient = wide == DType::F64
                           ? alpha * scale
                           : double(float(float(alpha) * float(scale)));
  Value negative = scaled(e.unary("expm1", scaled(x, inputScale)), coefficient);
  n.result(e.cast(e.select(e.compare("lt", x, e.constant(wide, 0.0)), negative,
                           scaled(x, scale)),
                  dtype));
}

/// x <= threshold ? value : x
static void threshold(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.operand(0, dtype);
  Value below = n.e.compare("le", x, n.operand(1, dtype));
  n.result(n.e.select(below, n.operand(2, dtype), x));
}

static void relu6(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.operand(0, dtype);
  n.result(n.e.binary("minimum",
                      n.e.binary("maximum", x, n.e.constant(dtype, 0.0)),
                      n.e.constant(dtype, 6.0)));
}

static void clampMin(NodeBuilder &n) {
  DType dtype = n.resultDType();
  n.result(
      arithmetic(n, n.row.op, dtype, n.operand(0, dtype), n.operand(1, dtype)));
}

static const AtenRow kRows[] = {
    // Arithmetic
    {"aten.add.Tensor", addAlpha, "add"},
    {"aten.add.Scalar", addAlpha, "add"},
    {"aten.sub.Tensor", addAlpha, "sub"},
    {"aten.sub.Scalar", addAlpha, "sub"},
    {"aten.rsub.Tensor", addAlpha, "sub", kReversed},
    {"aten.rsub.Scalar", addAlpha, "sub", kReversed},
    {"aten.mul.Tensor", binary, "mul", kWideScalar},
    {"aten.mul.Scalar", binary, "mul", kWideScalar},
    {"aten.div.Tensor", binary, "div", kWideScalar},
    {"aten.div.Scalar", binary, "div", kWideScalar},
    {"aten.div.Tensor_mode", divMode, "div", kWideScalar},
    {"aten.div.Scalar_mode", divMode, "div", kWideScalar},
    {"aten.true_divide.Tensor", binary, "div", kWideScalar},
    {"aten.floor_divide.default", binary, "floor_div", kWideScalar},
    {"aten.floor_divide.Scalar", binary, "floor_div", kWideScalar},
    {"aten.remainder.Tensor", binary, "remainder"},
    {"aten.remainder.Scalar", binary, "remainder"},
    {"aten.remainder.Scalar_Tensor", binary, "remainder"},
    {"aten.fmod.Tensor", binary, "fmod"},
    {"aten.fmod.Scalar", binary, "fmod"},
    {"aten.pow.Tensor_Scalar", powScalar, "pow"},
    {"aten.pow.Tensor_Tensor", pow, "pow"},
    {"aten.pow.Scalar", pow, "pow"},
    {"aten.ldexp.Tensor", ldexp, "mul"},
    {"aten.maximum.default", binary, "maximum"},
    {"aten.minimum.default", binary, "minimum"},
    {"aten.max.other", binary, "maximum"},
    {"aten.min.other", binary, "minimum"},
    {"aten.fmax.default", fmaxFmin, "fmax"},
    {"aten.fmin.default", fmaxFmin, "fmin"},
    {"aten.clamp_min.default", clampMin, "maximum"},
    {"aten.clamp_min.Tensor", clampMin, "maximum"},
    {"aten.clamp_max.default", clampMin, "minimum"},
    {"aten.clamp_max.Tensor", clampMin, "minimum"},
    {"aten.clamp.default", clamp},
    {"aten.clamp.Tensor", clamp},
    {"aten.copysign.Tensor", binary, "copysign"},
    {"aten.copysign.Scalar", binary, "copysign"},
    {"aten.nextafter.default", nextafter, "nextafter"},
    {"aten.hypot.default", binary, "hypot"},
    {"aten.atan2.default", binary, "atan2"},
    {"aten.arctan2.default", binary, "atan2"},
    {"aten.gcd.default", binary, "gcd"},
    {"aten.lcm.default", binary, "lcm"},
    {"aten.addcmul.default", addcmul, "mul"},
    {"aten.addcdiv.default", addcmul, "div", kSecond},
    {"aten.lerp.Scalar", lerp},
    {"aten.lerp.Tensor", lerp},
    // Comparison, logic, bits
    {"aten.eq.Tensor", compare, "eq"},
    {"aten.eq.Scalar", compare, "eq"},
    {"aten.ne.Tensor", compare, "ne"},
    {"aten.ne.Scalar", compare, "ne"},
    {"aten.lt.Tensor", compare, "lt"},
    {"aten.lt.Scalar", compare, "lt"},
    {"aten.le.Tensor", compare, "le"},
    {"aten.le.Scalar", compare, "le"},
    {"aten.gt.Tensor", compare, "gt"},
    {"aten.gt.Scalar", compare, "gt"},
    {"aten.ge.Tensor", compare, "ge"},
    {"aten.ge.Scalar", compare, "ge"},
    {"aten.logical_and.default", logical, "logical_and"},
    {"aten.logical_or.default", logical, "logical_or"},
    {"aten.logical_xor.default", logical, "logical_xor"},
    {"aten.logical_not.default", test, "logical_not"},
    {"aten.isnan.default", floatTest, "isnan"},
    {"aten.isinf.default", floatTest, "isinf"},
    {"aten.isfinite.default", floatTest, "isfinite"},
    {"aten.signbit.default", floatTest, "signbit"},
    {"aten.bitwise_not.default", bitwiseNot, "bitwise_not"},
    {"aten.bitwise_and.Tensor", binary, "bitwise_and"},
    {"aten.bitwise_and.Scalar", binary, "bitwise_and"},
    {"aten.bitwise_and.Scalar_Tensor", binary, "bitwise_and"},
    {"aten.bitwise_or.Tensor", binary, "bitwise_or"},
    {"aten.bitwise_or.Scalar", binary, "bitwise_or"},
    {"aten.bitwise_or.Scalar_Tensor", binary, "bitwise_or"},
    {"aten.bitwise_xor.Tensor", binary, "bitwise_xor"},
    {"aten.bitwise_xor.Scalar", binary, "bitwise_xor"},
    {"aten.bitwise_xor.Scalar_Tensor", binary, "bitwise_xor"},
    {"aten.bitwise_left_shift.Tensor", binary, "shift_left"},
    {"aten.bitwise_left_shift.Tensor_Scalar", binary, "shift_left"},
    {"aten.bitwise_left_shift.Scalar_Tensor", binary, "shift_left"},
    {"aten.bitwise_right_shift.Tensor", binary, "shift_right"},
    {"aten.bitwise_right_shift.Tensor_Scalar", binary, "shift_right"},
    {"aten.bitwise_right_shift.Scalar_Tensor", binary, "shift_right"},
    {"aten.__lshift__.Tensor", binary, "shift_left"},
    {"aten.__lshift__.Scalar", binary, "shift_left"},
    {"aten.__rshift__.Tensor", binary, "shift_right"},
    {"aten.__rshift__.Scalar", binary, "shift_right"},
    {"aten.where.self", where, "select"},
    {"aten.masked_fill.Scalar", maskedFill, "select"},
    {"aten.masked_fill.Tensor", maskedFill, "select"},
    // One operand
    {"aten.neg.default", numberUnary, "neg"},
    {"aten.abs.default", numberUnary, "abs"},
    {"aten.sign.default", numberUnary, "sign"},
    {"aten.sgn.default", numberUnary, "sign"},
    {"aten.relu.default", numberUnary, "relu"},
    {"aten.angle.default", angle},
    {"aten.square.default", square, "square"},
    {"aten.reciprocal.default", floatUnary, "reciprocal"},
    {"aten.sqrt.default", floatUnary, "sqrt"},
    {"aten.rsqrt.default", floatUnary, "rsqrt"},
    {"aten.ceil.default", roundUnary, "ceil"},
    {"aten.floor.default", roundUnary, "floor"},
    {"aten.round.default", roundUnary, "round"},
    {"aten.round.decimals", roundDecimals, "round"},
    {"aten.trunc.default", roundUnary, "trunc"},
    {"aten.exp.default", floatUnary, "exp"},
    {"aten.exp2.default", floatUnary, "exp2"},
    {"aten.expm1.default", floatUnary, "expm1"},
    {"aten.log.default", floatUnary, "log"},
    {"aten.log2.default", floatUnary, "log2"},
    {"aten.log10.default", floatUnary, "log10"},
    {"aten.log1p.default", floatUnary, "log1p"},
    {"aten.sin.default", floatUnary, "sin"},
    {"aten.cos.default", floatUnary, "cos"},
    {"aten.tan.default", floatUnary, "tan"},
    {"aten.asin.default", floatUnary, "asin"},
    {"aten.acos.default", floatUnary, "acos"},
    {"aten.atan.default", floatUnary, "atan"},
    {"aten.sinh.default", floatUnary, "sinh"},
    {"aten.cosh.default", floatUnary, "cosh"},
    {"aten.tanh.default", floatUnary, "tanh"},
    {"aten.asinh.default", floatUnary, "asinh"},
    {"aten.acosh.default", floatUnary, "acosh"},
    {"aten.atanh.default", floatUnary, "atanh"},
    {"aten.erf.default", floatUnary, "erf"},
    {"aten.erfc.default", floatUnary, "erfc"},
    {"aten.erfinv.default", floatUnary, "erfinv"},
    {"aten.lgamma.default", floatUnary, "lgamma"},
    {"aten.digamma.default", floatUnary, "digamma"},
    {"aten.sigmoid.default", floatUnary, "sigmoid"},
    // Activations
    {"aten.silu.default", floatUnary, "silu"},
    {"aten.leaky_relu.default", leakyRelu},
    {"aten.elu.default", elu},
    {"aten.threshold.default", threshold},
    {"aten.hardtanh.default", clamp},
    {"aten.relu6.default", relu6},
};

ArrayRef<AtenRow> import::elementwiseRows() { return kRows; }

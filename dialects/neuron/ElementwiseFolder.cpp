//===- ElementwiseFolder.cpp - folding of elementwise operations ----------===//
//
// Identities are rows of tables: which function, for which element types
// (F floats, I integers, B bools), and what it folds to. A row holds for every
// value of those types, NaN, infinities and -0.0 included: x + 0.0 is no
// identity (-0.0 + 0.0 is 0.0), x + -0.0 is one.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Folders.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"

using namespace mlir;
using namespace neuron::ir;
using neuron::program::Fn;

static constexpr uint8_t F = neuron::program::fn_table::F;
static constexpr uint8_t I = neuron::program::fn_table::I;
static constexpr uint8_t B = neuron::program::fn_table::B;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
enum class Number { Zero, MinusZero, One, AllOnes, NotZero };

/// fn(x, number) is x.
struct NeutralRow {
  Fn fn;
  uint8_t domains;
  Number number;
};

/// fn(x, number) is a constant.
struct AbsorbingRow {
  Fn fn;
  uint8_t domains;
  Number number;
  int result;
};

/// fn(x, x) is x or a constant.
enum class Same { Operand, Zero, One };
struct SameOperandsRow {
  Fn fn;
  uint8_t domains;
  Same result;
};

/// fn(fn(x)) is x.
struct InvolutionRow {
  Fn fn;
  uint8_t domains;
};

/// outer(inner(x)) is inner(x).
struct IdempotentRow {
  Fn outer;
  std::initializer_list<Fn> inner;
};
} // namespace

static const NeutralRow kNeutral[] = {
    {Fn::add, F, Number::MinusZero},
    {Fn::add, I, Number::Zero},
    {Fn::sub, F | I, Number::Zero},
    {Fn::mul, F | I, Number::One},
    {Fn::div, F, Number::One},
    {Fn::floor_div, I, Number::One},
    {Fn::trunc_div, I, Number::One},
    {Fn::pow, F | I, Number::One},
    {Fn::bitwise_and, I | B, Number::AllOnes},
    {Fn::bitwise_or, I | B, Number::Zero},
    {Fn::bitwise_xor, I | B, Number::Zero},
    {Fn::shift_left, I, Number::Zero},
    {Fn::shift_right, I, Number::Zero},
    {Fn::logical_and, B, Number::NotZero},
    {Fn::logical_or, B, Number::Zero},
    {Fn::logical_xor, B, Number::Zero},
    {Fn::eq, B, Number::NotZero},
    {Fn::ne, B, Number::Zero},
};

static const AbsorbingRow kAbsorbing[] = {
    {Fn::mul, I, Number::Zero, 0},
    {Fn::pow, F | I, Number::Zero, 1}, // NaN to the power of 0 as well
    {Fn::remainder, I, Number::One, 0},
    {Fn::fmod, I, Number::One, 0},
    {Fn::bitwise_and, I | B, Number::Zero, 0},
    {Fn::bitwise_or, I | B, Number::AllOnes, -1},
    {Fn::logical_and, F | I | B, Number::Zero, 0},
    {Fn::logical_or, F | I | B, Number::NotZero, 1},
};

static const SameOperandsRow kSameOperands[] = {
    {Fn::sub, I, Same::Zero},
    {Fn::maximum, F | I, Same::Operand},
    {Fn::minimum, F | I, Same::Operand},
    {Fn::fmax, F, Same::Operand},
    {Fn::fmin, F, Same::Operand},
    {Fn::bitwise_and, I | B, Same::Operand},
    {Fn::bitwise_or, I | B, Same::Operand},
    {Fn::bitwise_xor, I | B, Same::Zero},
    {Fn::logical_and, B, Same::Operand},
    {Fn::logical_or, B, Same::Operand},
    {Fn::logical_xor, F | I | B, Same::Zero},
    {Fn::eq, I | B, Same::One},
    {Fn::le, I | B, Same::One},
    {Fn::ge, I | B, Same::One},
    {Fn::ne, I | B, Same::Zero},
    {Fn::lt, F | I | B, Same::Zero},
    {Fn::gt, F | I | B, Same::Zero},
};

static const InvolutionRow kInvolutions[] = {
    {Fn::neg, F | I}, {Fn::bitwise_not, I | B}, {Fn::logical_not, B}};

static const IdempotentRow kIdempotent[] = {
    {Fn::abs, {Fn::abs}},
    {Fn::relu, {Fn::relu}},
    {Fn::sign, {Fn::sign}},
    {Fn::ceil, {Fn::ceil, Fn::floor, Fn::round, Fn::trunc}},
    {Fn::floor, {Fn::ceil, Fn::floor, Fn::round, Fn::trunc}},
    {Fn::round, {Fn::ceil, Fn::floor, Fn::round, Fn::trunc}},
    {Fn::trunc, {Fn::ceil, Fn::floor, Fn::round, Fn::trunc}},
};

/// fn(x) is x for integers; for unsigned ones only.
static const Fn kIntegerIdentities[] = {Fn::ceil, Fn::floor, Fn::round,
                                        Fn::trunc};
static const Fn kUnsignedIdentities[] = {Fn::abs, Fn::relu};

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static bool matches(const Scalar &scalar, Number number) {
  switch (number) {
  case Number::Zero:
    return scalar.isZero() &&
           !(scalar.isFloat() && scalar.asFloat().isNegative());
  case Number::MinusZero:
    return scalar.isFloat() && scalar.asFloat().isNegZero();
  case Number::One:
    return scalar.isFloat() ? scalar.asFloat().isExactlyValue(1.0)
                            : scalar.asInt().isOne();
  case Number::AllOnes:
    return !scalar.isFloat() && scalar.asInt().isAllOnes();
  case Number::NotZero:
    return !scalar.isZero();
  }
  return false;
}

static DenseElementsAttr splatConstant(Type type, int64_t value) {
  auto tensor = cast<RankedTensorType>(type);
  return constantOf(tensor, scalarOf(tensor.getElementType(), value));
}

/// The operand, if it can stand for the result.
static OpFoldResult forward(Value operand, Operation *op) {
  if (operand.getType() != op->getResult(0).getType())
    return {};
  return operand;
}

static OpFoldResult foldUnary(Operation *op, Fn fn) {
  Value x = op->getOperand(0);
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  if (fn == Fn::identity)
    return forward(x, op);
  if (isa<IntegerType>(element)) {
    if (llvm::is_contained(kIntegerIdentities, fn))
      return forward(x, op);
    if (element.isUnsignedInteger() &&
        llvm::is_contained(kUnsignedIdentities, fn))
      return forward(x, op);
    if (element.isUnsignedInteger() && fn == Fn::signbit)
      return splatConstant(op->getResult(0).getType(), 0);
  }
  auto inner = x.getDefiningOp<ElementwiseOpInterface>();
  if (!inner)
    return {};
  for (const InvolutionRow &row : kInvolutions)
    if (row.fn == fn && inner.getFn() == fn &&
        (row.domains & domainOf(element)))
      return forward(inner->getOperand(0), op);
  for (const IdempotentRow &row : kIdempotent)
    if (row.outer == fn && llvm::is_contained(row.inner, inner.getFn()))
      return forward(x, op);
  return {};
}

static OpFoldResult foldBinary(Operation *op, Fn fn, Attribute rhs) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  Type result = op->getResult(0).getType();
  uint8_t domain =
      domainOf(cast<RankedTensorType>(a.getType()).getElementType());
  if (a == b)
    for (const SameOperandsRow &row : kSameOperands)
      if (row.fn == fn && (row.domains & domain)) {
        if (row.result == Same::Operand)
          return forward(a, op);
        return splatConstant(result, row.result == Same::One);
      }
  std::optional<Scalar> number = splatOf(rhs);
  if (!number)
    return {};
  for (const NeutralRow &row : kNeutral)
    if (row.fn == fn && (row.domains & domain) && matches(*number, row.number))
      if (OpFoldResult folded = forward(a, op))
        return folded;
  for (const AbsorbingRow &row : kAbsorbing)
    if (row.fn == fn && (row.domains & domain) && matches(*number, row.number))
      return splatConstant(result, row.result);
  return {};
}

static OpFoldResult foldSelect(Operation *op, ArrayRef<Attribute> operands) {
  Value onTrue = op->getOperand(1), onFalse = op->getOperand(2);
  if (onTrue == onFalse)
    return forward(onTrue, op);
  if (std::optional<Scalar> condition = splatOf(operands[0]))
    return forward(condition->isZero() ? onFalse : onTrue, op);
  // A choice between true and false is the condition.
  std::optional<Scalar> yes = splatOf(operands[1]), no = splatOf(operands[2]);
  if (yes && no && yes->type.isInteger(1) && !yes->isZero() && no->isZero())
    return forward(op->getOperand(0), op);
  return {};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// Walks the elements of a constant operand in the order of the result.
class BroadcastReader {
public:
  BroadcastReader(DenseElementsAttr attr, ArrayRef<int64_t> result)
      : scalars(scalarsOf(attr)), sizes(result) {
    ArrayRef<int64_t> shape = attr.getType().getShape();
    strides.assign(result.size(), 0);
    int64_t stride = 1;
    for (size_t i = shape.size(), d = result.size(); i-- > 0;) {
      --d;
      strides[d] = shape[i] == 1 || attr.isSplat() ? 0 : stride;
      stride *= shape[i];
    }
  }

  const Scalar &at(int64_t linear) const {
    int64_t offset = 0;
    for (size_t d = sizes.size(); d-- > 0; linear /= sizes[d])
      offset += linear % sizes[d] * strides[d];
    return scalars[offset];
  }

private:
  SmallVector<Scalar> scalars;
  ArrayRef<int64_t> sizes; // of the type, which the context owns
  Shape strides;
};
} // namespace

static OpFoldResult foldConstants(Operation *op, Fn fn,
                                  ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool areSplats = true;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!elements || elements.empty())
      return {};
    areSplats &= elements.isSplat();
  }
  int64_t count = areSplats ? 1 : type.getNumElements();
  if (count == 0 || count > kMaxFoldedElements)
    return {};
  SmallVector<BroadcastReader> readers;
  for (Attribute operand : operands)
    readers.emplace_back(cast<DenseElementsAttr>(operand), type.getShape());
  SmallVector<Scalar> results, arguments;
  for (int64_t i = 0; i < count; ++i) {
    arguments.clear();
    for (const BroadcastReader &reader : readers)
      arguments.push_back(reader.at(i));
    std::optional<Scalar> result =
        evaluate(fn, arguments, type.getElementType());
    if (!result)
      return {};
    results.push_back(*result);
  }
  return constantOf(type, results);
}

OpFoldResult neuron::ir::foldElementwise(Operation *op,
                                         ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getNumElements() == 0)
    return constantOf(type, {});
  Fn fn = cast<ElementwiseOpInterface>(op).getFn();
  OpFoldResult folded;
  if (fn == Fn::select)
    folded = foldSelect(op, operands);
  else if (operands.size() == 1)
    folded = foldUnary(op, fn);
  else
    folded = foldBinary(op, fn, operands[1]);
  return folded ? folded : foldConstants(op, fn, operands);
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  Value source = getInput();
  while (auto inner = source.getDefiningOp<BitcastOp>())
    source = inner.getInput();
  if (source.getType() == getType())
    return source;
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return elements.bitcast(getType().getElementType());
  return {};
}

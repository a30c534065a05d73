//===- DeadColumns.cpp - columns that a causal mask takes out -------------===//
//
// The last two dimensions of every value are the matrix's rows and columns. A
// region of it is given by `reach`: the elements whose column is greater than
// their row plus `reach`. The comparisons of indices name the regions; whether
// one is dead is found by computing with the constants that values have in it.
//
// Two rules look at the whole row. Minus infinity less the row's maximum stays
// minus infinity, and zero over the sum of its exponentials stays zero, unless
// the row has no finite maximum; then the columns that are seen make the row
// NaN as well, and some are seen, because `reach` is not negative.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/DeadColumns.h"
#include "dialects/neuron/ConstantMath.h"
#include <set>

using namespace mlir;
using namespace neuron;
using namespace neuron::ir;
using namespace neuron::lowering;
using program::Fn;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Aligned at the right, 1 where the value has no such dimension.
int64_t sizeFromRight(Value value, unsigned dim) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return dim < shape.size() ? shape[shape.size() - 1 - dim] : 1;
}

/// What a value of a kernel is: through its boundary, or that of the kernel
/// that made its operand.
Value resolved(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // None, of the function's: its body stands alone while it is lowered.
      auto kernel =
          dyn_cast_or_null<KernelOp>(argument.getOwner()->getParentOp());
      if (!kernel)
        return value;
      value = kernel.getInputs()[argument.getArgNumber()];
      continue;
    }
    auto result = cast<OpResult>(value);
    auto kernel = dyn_cast<KernelOp>(result.getOwner());
    if (!kernel)
      return value;
    auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
    Value inner = yield.getValues()[result.getResultNumber()];
    if (typeOf(inner) != typeOf(value))
      return value;
    value = inner;
  }
}

/// row * i + column * j + constant, in exact integers.
struct Affine {
  int64_t row = 0, column = 0, constant = 0;
};

std::optional<Affine> affineOf(Value value) {
  value = resolved(value);
  Operation *op = value.getDefiningOp();
  if (!op || !typeOf(value).getElementType().isSignlessInteger(64))
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    std::optional<Scalar> splat = splatOf(constant.getValue());
    if (!splat)
      return std::nullopt;
    return Affine{0, 0, splat->asInt().getSExtValue()};
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    auto start = dyn_cast<IntegerAttr>(iota.getStart()),
         step = dyn_cast<IntegerAttr>(iota.getStep());
    int64_t fromRight = typeOf(value).getRank() - 1 - int64_t(iota.getDim());
    if (!start || !step || fromRight > 1)
      return std::nullopt;
    Affine result{0, 0, start.getInt()};
    (fromRight ? result.row : result.column) = step.getInt();
    return result;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    // Of a vector, that counts along one dimension before and after.
    std::optional<Affine> inner = affineOf(reshape.getInput());
    int64_t count = typeOf(value).getNumElements();
    auto along = [&](Value of) {
      return sizeFromRight(of, 0) == count   ? 0
             : sizeFromRight(of, 1) == count ? 1
                                             : -1;
    };
    int from = along(reshape.getInput()), to = along(value);
    if (!inner || from < 0 || to < 0)
      return std::nullopt;
    int64_t step = from ? inner->row : inner->column;
    return to ? Affine{step, 0, inner->constant}
              : Affine{0, step, inner->constant};
  }
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  if (!elementwise || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Affine> a = affineOf(op->getOperand(0)),
                        b = affineOf(op->getOperand(1));
  Fn fn = elementwise.getFn();
  if (!a || !b || (fn != Fn::add && fn != Fn::sub))
    return std::nullopt;
  int64_t sign = fn == Fn::add ? 1 : -1;
  return Affine{a->row + sign * b->row, a->column + sign * b->column,
                a->constant + sign * b->constant};
}

/// A comparison that is `inside` where column > row + reach, and the opposite
/// elsewhere.
struct Mask {
  int64_t reach;
  bool inside;
};

std::optional<Mask> maskOf(Operation *op) {
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  if (!elementwise || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Affine> a = affineOf(op->getOperand(0)),
                        b = affineOf(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  // column - row compared with `bound`.
  Affine difference{a->row - b->row, a->column - b->column,
                    a->constant - b->constant};
  Fn fn = elementwise.getFn();
  if (difference.column == -1 && difference.row == 1) {
    difference = {-1, 1, -difference.constant};
    fn = fn == Fn::lt   ? Fn::gt
         : fn == Fn::le ? Fn::ge
         : fn == Fn::gt ? Fn::lt
         : fn == Fn::ge ? Fn::le
                        : fn;
  }
  if (difference.column != 1 || difference.row != -1)
    return std::nullopt;
  int64_t bound = -difference.constant;
  switch (fn) {
  case Fn::gt:
    return Mask{bound, true};
  case Fn::ge:
    return Mask{bound - 1, true};
  case Fn::le:
    return Mask{bound, false};
  case Fn::lt:
    return Mask{bound - 1, false};
  default:
    return std::nullopt;
  }
}

/// The constants that values have in a region.
class Region {
public:
  explicit Region(int64_t reach) : reach(reach) {}

  std::optional<Scalar> valueOf(Value value) {
    value = resolved(value);
    auto [known, isNew] = values.try_emplace(value);
    if (!isNew)
      return known->second;
    std::optional<Scalar> result = compute(value);
    return values[value] = result;
  }

private:
  int64_t reach;
  DenseMap<Value, std::optional<Scalar>> values;

  std::optional<Scalar> compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    Type element = typeOf(value).getElementType();
    if (auto constant = dyn_cast<ConstantOp>(op))
      return splatOf(constant.getValue());
    if (isa<ReshapeOp, ExpandOp>(op))
      return keepsMatrix(op) ? valueOf(op->getOperand(0)) : std::nullopt;
    if (auto select = dyn_cast<SelectOp>(op))
      return selected(op);
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    if (!elementwise || isa<BitcastOp>(op))
      return std::nullopt;
    if (std::optional<Mask> mask = maskOf(op); mask && mask->reach <= reach)
      return scalarOf(element, mask->inside);
    SmallVector<Scalar> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Scalar> scalar = valueOf(operand);
      if (!scalar)
        return beside(elementwise);
      operands.push_back(*scalar);
    }
    if (elementwise.getFn() == Fn::exp && isMinusInfinity(operands[0]))
      return scalarOf(element, 0);
    if (isa<CastOp>(op))
      return convert(operands[0], element);
    return evaluate(elementwise.getFn(), operands, element);
  }

  /// A view in which the last two dimensions stay what they are.
  static bool keepsMatrix(Operation *view) {
    Value from = view->getOperand(0), to = view->getResult(0);
    return sizeFromRight(from, 0) == sizeFromRight(to, 0) &&
           sizeFromRight(from, 1) == sizeFromRight(to, 1);
  }

  std::optional<Scalar> selected(Operation *op) {
    std::optional<Scalar> condition = valueOf(op->getOperand(0));
    if (condition)
      return valueOf(op->getOperand(condition->isZero() ? 2 : 1));
    std::optional<Scalar> a = valueOf(op->getOperand(1)),
                          b = valueOf(op->getOperand(2));
    if (a && b && a->value == b->value)
      return a;
    return std::nullopt;
  }

  /// A known operand beside a statistic; see the top of the file.
  std::optional<Scalar> beside(ElementwiseOpInterface op) {
    Fn fn = op.getFn();
    if (op->getNumOperands() != 2)
      return std::nullopt;
    for (unsigned i : {0, 1}) {
      std::optional<Scalar> known = valueOf(op->getOperand(i));
      if (!known || !known->isFloat())
        continue;
      Operation *other = behindCasts(op->getOperand(1 - i));
      if (fn == Fn::sub && i == 0 && isMinusInfinity(*known) &&
          isa_and_nonnull<MaxOp>(other))
        return known;
      if (fn == Fn::mul && known->isZero() &&
          isa_and_nonnull<ReciprocalOp>(other) &&
          isSumOfExponentials(behindCasts(other->getOperand(0))))
        return known;
      if (fn == Fn::div && i == 0 && known->isZero() &&
          isSumOfExponentials(other))
        return known;
    }
    return std::nullopt;
  }

  static Operation *behindCasts(Value value) {
    Operation *op = value.getDefiningOp();
    while (isa_and_nonnull<CastOp>(op))
      op = op->getOperand(0).getDefiningOp();
    return op;
  }

  static bool isSumOfExponentials(Operation *op) {
    auto sum = dyn_cast_or_null<SumOp>(op);
    return sum && isa_and_nonnull<ExpOp>(behindCasts(sum.getInput()));
  }

  static bool isMinusInfinity(const Scalar &scalar) {
    return scalar.isFloat() && scalar.asFloat().isInfinity() &&
           scalar.asFloat().isNegative();
  }

public:
  bool isMinusInfinity(Value value) {
    std::optional<Scalar> scalar = valueOf(value);
    return scalar && isMinusInfinity(*scalar);
  }
  bool isZero(Value value) {
    std::optional<Scalar> scalar = valueOf(value);
    return scalar && scalar->isFloat() && scalar->isZero();
  }
};

/// The comparisons of indices that a kernel's values come from.
void collectMasks(Value value, DenseSet<Value> &seen,
                  std::set<int64_t> &reaches) {
  value = resolved(value);
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(value).second)
    return;
  if (std::optional<Mask> mask = maskOf(op))
    reaches.insert(mask->reach);
  for (Value operand : op->getOperands())
    if (isa<ElementwiseOpInterface, ReshapeOp, ExpandOp>(op))
      collectMasks(operand, seen, reaches);
}

bool hasColumns(Value value) { return sizeFromRight(value, 0) != 1; }

bool isDead(KernelOp kernel, ArrayRef<unsigned> onChip, int64_t reach) {
  Region dead(reach);
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
      Value input = reduction.getReducedOperand();
      bool changesNothing = isa<MaxOp>(op)   ? dead.isMinusInfinity(input)
                            : isa<SumOp>(op) ? dead.isZero(input)
                                             : false;
      if (hasColumns(input) && !changesNothing)
        return false;
      continue;
    }
    // Nothing else may carry one column to another.
    if (!isa<ElementwiseOpInterface, ViewOpInterface, ConstantOp, IotaOp,
             MatmulOp>(op))
      return false;
  }
  auto yield = cast<YieldOp>(body.getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (hasColumns(value) &&
        !(llvm::is_contained(onChip, i) && dead.isZero(value)))
      return false;
  return true;
}

} // namespace

std::optional<DeadColumns> lowering::findDeadColumns(KernelOp kernel,
                                                     ArrayRef<unsigned> onChip,
                                                     int64_t tile) {
  ArrayRef<int64_t> columns = *kernel.getColumnDims(),
                    shape = *kernel.getShape();
  if (columns.size() != 1 || shape.size() < 2 ||
      columns[0] != int64_t(shape.size()) - 1)
    return std::nullopt;
  std::set<int64_t> reaches;
  DenseSet<Value> seen;
  for (Operation &op : kernel.getBody().front())
    if (isa<SelectOp>(op))
      collectMasks(op.getResult(0), seen, reaches);
  int64_t rows = shape[shape.size() - 2], first = std::min(rows, tile);
  for (int64_t reach : reaches)
    if (reach >= 0 &&
        int64_t(llvm::alignTo(first + reach, tile)) < shape.back() &&
        isDead(kernel, onChip, reach))
      return DeadColumns{rows, reach};
  return std::nullopt;
}

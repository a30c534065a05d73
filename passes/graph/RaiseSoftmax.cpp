//===- RaiseSoftmax.cpp - softmax and log_softmax -------------------------===//
//
//   softmax      exp(x - max(x)) / sum(exp(x - max(x)))
//   log_softmax  x - max(x) - log(sum(exp(x - max(x))))
//
// Without the maximum it is another function: exp overflows. The guarded
// logsumexp (max replaced by 0 where it is infinite) differs from log_softmax
// on infinite inputs, and is left alone.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/Facts.h"
#include "passes/graph/Raise.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::graph;

namespace {

/// x - max(x) along some dimensions
struct Shifted {
  Value x;
  Statistic max;
};

std::optional<Shifted> shifted(Value value, Interior &interior) {
  size_t mark = interior.size();
  if (auto parts = difference(value, interior))
    if (auto max = maxOf(parts->second, parts->first, interior))
      return Shifted{parts->first, *max};
  interior.truncate(mark);
  return std::nullopt;
}

/// The sum of exp(x - max(x)) along the dimensions of the maximum.
struct ExpSum {
  Shifted shift;
  Value exponential;
  Statistic sum;
};

std::optional<ExpSum> expSum(Value value, Interior &interior) {
  size_t mark = interior.size();
  auto sum = statistic(value, interior);
  if (sum && isa<SumOp>(sum->reduction) && sum->scale == 1 &&
      sum->offset == 0) {
    if (auto exp = sum->reduced().getDefiningOp<ExpOp>()) {
      interior.push_back(exp);
      auto shift = shifted(exp.getInput(), interior);
      if (shift && shift->max.dims() == sum->dims())
        return ExpSum{*shift, exp.getResult(), *sum};
    }
  }
  interior.truncate(mark);
  return std::nullopt;
}

Value raiseQuotient(Operation *root, OpBuilder &builder) {
  for (const Factor &divisor : factors(root->getResult(0))) {
    Interior interior;
    auto sum = expSum(divisor.value, interior);
    if (!sum || sum->sum.power != (divisor.inverse ? 1 : -1) ||
        !isAlignedWith(sum->sum, sum->exponential))
      continue;
    auto product = productOf(root->getResult(0),
                             {{sum->exponential, false}, divisor}, interior);
    Value x = sum->shift.x;
    if (product && product->others.empty() && product->constant == 1 &&
        x.getType() == root->getResult(0).getType() && isClosed(interior, root))
      return SoftmaxOp::create(builder, root->getLoc(), x.getType(), x,
                               sum->sum.dims());
  }
  return {};
}

/// A term of a sum, whether it is subtracted, and the views it passes on its
/// way to the elements of the sum.
struct Term {
  Value value;
  bool minus;
  SmallVector<Operation *> path;
};

/// The leaves of the tree of additions and subtractions below a value, down to
/// `stop`. Large trees are cut off: they are no composite.
SmallVector<Term> terms(Value value, Value stop, Interior &interior) {
  constexpr size_t mostNodes = 16;
  SmallVector<Term> leaves, nodes{{value, false, {}}};
  while (!nodes.empty()) {
    Term node = nodes.pop_back_val();
    Operation *op = node.value.getDefiningOp();
    bool isSum = isa_and_nonnull<AddOp, SubOp, NegOp>(op);
    bool isView = isa_and_nonnull<ReshapeOp, ExpandOp>(op);
    bool isFull = shapeOf(node.value) == shapeOf(value);
    // A sum of statistics has to leave them where they are.
    if (isSum && !isFull)
      isSum = llvm::all_of(op->getOperands(), [&](Value operand) {
        return shapeOf(operand) == shapeOf(node.value);
      });
    if (node.value == stop || (!isSum && !isView) ||
        leaves.size() + nodes.size() > mostNodes) {
      leaves.push_back(std::move(node));
      continue;
    }
    interior.push_back(op);
    SmallVector<Operation *> path;
    if (isView || !isFull) {
      path = node.path;
      path.push_back(op);
    }
    nodes.push_back({op->getOperand(0), node.minus != isa<NegOp>(op), path});
    if (isa<AddOp, SubOp>(op))
      nodes.push_back({op->getOperand(1), node.minus != isa<SubOp>(op), path});
  }
  return leaves;
}

/// Whether the statistic below the term meets the elements of x.
bool isAligned(const Term &term, Statistic below, Value x) {
  SmallVector<Operation *> path = term.path;
  if (isa_and_nonnull<LogOp>(term.value.getDefiningOp()))
    path.push_back(term.value.getDefiningOp());
  path.append(below.path);
  below.path = path;
  return isAlignedWith(below, x);
}

/// x - max(x) - log(sum), in any association; `log` is one of its terms.
Value raiseLog(Operation *root, LogOp log, OpBuilder &builder) {
  Value result = root->getResult(0);
  Interior interior{log};
  auto sum = expSum(log.getInput(), interior);
  if (!sum || sum->sum.power != 1 || sum->shift.x.getType() != result.getType())
    return {};
  Value x = sum->shift.x;
  Value max = sum->shift.max.reduction->getResult(0);
  Statistic maximum;
  maximum.reduction = sum->shift.max.reduction;
  SmallVector<Term> leaves = terms(result, x, interior);
  if (leaves.size() != 3)
    return {};
  for (const Term &term : leaves) {
    bool isX = term.value == x && !term.minus && term.path.empty();
    bool isMax = term.value == max && term.minus && isAligned(term, maximum, x);
    bool isLog = term.value == log.getResult() && term.minus &&
                 isAligned(term, sum->sum, x);
    if (!isX && !isMax && !isLog)
      return {};
  }
  // Each of the three once: no two of them are the same value.
  if (leaves[0].value == leaves[1].value ||
      leaves[1].value == leaves[2].value || leaves[0].value == leaves[2].value)
    return {};
  if (!isClosed(interior, root))
    return {};
  return LogSoftmaxOp::create(builder, root->getLoc(), x.getType(), x,
                              sum->sum.dims());
}

Value raiseDifference(Operation *root, OpBuilder &builder) {
  Interior unused;
  for (const Term &term : terms(root->getResult(0), {}, unused))
    if (auto log = term.value.getDefiningOp<LogOp>())
      if (Value raised = raiseLog(root, log, builder))
        return raised;
  return {};
}

} // namespace

Value neuron::graph::raiseSoftmax(Operation *root, OpBuilder &builder) {
  if (!isa<FloatType>(getElementTypeOrSelf(root->getResult(0))))
    return {};
  if (isa<MulOp, DivOp>(root))
    return raiseQuotient(root, builder);
  if (isa<SubOp, AddOp>(root))
    return raiseDifference(root, builder);
  return {};
}

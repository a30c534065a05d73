//===- RaiseActivations.cpp - silu and gelu -------------------------------===//
//
//   silu       x * sigmoid(x), x / (1 + exp(-x))
//   gelu       0.5 * x * (1 + erf(x / sqrt(2)))
//   gelu_tanh  0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
//
// Each is a product of x and a gate; the gate is found first, and says what x
// has to be.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/Facts.h"
#include "passes/graph/Raise.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::graph;

// Constants of composites are products of rounded constants.
static constexpr double roundings = 4;

namespace {

/// scale * (1 + fn(argument))
struct Gate {
  double scale;
  Operation *fn;
};

/// sigmoid(x), or the divisor 1 + exp(-x)  ->  x
Value sigmoidArgument(const Factor &factor, Interior &interior) {
  Operation *op = factor.value.getDefiningOp();
  if (!factor.inverse && isa_and_nonnull<SigmoidOp>(op)) {
    interior.push_back(op);
    return op->getOperand(0);
  }
  if (!factor.inverse || !isa_and_nonnull<AddOp>(op))
    return {};
  for (unsigned side : {0, 1}) {
    auto exp = op->getOperand(side).getDefiningOp<ExpOp>();
    if (!exp || constantOf(op->getOperand(1 - side)) != 1.0)
      continue;
    size_t mark = interior.size();
    interior.append({op, exp});
    auto negated = scaled(exp.getInput(), interior);
    if (negated && negated->first == -1)
      return negated->second;
    interior.truncate(mark);
  }
  return {};
}

/// a + a * fn(z), with fn erf or tanh; a is usually 1
std::optional<Gate> gateOf(const Factor &factor, Interior &interior) {
  Operation *op = factor.value.getDefiningOp();
  if (factor.inverse || !isa_and_nonnull<AddOp>(op))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    auto constant = constantOf(op->getOperand(1 - side));
    if (!constant || *constant == 0)
      continue;
    size_t mark = interior.size();
    interior.push_back(op);
    Value term = op->getOperand(side);
    auto times = scaled(term, interior);
    Operation *fn = (times ? times->second : term).getDefiningOp();
    if (isa_and_nonnull<ErfOp, TanhOp>(fn) &&
        isClose(times ? times->first : 1, *constant, term.getType())) {
      interior.push_back(fn);
      return Gate{*constant, fn};
    }
    interior.truncate(mark);
  }
  return std::nullopt;
}

/// Whether the argument of erf or tanh is the one that gelu has for x.
bool isGeluArgument(Operation *fn, Value x, Interior &interior) {
  auto found = polynomial(fn->getOperand(0), x, interior);
  if (!found)
    return false;
  double linear = isa<ErfOp>(fn) ? 1 / std::numbers::sqrt2
                                 : std::sqrt(2 / std::numbers::pi);
  double cubic = isa<ErfOp>(fn) ? 0 : linear * 0.044715;
  Type type = x.getType();
  return (*found)[0] == 0 && (*found)[2] == 0 &&
         isClose((*found)[1], linear, type, roundings) &&
         isClose((*found)[3], cubic, type, roundings);
}

/// Whether root = constant * x * gate, and nothing else sees what is between.
bool isGated(Operation *root, Value x, const Factor &gate, double constant,
             Interior &interior) {
  if (x.getType() != root->getResult(0).getType())
    return false;
  auto product = productOf(root->getResult(0), {{x, false}, gate}, interior);
  return product && product->others.empty() &&
         isClose(product->constant, constant, x.getType(), roundings) &&
         isClosed(interior, root);
}

Value raiseSilu(Operation *root, ArrayRef<Factor> tree, OpBuilder &builder) {
  for (const Factor &gate : tree) {
    Interior interior;
    Value x = sigmoidArgument(gate, interior);
    if (x && isGated(root, x, gate, 1, interior))
      return SiluOp::create(builder, root->getLoc(), x.getType(), x);
  }
  return {};
}

Value raiseGelu(Operation *root, ArrayRef<Factor> tree, OpBuilder &builder) {
  for (const Factor &gate : tree) {
    Interior gateInterior;
    auto found = gateOf(gate, gateInterior);
    if (!found)
      continue;
    for (const Factor &x : tree) {
      Interior interior = gateInterior;
      if (x == gate || x.inverse || constantOf(x.value) ||
          !isGeluArgument(found->fn, x.value, interior) ||
          !isGated(root, x.value, gate, 0.5 / found->scale, interior))
        continue;
      Type type = x.value.getType();
      if (isa<ErfOp>(found->fn))
        return GeluOp::create(builder, root->getLoc(), type, x.value);
      return GeluTanhOp::create(builder, root->getLoc(), type, x.value);
    }
  }
  return {};
}

} // namespace

Value neuron::graph::raiseActivation(Operation *root, OpBuilder &builder) {
  if (!isa<MulOp, DivOp>(root) ||
      !isa<FloatType>(getElementTypeOrSelf(root->getResult(0))))
    return {};
  SmallVector<Factor> tree = factors(root->getResult(0));
  if (Value silu = raiseSilu(root, tree, builder))
    return silu;
  return raiseGelu(root, tree, builder);
}

//===- ScalarForm.cpp - what the Scalar engine computes at once -----------===//
#include "passes/lowering/ScalarForm.h"
#include "passes/lowering/Alu.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using program::Fn;

Value lowering::strip(Value value) {
  while (!isRead(value)) {
    auto view = value.getDefiningOp<ir::ViewOpInterface>();
    if (!view || splatOf(value))
      return value;
    value = view.getViewed();
  }
  return value;
}

bool lowering::isScalar(OpFoldResult operand, bool outHasColumns,
                        const KernelSpace &space) {
  auto value = dyn_cast<Value>(operand);
  if (!value || splatOf(value))
    return true;
  return outHasColumns && !space.hasColumns(strip(value));
}

Operation *lowering::swallowable(OpFoldResult operand) {
  auto value = dyn_cast<Value>(operand);
  if (!value)
    return nullptr;
  Value source = strip(value);
  if (source != value || !value.hasOneUse() || isRead(value))
    return nullptr;
  return value.getDefiningOp();
}

bool lowering::isActivation(Operation *op) {
  auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op);
  return elementwise && !isa<ir::CastOp, ir::BitcastOp>(op) &&
         elementOf(op->getResult(0)).isF32() &&
         program::runsOnScalar(elementwise.getFn());
}

static std::optional<ScalarForm> affineForm(Operation *op,
                                            const KernelSpace &space);

/// x * s in the x of `form`, which has no scale yet.
static void swallowProduct(ScalarForm &form, const KernelSpace &space) {
  Operation *inner = swallowable(form.x);
  if (!inner)
    return;
  std::optional<ScalarForm> product = affineForm(inner, space);
  if (!product || product->bias)
    return;
  form.x = product->x;
  form.scale = product->scale;
  ++form.covered;
}

/// The op as x * scale + bias in fp32.
static std::optional<ScalarForm> affineForm(Operation *op,
                                            const KernelSpace &space) {
  if (op->getNumResults() != 1 || !isa<ir::ElementwiseOpInterface>(op) ||
      !elementOf(op->getResult(0)).isF32())
    return std::nullopt;
  std::optional<Alu> alu = asAlu(op);
  if (!alu)
    return std::nullopt;
  bool columns = space.hasColumns(op->getResult(0));
  bool lhs = isScalar(alu->a, columns, space);
  bool rhs = isScalar(alu->b, columns, space);
  if (lhs == rhs)
    return std::nullopt;
  ScalarForm form;
  form.x = lhs ? alu->b : alu->a;
  OpFoldResult scalar = lhs ? alu->a : alu->b;
  switch (alu->fn) {
  case Fn::mul:
    form.scale = scalar;
    return form;
  case Fn::add:
    form.bias = scalar;
    swallowProduct(form, space);
    return form;
  case Fn::sub:
    form.bias = scalar;
    if (lhs) { // s - x
      form.scale = f32(op->getContext(), -1);
      return form;
    }
    form.negatesBias = true;
    swallowProduct(form, space);
    return form;
  default:
    return std::nullopt;
  }
}

std::optional<ScalarForm> lowering::scalarForm(Operation *op,
                                               const KernelSpace &space) {
  if (!isActivation(op))
    return affineForm(op, space);
  ScalarForm form;
  form.fn = cast<ir::ElementwiseOpInterface>(op).getFn();
  form.x = op->getOperand(0);
  Operation *inner = swallowable(form.x);
  if (!inner)
    return form;
  std::optional<ScalarForm> affine = affineForm(inner, space);
  if (!affine)
    return form;
  affine->fn = form.fn;
  ++affine->covered;
  return affine;
}

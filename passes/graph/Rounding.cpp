//===- Rounding.cpp - explicit roundings of f16 and bf16 ------------------===//
//
// First every op of a kernel on f16 or bf16 is widened to f32; then roundings
// that nothing but arithmetic sees are left out. Each rounding is judged by its
// own uses alone, so the result depends neither on the order of the ops nor on
// the other roundings. Works within kernels, because what a kernel stores must
// be known.
//
//===----------------------------------------------------------------------===//
#include "passes/graph/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace neuron::graph {
#define GEN_PASS_DEF_ROUNDING
#include "passes/graph/Passes.h.inc"
} // namespace neuron::graph

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::graph;
using neuron::program::Fn;

namespace {

/// Functions that are steps, or look at single bits: a rounding before them can
/// change their result by more than a rounding.
constexpr Fn stepFunctions[] = {
    Fn::floor_div,   Fn::trunc_div,   Fn::remainder,   Fn::fmod,
    Fn::sign,        Fn::copysign,    Fn::nextafter,   Fn::ceil,
    Fn::floor,       Fn::round,       Fn::trunc,       Fn::eq,
    Fn::ne,          Fn::lt,          Fn::le,          Fn::gt,
    Fn::ge,          Fn::isnan,       Fn::isinf,       Fn::isfinite,
    Fn::signbit,     Fn::logical_not, Fn::logical_and, Fn::logical_or,
    Fn::logical_xor, Fn::identity};

bool isArithmetic(Operation *op) {
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
    return !llvm::is_contained(stepFunctions, elementwise.getFn());
  if (auto norm = dyn_cast<NormOp>(op))
    return !norm.getOrd().isZero(); // order 0 counts what is not zero
  return isa<SumOp, ProdOp, MeanOp, MaxOp, MinOp, VarOp, NamedOpInterface>(op);
}

bool isNarrow(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  return element.isF16() || element.isBF16();
}

Type widened(Type type) {
  return cast<RankedTensorType>(type).clone(
      Float32Type::get(type.getContext()));
}

/// The roundings of one kernel.
class KernelRounding {
public:
  explicit KernelRounding(KernelOp kernel)
      : kernel(kernel), block(kernel.getBody().front()) {}

  LogicalResult widen();
  void dropUnseen();

private:
  KernelOp kernel;
  Block &block;
  DenseMap<Value, Value> wide;     ///< narrow value -> its widening cast
  DenseSet<Operation *> widenings; ///< made here, as opposed to the user's
  SmallVector<CastOp> roundings;

  Value inForm(OpBuilder &builder, Value value);
  Value widenOperand(Value value);
  void widenOp(Operation *op);
  bool onlyArithmeticSees(Value rounded) const;
  void replaceRounded(Value rounded, Value exact);
};

/// An input may run along some of the rows or columns, but its widening cast is
/// computed and may not (rule F4): such an input is expanded along the others,
/// which its transfer does on the way.
Value KernelRounding::inForm(OpBuilder &builder, Value value) {
  if (!kernel.getShape())
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = *kernel.getShape();
  int64_t lead = int64_t(shape.size()) - type.getRank();
  SmallVector<int64_t> sizes(shape.size(), 1);
  ArrayRef<int64_t> rowDims = *kernel.getRowDims();
  ArrayRef<int64_t> columnDims = *kernel.getColumnDims();
  for (ArrayRef<int64_t> side : {rowDims, columnDims}) {
    bool runs = llvm::any_of(side, [&](int64_t dim) {
      return dim >= lead && type.getDimSize(dim - lead) != 1;
    });
    for (int64_t dim : side)
      sizes[dim] = runs ? shape[dim] : 1;
  }
  ArrayRef<int64_t> rest(sizes);
  while (int64_t(rest.size()) > type.getRank() && rest.front() == 1)
    rest = rest.drop_front();
  if (rest == type.getShape())
    return value;
  return ExpandOp::create(builder, value.getLoc(), type.clone(rest), value);
}

Value KernelRounding::widenOperand(Value value) {
  if (Value known = wide.lookup(value))
    return known;
  OpBuilder builder(block.getParentOp()->getContext());
  builder.setInsertionPointAfterValue(value);
  Value narrow = inForm(builder, value);
  auto op = CastOp::create(builder, value.getLoc(), widened(narrow.getType()),
                           narrow);
  widenings.insert(op);
  return wide[value] = op;
}

void KernelRounding::widenOp(Operation *op) {
  // The Tensor engine reads halves and sums in f32.
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<MatmulOp>(op) && isNarrow(operand.get().getType()))
      operand.set(widenOperand(operand.get()));
  Value result = op->getResult(0);
  if (!isNarrow(result.getType()))
    return;
  Type narrow = result.getType();
  result.setType(widened(narrow));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto rounding = CastOp::create(builder, op->getLoc(), narrow, result);
  result.replaceAllUsesExcept(rounding, rounding);
  roundings.push_back(rounding);
}

LogicalResult KernelRounding::widen() {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<CastOp, ViewOpInterface, ConstantOp, IotaOp, YieldOp>(op))
      continue;
    // Elements are moved, or looked at one by one, as they were rounded.
    if (isa<GatherOp, ScatterOp, ScanOp, SortOp, ArgsortOp, RandomOp,
            BitcastOp>(op))
      continue;
    // The next representable value is no f32 arithmetic.
    if (isa<NextafterOp>(op) && isNarrow(op.getResult(0).getType()))
      return op.emitOpError("is not supported for f16 and bf16; compute it in "
                            "f32 or f64");
    widenOp(&op);
  }
  return success();
}

/// Views are looked through: they show the same elements.
bool KernelRounding::onlyArithmeticSees(Value rounded) const {
  return llvm::all_of(rounded.getUsers(), [&](Operation *user) {
    if (isa<ViewOpInterface>(user))
      return onlyArithmeticSees(user->getResult(0));
    return widenings.contains(user) &&
           llvm::all_of(user->getUsers(), isArithmetic);
  });
}

void KernelRounding::replaceRounded(Value rounded, Value exact) {
  for (Operation *user : llvm::make_early_inc_range(rounded.getUsers())) {
    if (widenings.contains(user)) {
      user->getResult(0).replaceAllUsesWith(exact);
      widenings.erase(user);
      user->erase();
      continue;
    }
    // A view. Its users expect the narrow type until they are replaced.
    OpBuilder builder(user);
    Operation *view = builder.clone(*user);
    view->setOperand(0, exact);
    view->getResult(0).setType(widened(user->getResult(0).getType()));
    replaceRounded(user->getResult(0), view->getResult(0));
    user->erase();
  }
}

void KernelRounding::dropUnseen() {
  for (CastOp rounding : roundings) {
    if (!onlyArithmeticSees(rounding.getResult()))
      continue;
    replaceRounded(rounding.getResult(), rounding.getInput());
    rounding.erase();
  }
}

struct RoundingPass final : neuron::graph::impl::RoundingBase<RoundingPass> {
  using Base::Base;

  void runOnOperation() override {
    auto result = getOperation().walk([&](KernelOp kernel) {
      KernelRounding kernelRounding(kernel);
      if (failed(kernelRounding.widen()))
        return WalkResult::interrupt();
      if (rounding == RoundingMode::Fused)
        kernelRounding.dropUnseen();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

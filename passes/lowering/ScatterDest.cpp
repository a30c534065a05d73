//===- ScatterDest.cpp - what a scatter may overwrite ---------------------===//
#include "passes/lowering/ScatterDest.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace neuron;

ir::ScatterOp lowering::scatterOf(Value result) {
  auto kernel = result.getDefiningOp<ir::KernelOp>();
  if (!kernel)
    return {};
  auto yield = cast<ir::YieldOp>(kernel.getBody().front().getTerminator());
  unsigned index = cast<OpResult>(result).getResultNumber();
  return yield.getValues()[index].getDefiningOp<ir::ScatterOp>();
}

/// The block argument below views of it.
static BlockArgument argumentOf(Value value) {
  return dyn_cast<BlockArgument>(lowering::rootOf(value));
}

OpOperand &lowering::destOperand(ir::ScatterOp scatter) {
  auto kernel = scatter->getParentOfType<ir::KernelOp>();
  return kernel->getOpOperand(argumentOf(scatter.getDest()).getArgNumber());
}

Value lowering::createCopy(OpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> rows, columns;
  // The last dimension of several elements makes the columns.
  int64_t rank = type.getRank(), column = rank - 1;
  while (column > 0 && type.getDimSize(column) == 1)
    --column;
  for (int64_t i = 0; i < rank; ++i)
    (i >= column ? columns : rows).push_back(i);
  // One number is made on chip, not read.
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  bool fills = constant && isa<DenseElementsAttr>(constant.getValue()) &&
               cast<DenseElementsAttr>(constant.getValue()).isSplat();
  auto kernel = ir::KernelOp::create(b, value.getLoc(), TypeRange{type},
                                     fills ? ValueRange() : ValueRange{value},
                                     b.getStringAttr(fills ? "fill" : "copy"),
                                     b.getDenseI64ArrayAttr(type.getShape()),
                                     b.getDenseI64ArrayAttr(rows),
                                     b.getDenseI64ArrayAttr(columns));
  Block &body = kernel.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  Value yielded;
  if (fills)
    yielded = inner.clone(*constant)->getResult(0);
  else
    yielded = body.addArgument(type, value.getLoc());
  ir::YieldOp::create(inner, value.getLoc(), ValueRange{yielded});
  return kernel.getResult(0);
}

/// Whether the scatter may write into what it reads: a kernel made it, nothing
/// else reads it, and it is seen in its own order.
static bool isOwned(ir::ScatterOp scatter) {
  Value value = lowering::destOperand(scatter).get();
  if (!value.getDefiningOp<ir::KernelOp>() || !value.hasOneUse())
    return false;
  BlockArgument argument = argumentOf(scatter.getDest());
  for (Value at = scatter.getDest(); at != argument;
       at = at.getDefiningOp()->getOperand(0))
    if (!at.getDefiningOp<ir::ReshapeOp>() || !at.hasOneUse())
      return false;
  return argument.hasOneUse();
}

static bool liesAlike(const lowering::StridedLayout &a,
                      const lowering::StridedLayout &b) {
  if (a.offset != b.offset || a.sizes != b.sizes)
    return false;
  for (size_t i = 0; i < a.sizes.size(); ++i)
    if (a.sizes[i] != 1 && a.strides[i] != b.strides[i])
      return false;
  return true;
}

bool lowering::scattersInPlace(Value result, StridedLayout layout,
                               BlockArgument argument,
                               StridedLayout argumentLayout) {
  while (auto view = result.getDefiningOp<ir::ViewOpInterface>()) {
    std::optional<StridedLayout> inner = unviewed(layout, view);
    if (!inner)
      return false;
    layout = *inner;
    result = view.getViewed();
  }
  ir::ScatterOp scatter = scatterOf(result);
  if (!scatter || destOperand(scatter).get() != argument)
    return false;
  auto kernel = scatter->getParentOfType<ir::KernelOp>();
  for (OpOperand &use : argument.getUses())
    if (&use != &destOperand(scatter) &&
        !(isa<ir::KernelOp>(use.getOwner()) &&
          use.getOwner()->isBeforeInBlock(kernel)))
      return false;
  SmallVector<Operation *> views;
  for (Value at = scatter.getDest();; at = views.back()->getOperand(0)) {
    if (!at.hasOneUse())
      return false;
    if (!at.getDefiningOp())
      break;
    views.push_back(at.getDefiningOp());
  }
  for (Operation *view : llvm::reverse(views)) {
    std::optional<StridedLayout> outer = viewed(argumentLayout, view);
    if (!outer)
      return false;
    argumentLayout = *outer;
  }
  return liesAlike(layout, argumentLayout);
}

/// The views inside of the kernel are made outside, and what they show copied.
static void copyDest(ir::ScatterOp scatter) {
  auto kernel = scatter->getParentOfType<ir::KernelOp>();
  SmallVector<Operation *> views;
  for (Value at = scatter.getDest(); Operation *op = at.getDefiningOp();
       at = op->getOperand(0))
    views.push_back(op);
  OpBuilder b(kernel);
  IRMapping map;
  Value seen = lowering::destOperand(scatter).get();
  map.map(argumentOf(scatter.getDest()), seen);
  for (Operation *view : llvm::reverse(views))
    seen = b.clone(*view, map)->getResult(0);
  Value copy = lowering::createCopy(b, seen);
  kernel->insertOperands(kernel->getNumOperands(), copy);
  Value inside =
      kernel.getBody().front().addArgument(copy.getType(), scatter.getLoc());
  scatter.getDestMutable().set(inside);
}

void lowering::ownDestinations(Block &block,
                               const DenseSet<Operation *> &inPlace) {
  for (auto kernel : llvm::make_early_inc_range(block.getOps<ir::KernelOp>())) {
    SmallVector<ir::ScatterOp> scatters(
        kernel.getBody().front().getOps<ir::ScatterOp>());
    for (ir::ScatterOp scatter : scatters)
      if (!inPlace.contains(scatter) && !isOwned(scatter))
        copyDest(scatter);
  }
}

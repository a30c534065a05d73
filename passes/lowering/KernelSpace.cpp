//===- KernelSpace.cpp ----------------------------------------------------===//
#include "passes/lowering/KernelSpace.h"
#include "dialects/neuron/Shapes.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron;
using namespace neuron::lowering;

int64_t KernelSpace::product(bool ofColumns) const {
  int64_t result = 1;
  for (auto [size, isColumn] : llvm::zip(sizes, column))
    if (isColumn == ofColumns)
      result *= size;
  return result;
}

bool KernelSpace::runsAlong(Value value, bool columns) const {
  ArrayRef<int64_t> shape = shapeOf(value);
  size_t lacking = sizes.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1 && column[lacking + i] == columns)
      return true;
  return false;
}

Value lowering::rootOf(Value value) {
  while (auto view = value.getDefiningOp<ir::ViewOpInterface>())
    value = view.getViewed();
  return value;
}

bool lowering::isRead(Value value) {
  Operation *op = rootOf(value).getDefiningOp();
  auto constant = dyn_cast_or_null<ir::ConstantOp>(op);
  return !op || (constant && !constant.getValue().isSplat());
}

/// Values that are only read through views, or as matrices, need no place in
/// the space.
static bool needsPlace(Value value) {
  if (value.getDefiningOp<ir::ScatterOp>())
    return false; // it lies in HBM
  if (!isRead(value))
    return !value.use_empty();
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    return !isa<ir::ViewOpInterface, ir::MatmulOp>(use.getOwner()) &&
           !ir::isReadInMemory(use);
  });
}

FailureOr<KernelSpace> KernelSpace::compute(ir::KernelOp kernel) {
  KernelSpace space;
  if (!kernel.getShape() || !kernel.getColumnDims())
    return kernel.emitOpError(
        "L1: lowering wants the attributes 'shape' and 'column_dims'");
  space.sizes.assign(kernel.getShape()->begin(), kernel.getShape()->end());
  space.column.assign(space.sizes.size(), false);
  ArrayRef<int64_t> columns = *kernel.getColumnDims();
  for (int64_t dim : columns)
    space.column[dim] = true;
  auto check = [&](Value value) -> LogicalResult {
    if (!needsPlace(value))
      return success();
    ArrayRef<int64_t> shape = shapeOf(value);
    bool fits = shape.size() <= space.sizes.size();
    for (size_t i = 0; fits && i < shape.size(); ++i)
      fits = shape[i] == 1 ||
             shape[i] == space.sizes[space.sizes.size() - shape.size() + i];
    if (fits)
      return success();
    return emitError(value.getLoc()) << "L2: " << value.getType()
                                     << " has no place in the space of kernel '"
                                     << kernel.getSym() << "'";
  };
  Block &block = kernel.getBody().front();
  for (Value argument : block.getArguments())
    if (failed(check(argument)))
      return failure();
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (failed(check(result)))
        return failure();
  return space;
}

//===- VerifyKernels.cpp - what may exist after fusion --------------------===//
//
// Rules F1 to F7 of Passes.td. Lowering relies on them and checks none again.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Shapes.h"
#include "passes/fusion/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

namespace neuron::fusion {
#define GEN_PASS_DEF_VERIFYKERNELS
#include "passes/fusion/Passes.h.inc"
} // namespace neuron::fusion

using namespace mlir;
using namespace neuron::ir;

namespace {

class KernelVerifier {
public:
  explicit KernelVerifier(KernelOp kernel) : kernel(kernel) {}
  LogicalResult verify();

private:
  KernelOp kernel;
  ArrayRef<int64_t> shape;
  llvm::SmallBitVector columns; ///< of the dimensions longer than 1
  llvm::SmallBitVector rows;
  DenseSet<Value> memory; ///< inputs and their views

  LogicalResult verifyShape();
  LogicalResult verifyAligned(Operation *op, Value value);
  LogicalResult verifyForm(Operation *op);
  LogicalResult verifyReduced(Operation *op, ArrayRef<int64_t> dims);
  LogicalResult verifyProduct(MatmulOp op);
  llvm::SmallBitVector cover(Value value) const;
};

LogicalResult KernelVerifier::verifyShape() {
  if (!kernel.getShape() || !kernel.getRowDims() || !kernel.getColumnDims())
    return kernel.emitOpError(
        "F2: must state its shape, row_dims and column_dims");
  // That they name each dimension once is rule K5 of the op.
  shape = *kernel.getShape();
  ArrayRef<int64_t> rowDims = *kernel.getRowDims();
  ArrayRef<int64_t> columnDims = *kernel.getColumnDims();
  rows.resize(shape.size());
  columns.resize(shape.size());
  for (int64_t dim : rowDims)
    rows[dim] = shape[dim] != 1;
  for (int64_t dim : columnDims)
    columns[dim] = shape[dim] != 1;
  return success();
}

/// The dimensions that an aligned value runs along.
llvm::SmallBitVector KernelVerifier::cover(Value value) const {
  llvm::SmallBitVector result(shape.size());
  ArrayRef<int64_t> sizes = shapeOf(value);
  size_t lead = shape.size() - sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d)
    result[lead + d] = sizes[d] != 1;
  return result;
}

LogicalResult KernelVerifier::verifyAligned(Operation *op, Value value) {
  ArrayRef<int64_t> sizes = shapeOf(value);
  bool fits = sizes.size() <= shape.size();
  for (size_t d = 0; fits && d < sizes.size(); ++d)
    fits = sizes[d] == 1 || sizes[d] == shape[shape.size() - sizes.size() + d];
  if (fits)
    return success();
  return op->emitOpError("F3: ")
         << value.getType() << " is not in line with the kernel's shape";
}

LogicalResult KernelVerifier::verifyForm(Operation *op) {
  // One number is an immediate wherever it is used, whatever its shape: folds
  // leave it in that of what it was computed from.
  auto constant = dyn_cast<ConstantOp>(op);
  if (constant && constant.getValue().isSplat())
    return success();
  llvm::SmallBitVector along = cover(op->getResult(0));
  for (auto [side, what] :
       {std::pair(&rows, "rows"), std::pair(&columns, "columns")}) {
    llvm::SmallBitVector part = along;
    part &= *side;
    if (part.any() && part != *side)
      return op->emitOpError("F4: runs along some of the kernel's ")
             << what << " but not along all";
  }
  return success();
}

LogicalResult KernelVerifier::verifyReduced(Operation *op,
                                            ArrayRef<int64_t> dims) {
  llvm::SmallBitVector reduced(shape.size());
  ArrayRef<int64_t> sizes = shapeOf(op->getOperand(0));
  for (int64_t dim : dims)
    reduced[shape.size() - sizes.size() + dim] = sizes[dim] != 1;
  if (reduced != columns)
    return op->emitOpError("F5: must reduce the kernel's columns");
  return success();
}

LogicalResult KernelVerifier::verifyProduct(MatmulOp op) {
  for (Value operand : op.getOperands())
    if (!memory.contains(operand))
      return op.emitOpError("F7: must multiply matrices of HBM");
  if (failed(verifyAligned(op, op.getResult())))
    return failure();
  llvm::SmallBitVector long_(shape.size()), n(shape.size());
  size_t lead = shape.size() - op.getType().getRank();
  size_t firstColumn = shape.size() - op.getNSizes().size();
  for (size_t d = lead; d < shape.size(); ++d)
    n[d] = d >= firstColumn && shape[d] != 1;
  for (size_t d = 0; d < shape.size(); ++d)
    long_[d] = shape[d] != 1;
  if (n != columns || cover(op.getResult()) != long_)
    return op.emitOpError("F7: must have the kernel's rows and columns");
  return success();
}

LogicalResult KernelVerifier::verify() {
  if (failed(verifyShape()))
    return failure();
  Block &block = kernel.getBody().front();
  memory.insert(block.args_begin(), block.args_end());
  for (Operation &op : block) {
    bool isView = isa<ViewOpInterface>(op);
    if (isView && memory.contains(op.getOperand(0))) {
      memory.insert(op.getResult(0));
      continue;
    }
    auto matmul = dyn_cast<MatmulOp>(op);
    for (OpOperand &use : op.getOpOperands())
      if (!matmul && !isReadInMemory(use) &&
          !use.get().getDefiningOp<ScatterOp>() &&
          failed(verifyAligned(&op, use.get())))
        return failure();
    // What a scatter makes lies in HBM.
    if (isa<YieldOp, ScatterOp>(op))
      continue;
    if (matmul) {
      if (failed(verifyProduct(matmul)))
        return failure();
      continue;
    }
    if (isView && !isa<ReshapeOp, ExpandOp>(op))
      return op.emitOpError("F6: must not view a value that is on chip");
    if (failed(verifyAligned(&op, op.getResult(0))) || failed(verifyForm(&op)))
      return failure();
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      if (failed(verifyReduced(&op, reduction.getReducedDims())))
        return failure();
    if (auto named = dyn_cast<NamedOpInterface>(op))
      if (failed(verifyReduced(&op, named.getNormalizedDims())))
        return failure();
  }
  return success();
}

struct VerifyKernelsPass final
    : neuron::fusion::impl::VerifyKernelsBase<VerifyKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (Operation &op : block)
        if (failed(verifyOp(&op)))
          return signalPassFailure();
  }

  /// A view of memory that only concats, results in the place of an input, and
  /// other such views see.
  bool isViewOutside(Operation *op) {
    return isa<ViewOpInterface>(op) &&
           llvm::all_of(op->getUses(), [&](OpOperand &use) {
             Operation *user = use.getOwner();
             return isa<ConcatOp, ViewOpInterface>(user) ||
                    (isa<func::ReturnOp>(user) &&
                     getOperation().getResultAttr(use.getOperandNumber(),
                                                  "neuron.aliases_input"));
           });
  }

  LogicalResult verifyOp(Operation *op) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      return KernelVerifier(kernel).verify();
    if (isa<ConstantOp, ReshapeOp, ConcatOp>(op) || isViewOutside(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return success();
    return op->emitOpError("F1: must be in a kernel");
  }
};

} // namespace

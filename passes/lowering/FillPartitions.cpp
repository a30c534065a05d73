//===- FillPartitions.cpp - rows for kernels that have few ----------------===//
//
// A kernel of fewer rows than SBUF has partitions leaves engines idle. Where no
// op reduces, columns are as good as rows: a column dimension of size s is cut
// into k rows of s/k columns. The cut is a reshape at the inputs, which strides
// can say, and one behind the results, which costs nothing.
//
// It does not cut reductions: their partial results would have to meet across
// partitions.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/IRMapping.h"
#include "passes/lowering/KernelSpace.h"
#include "passes/lowering/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace neuron::lowering {
#define GEN_PASS_DEF_FILLPARTITIONS
#include "passes/lowering/Passes.h.inc"
} // namespace neuron::lowering

using namespace mlir;
using namespace neuron;

namespace {

/// Dimension `dim` of the space becomes one of size `rows` and one of size
/// sizes[dim] / rows.
struct Cut {
  size_t dim;
  int64_t rows;
};

class Splitter {
public:
  Splitter(ir::KernelOp kernel, Cut cut)
      : kernel(kernel), cut(cut), rank(kernel.getShape()->size()) {}

  void run() {
    OpBuilder b(kernel);
    SmallVector<Type> types;
    auto yield = cast<ir::YieldOp>(kernel.getBody().front().getTerminator());
    for (Value value : yield.getValues())
      types.push_back(value.getDefiningOp<ir::ScatterOp>()
                          ? splitIndexed(value.getType())
                          : split(value.getType()));
    auto dims = dimsAfter();
    auto made = ir::KernelOp::create(
        b, kernel.getLoc(), types, kernel.getInputs(), kernel.getSymAttr(),
        b.getDenseI64ArrayAttr(splitSizes(*kernel.getShape())),
        b.getDenseI64ArrayAttr(dims.first),
        b.getDenseI64ArrayAttr(dims.second));
    Block &from = kernel.getBody().front();
    Block &to = made.getBody().emplaceBlock();
    for (BlockArgument argument : from.getArguments())
      map.map(argument, to.addArgument(argument.getType(), argument.getLoc()));
    OpBuilder inner = OpBuilder::atBlockEnd(&to);
    for (Operation &op : from)
      clone(&op, inner);
    for (auto [before, after] :
         llvm::zip(kernel.getOutputs(), made.getOutputs())) {
      Value seen = after;
      if (before.getType() != after.getType())
        seen =
            ir::ReshapeOp::create(b, kernel.getLoc(), before.getType(), after);
      before.replaceAllUsesWith(seen);
    }
    kernel.erase();
  }

private:
  /// Sizes aligned with the space at the right, cut.
  SmallVector<int64_t> splitSizes(ArrayRef<int64_t> sizes) const {
    SmallVector<int64_t> result;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      if (i + rank - sizes.size() != cut.dim) {
        result.push_back(size);
        continue;
      }
      result.push_back(size == 1 ? 1 : cut.rows);
      result.push_back(size == 1 ? 1 : size / cut.rows);
    }
    return result;
  }
  Type split(Type type) const {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.clone(splitSizes(tensor.getShape()));
  }

  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> dimsAfter() {
    SmallVector<int64_t> rows, columns;
    ArrayRef<int64_t> rowDims = *kernel.getRowDims();
    for (size_t dim = 0; dim < rank; ++dim) {
      if (dim == cut.dim) {
        rows.push_back(dim);
        columns.push_back(dim + 1);
        continue;
      }
      bool isRow = llvm::is_contained(rowDims, int64_t(dim));
      (isRow ? rows : columns).push_back(dim < cut.dim ? dim : dim + 1);
    }
    return {rows, columns};
  }

  /// The operand as the cut op wants it: what is read from HBM is reshaped
  /// there.
  Value operandFor(Value value, OpBuilder &b) {
    Value mapped = map.lookup(value);
    if (!lowering::isRead(value))
      return mapped;
    Type type = split(value.getType());
    if (mapped.getType() == type)
      return mapped;
    Value &view = views[value];
    if (!view)
      view = ir::ReshapeOp::create(b, value.getLoc(), type, mapped);
    return view;
  }

  /// [n, rest...] of a gather or scatter: the rest is cut.
  Type splitIndexed(Type type) const {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> sizes{tensor.getDimSize(0)};
    llvm::append_range(sizes, splitSizes(tensor.getShape().drop_front()));
    return tensor.clone(sizes);
  }
  Value indexed(Value value, OpBuilder &b) {
    return ir::ReshapeOp::create(
        b, value.getLoc(), splitIndexed(value.getType()), map.lookup(value));
  }

  void clone(Operation *op, OpBuilder &b) {
    if (op->getNumResults() == 1 && lowering::isRead(op->getResult(0))) {
      b.clone(*op, map);
      return;
    }
    if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      auto type = cast<RankedTensorType>(split(constant.getType()));
      map.map(constant.getResult(),
              ir::ConstantOp::create(b, op->getLoc(), elements.reshape(type))
                  .getResult());
      return;
    }
    SmallVector<Value> operands;
    for (OpOperand &use : op->getOpOperands())
      operands.push_back(ir::isReadInMemory(use) ? indexed(use.get(), b)
                                                 : operandFor(use.get(), b));
    Operation *made = b.clone(*op);
    made->setOperands(operands);
    for (auto [before, after] :
         llvm::zip(op->getResults(), made->getResults())) {
      after.setType(isa<ir::ScatterOp>(op) ? made->getOperand(0).getType()
                                           : split(before.getType()));
      map.map(before, after);
    }
  }

  ir::KernelOp kernel;
  Cut cut;
  size_t rank;
  IRMapping map;
  DenseMap<Value, Value> views;
};

struct FillPartitions final
    : neuron::lowering::impl::FillPartitionsBase<FillPartitions> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ir::KernelOp> kernels(getOperation().getOps<ir::KernelOp>());
    for (ir::KernelOp kernel : kernels)
      if (std::optional<Cut> cut = cutFor(kernel))
        Splitter(kernel, *cut).run();
  }

  /// Whether all is computed for every element or once: a value of each row, or
  /// of each column, would run along some of the new rows only (rule F4).
  static bool isPointwise(ir::KernelOp kernel) {
    int64_t elements = llvm::product_of(*kernel.getShape());
    auto isAllOrOne = [=](Value value) {
      int64_t count = cast<RankedTensorType>(value.getType()).getNumElements();
      return count == elements || count == 1;
    };
    return llvm::all_of(kernel.getBody().front(), [=](Operation &op) {
      if (isa<ir::ScatterOp, ir::ConstantOp>(op))
        return true;
      if (isa<ir::ElementwiseOpInterface, ir::GatherOp, ir::RandomOp>(op))
        return isAllOrOne(op.getResult(0));
      if (isa<ir::YieldOp>(op)) // a view of what is read may be a result, too
        return llvm::all_of(op.getOperands(), [&](Value value) {
          return value.getDefiningOp<ir::ScatterOp>() || isAllOrOne(value);
        });
      return isa<ir::ViewOpInterface>(op) && lowering::isRead(op.getResult(0));
    });
  }

  std::optional<Cut> cutFor(ir::KernelOp kernel) const {
    if (!kernel.getShape() || !kernel.getRowDims() || !kernel.getColumnDims())
      return std::nullopt;
    ArrayRef<int64_t> shape = *kernel.getShape(),
                      columnDims = *kernel.getColumnDims();
    ArrayRef<int64_t> rowDims = *kernel.getRowDims();
    if (shape.size() >= program::kMaxRank)
      return std::nullopt;
    int64_t rows = 1, columns = 1;
    for (int64_t dim : rowDims)
      rows *= shape[dim];
    for (int64_t dim : columnDims)
      columns *= shape[dim];
    if (rows >= partitions || columns < 2 * minColumns || !isPointwise(kernel))
      return std::nullopt;
    // Time is tiles times the columns of each.
    auto timeOf = [&](int64_t cutRows) {
      return llvm::divideCeil(rows * cutRows, int64_t(partitions)) *
             (columns / cutRows);
    };
    Cut best{0, 1};
    for (int64_t dim : columnDims)
      for (int64_t cutRows = 2; cutRows <= shape[dim] && cutRows <= partitions;
           ++cutRows)
        if (shape[dim] % cutRows == 0 && columns / cutRows >= minColumns &&
            timeOf(cutRows) < timeOf(best.rows))
          best = {size_t(dim), cutRows};
    if (best.rows == 1)
      return std::nullopt;
    return best;
  }
};

} // namespace

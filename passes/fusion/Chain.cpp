//===- Chain.cpp - kernels that hand rows on in SBUF ----------------------===//
#include "passes/fusion/Chain.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

Value neuron::fusion::behindReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return value;
}

namespace {

/// The input of the kernel that the value inside it is, in its own order.
Value inputOf(KernelOp kernel, Value inside) {
  auto argument = dyn_cast<BlockArgument>(behindReshapes(inside));
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return {};
  return behindReshapes(kernel.getInputs()[argument.getArgNumber()]);
}

/// The rows and columns that a kernel goes over.
struct Extent {
  int64_t rows = 1, columns = 1, batches = 1;

  explicit Extent(KernelOp kernel) {
    ArrayRef<int64_t> shape = *kernel.getShape(),
                      rowDims = *kernel.getRowDims(),
                      columnDims = *kernel.getColumnDims();
    for (int64_t dim : rowDims)
      rows *= shape[dim];
    for (int64_t dim : columnDims)
      columns *= shape[dim];
    for (MatmulOp op : kernel.getBody().front().getOps<MatmulOp>())
      batches = std::max(batches, llvm::product_of(op.getBatchSizes()));
  }
};

bool hasSpace(KernelOp kernel) {
  return kernel.getShape() && kernel.getRowDims() && kernel.getColumnDims();
}

/// Whether columns follow rows in the order of the kernel's full values.
bool isRowMajor(KernelOp kernel) {
  ArrayRef<int64_t> shape = *kernel.getShape(), rows = *kernel.getRowDims(),
                    columns = *kernel.getColumnDims();
  int64_t lastRow = -1;
  for (int64_t dim : rows)
    if (shape[dim] != 1)
      lastRow = dim;
  return llvm::all_of(
      columns, [&](int64_t dim) { return shape[dim] == 1 || dim > lastRow; });
}

/// Whether a value inside a kernel is nothing but a left matrix, in any shape.
bool isLeftMatrixOnly(Value inside) {
  return llvm::all_of(inside.getUses(), [](OpOperand &use) {
    if (isa<ReshapeOp>(use.getOwner()))
      return isLeftMatrixOnly(use.getOwner()->getResult(0));
    return isa<MatmulOp>(use.getOwner()) && use.getOperandNumber() == 0;
  });
}

/// Whether the consumer reads results of the producer in another way than as a
/// left matrix: it would do so from HBM, where they are not yet.
bool readsOtherwise(KernelOp consumer, KernelOp producer) {
  for (auto [inside, input] : llvm::zip(
           consumer.getBody().front().getArguments(), consumer.getInputs())) {
    Operation *maker = behindReshapes(input).getDefiningOp();
    if (maker == producer && !isLeftMatrixOnly(inside))
      return true;
  }
  return false;
}

} // namespace

bool neuron::fusion::isReadOnlyBy(Value result, KernelOp consumer) {
  return llvm::all_of(result.getUsers(), [&](Operation *user) {
    return user == consumer ||
           (isa<ReshapeOp>(user) && isReadOnlyBy(user->getResult(0), consumer));
  });
}

SmallVector<ChainLink> neuron::fusion::chainLinks(KernelOp producer,
                                                  KernelOp consumer) {
  SmallVector<ChainLink> links;
  if (!hasSpace(producer) || !hasSpace(consumer) || !isRowMajor(producer))
    return links;
  Extent from(producer), to(consumer);
  bool batchesAgree =
      from.batches == 1 || to.batches == 1 || from.batches == to.batches;
  if (from.rows != to.rows || !batchesAgree)
    return links;
  if (readsOtherwise(consumer, producer))
    return links;
  for (MatmulOp op : consumer.getBody().front().getOps<MatmulOp>()) {
    auto made = dyn_cast_or_null<OpResult>(inputOf(consumer, op.getLhs()));
    if (!made || made.getOwner() != producer)
      continue;
    int64_t elements = cast<RankedTensorType>(made.getType()).getNumElements();
    // One that is no row of the producer would come from HBM, too early.
    if (from.columns != llvm::product_of(op.getKSizes()) ||
        elements != from.rows * from.columns)
      return {};
    links.push_back({op, made.getResultNumber()});
  }
  return links;
}

KernelOp neuron::fusion::chainProducer(KernelOp consumer) {
  for (MatmulOp op : consumer.getBody().front().getOps<MatmulOp>())
    if (Value made = inputOf(consumer, op.getLhs()))
      if (auto producer = made.getDefiningOp<KernelOp>())
        if (!chainLinks(producer, consumer).empty())
          return producer;
  return {};
}

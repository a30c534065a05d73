//===- KernelShape.cpp - the shape attribute of a kernel ------------------===//
#include "passes/fusion/KernelShape.h"
#include "dialects/neuron/Shapes.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

// An elementwise kernel takes dimensions into its rows' length up to this many
// elements, because an instruction's start-up is paid once a row.
static constexpr int64_t longEnoughRow = 512;

static bool reduces(Operation *op) {
  return isa<ReductionOpInterface, NamedOpInterface>(op);
}

/// Takes the user's own shape of a value that runs along every dimension, if
/// there is one whose dimensions are those of the space.
void KernelShape::chooseSizes(const Group &group, const Grouping &grouping) {
  auto take = [&](ArrayRef<int64_t> shape) {
    size_t long_ = llvm::count_if(shape, [](int64_t s) { return s != 1; });
    bool hasRoom = shape.size() == long_ ||
                   shape.size() + group.dimensionsBeside <= maxRank;
    if (long_ != space.sizes.size() || !hasRoom)
      return false;
    sizes.assign(shape.begin(), shape.end());
    for (auto [d, size] : llvm::enumerate(shape))
      if (size != 1)
        position.push_back(d);
    return true;
  };
  for (Operation *op : group.ops)
    if (reduces(op) &&
        grouping.operandMask(op->getOpOperand(0), space) == space.all() &&
        take(shapeOf(op->getOperand(0))))
      return;
  for (Operation *op : group.ops) {
    auto scatter = dyn_cast<ScatterOp>(op);
    if (scatter && take(scatter.getSpace()))
      return;
    if (!scatter && grouping.maskOf(op->getResult(0)) == space.all() &&
        take(shapeOf(op->getResult(0))))
      return;
  }
  take(space.sizes);
}

/// Columns of a kernel without reductions: the side with the innermost
/// dimension, if values are broadcast; else as many inner dimensions as make
/// rows long while they leave enough of them.
Mask KernelShape::chooseColumns(int64_t partitions) const {
  if (space.sizes.empty())
    return 0;
  Mask inner = Mask(1u << (space.sizes.size() - 1));
  Mask side = *space.split();
  if (side)
    return side & inner ? side : Mask(space.all() & ~side);
  Mask columns = inner;
  for (int d = space.sizes.size() - 2; d >= 0; --d) {
    Mask grown = Mask(columns | 1u << d);
    if (space.elements(columns) >= longEnoughRow ||
        space.elements(space.all() & ~grown) < partitions)
      break;
    columns = grown;
  }
  return columns;
}

KernelShape::KernelShape(const Group &group, const Grouping &grouping,
                         int64_t partitions)
    : space(group.space) {
  chooseSizes(group, grouping);
  Mask columns = space.columns ? *space.columns : chooseColumns(partitions);
  // A dimension of size 1 is a column if the user reduces over it.
  llvm::SmallBitVector reduced(sizes.size());
  for (Operation *op : group.ops) {
    ArrayRef<int64_t> dims;
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      dims = reduction.getReducedDims();
    else if (auto named = dyn_cast<NamedOpInterface>(op))
      dims = named.getNormalizedDims();
    else
      continue;
    ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
    if (shape != ArrayRef<int64_t>(sizes))
      continue;
    for (int64_t dim : dims)
      reduced.set(dim);
  }
  unsigned d = 0;
  for (unsigned p = 0; p < sizes.size(); ++p) {
    bool isLong = d < position.size() && position[d] == p;
    bool column = isLong ? columns >> d & 1 : reduced.test(p);
    (column ? columnDims : rowDims).push_back(p);
    d += isLong;
  }
}

SmallVector<int64_t> KernelShape::full(Mask mask) const {
  SmallVector<int64_t> shape(sizes.size(), 1);
  for (unsigned d = 0; d < position.size(); ++d)
    if (mask >> d & 1)
      shape[position[d]] = sizes[position[d]];
  return shape;
}

bool KernelShape::isAligned(ArrayRef<int64_t> shape, Mask mask) const {
  SmallVector<int64_t> wanted = full(mask);
  if (shape.size() > wanted.size())
    return false;
  ArrayRef<int64_t> rest(wanted);
  return llvm::all_of(rest.drop_back(shape.size()),
                      [](int64_t size) { return size == 1; }) &&
         rest.take_back(shape.size()) == shape;
}

SmallVector<int64_t> KernelShape::dims(Mask mask, unsigned rank) const {
  SmallVector<int64_t> result;
  for (unsigned d = 0; d < position.size(); ++d)
    if (mask >> d & 1)
      result.push_back(int64_t(position[d]) - int64_t(sizes.size() - rank));
  return result;
}

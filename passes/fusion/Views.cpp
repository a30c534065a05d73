//===- Views.cpp - which views strides can express ------------------------===//
#include "passes/fusion/Views.h"
#include "dialects/neuron/Shapes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

namespace {

struct Strided {
  SmallVector<int64_t, maxRank> sizes, strides;
};

Strided dense(ArrayRef<int64_t> shape) {
  Strided result{SmallVector<int64_t, maxRank>(shape), {}};
  result.strides.resize(shape.size());
  int64_t stride = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    result.strides[d] = stride;
    stride *= shape[d];
  }
  return result;
}

/// Strides of a reshape of strided elements, if there are any: every group of
/// dimensions that merges must be evenly spaced as one.
std::optional<Strided> reshaped(const Strided &from, ArrayRef<int64_t> shape) {
  // Merge what is evenly spaced; drop dimensions of size 1.
  Strided merged;
  for (auto [size, stride] : llvm::zip(from.sizes, from.strides)) {
    if (size == 1)
      continue;
    if (!merged.sizes.empty() && merged.strides.back() == stride * size) {
      merged.sizes.back() *= size;
      merged.strides.back() = stride;
      continue;
    }
    merged.sizes.push_back(size);
    merged.strides.push_back(stride);
  }
  // Split from the innermost dimension outward.
  Strided result{SmallVector<int64_t, maxRank>(shape), {}};
  result.strides.assign(shape.size(), 0);
  int64_t at = merged.sizes.size() - 1, left = at < 0 ? 1 : merged.sizes[at];
  int64_t stride = at < 0 ? 1 : merged.strides[at];
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] == 1)
      continue;
    if (left == 1) {
      if (--at < 0)
        return std::nullopt;
      left = merged.sizes[at];
      stride = merged.strides[at];
    }
    if (shape[d] == 0 || left % shape[d] != 0)
      return std::nullopt;
    result.strides[d] = stride;
    stride *= shape[d];
    left /= shape[d];
  }
  return result;
}

std::optional<Strided> view(Operation *op, const Strided &from) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (isa<ReshapeOp>(op))
    return reshaped(from, shape);
  Strided result{SmallVector<int64_t, maxRank>(shape), {}};
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    for (int64_t d : permute.getPermutation())
      result.strides.push_back(from.strides[d]);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    for (auto [stride, step] : llvm::zip(from.strides, slice.getSteps()))
      result.strides.push_back(stride * step);
  } else if (auto window = dyn_cast<WindowOp>(op)) {
    result.strides = from.strides;
    int64_t &stride = result.strides[window.getDim()];
    int64_t inner = stride * window.getDilation();
    stride *= window.getStep();
    result.strides.insert(result.strides.begin() + window.getDim() + 1, inner);
  } else {
    size_t lead = shape.size() - from.sizes.size();
    result.strides.assign(lead, 0);
    for (size_t d = 0; d < from.sizes.size(); ++d)
      result.strides.push_back(
          from.sizes[d] == shape[lead + d] ? from.strides[d] : 0);
  }
  return result;
}

bool makesElements(Operation *op) {
  return isa<ElementwiseOpInterface, ReductionOpInterface, NamedOpInterface,
             MatmulOp, MemoryReaderOpInterface, IotaOp, RandomOp, ConcatOp>(op);
}

/// What a value shows, through any views.
Value below(Value value) {
  while (auto op = value.getDefiningOp<ViewOpInterface>())
    value = op.getViewed();
  return value;
}

/// The scatter by which an input is updated where it lies, if the function
/// returns that in the input's place and nothing else is in the way. Whether it
/// can be done so is known when the kernels are (neuron-materialize-outputs).
ScatterOp updateOf(func::FuncOp func, OpOperand &returned) {
  auto input = func.getResultAttrOfType<IntegerAttr>(
      returned.getOperandNumber(), "neuron.aliases_input");
  auto scatter = below(returned.get()).getDefiningOp<ScatterOp>();
  bool updates = input && scatter &&
                 below(scatter.getDest()) == func.getArgument(input.getInt());
  return updates ? scatter : ScatterOp();
}

/// A view that a function returns needs bytes of its own, unless it is a
/// reshape of what a kernel writes.
Operation *viewToCopy(Value returned) {
  while (auto reshape = returned.getDefiningOp<ReshapeOp>())
    returned = reshape.getInput();
  Operation *op = returned.getDefiningOp();
  return op && isa<ViewOpInterface>(op) ? op : nullptr;
}

} // namespace

Views::Views(func::FuncOp func) {
  Operation *terminator = func.getBody().front().getTerminator();
  DenseSet<Operation *> updates;
  for (OpOperand &returned : terminator->getOpOperands())
    if (ScatterOp scatter = updateOf(func, returned))
      updates.insert(scatter);
    else if (Operation *op = viewToCopy(returned.get()))
      copied.insert(op);

  llvm::DenseMap<Value, Strided> layouts;
  // As what updates an input lies if it does so where the input is.
  llvm::DenseMap<Value, Strided> layoutsInPlace;
  auto layoutOf = [&](Value value) -> Strided & {
    auto [it, inserted] = layouts.try_emplace(value);
    if (!inserted)
      return it->second;
    it->second = dense(shapeOf(value));
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto strides = func.getArgAttrOfType<DenseI64ArrayAttr>(
              argument.getArgNumber(), "neuron.strides"))
        it->second.strides.assign(strides.asArrayRef().begin(),
                                  strides.asArrayRef().end());
    return it->second;
  };
  // Whether strides can express a view, wherever its input will lie.
  auto isExpressible = [&](ViewOpInterface op) {
    Value input = op.getViewed(), result = op->getResult(0);
    auto layout = view(op, layoutOf(input));
    std::optional<Strided> inPlace;
    auto known = layoutsInPlace.find(input);
    if (known != layoutsInPlace.end() && !(inPlace = view(op, known->second)))
      return false;
    if (!layout)
      return false;
    layouts[result] = std::move(*layout);
    if (inPlace)
      layoutsInPlace[result] = std::move(*inPlace);
    return true;
  };
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (updates.contains(&op))
      layoutsInPlace[op.getResult(0)] = layoutOf(cast<ScatterOp>(op).getDest());
    auto viewOp = dyn_cast<ViewOpInterface>(op);
    if (!viewOp || copied.contains(&op) || isExpressible(viewOp))
      continue;
    Value input = viewOp.getViewed();
    Operation *copy = input.getDefiningOp();
    if (!copy || makesElements(copy)) { // it has no view to be copied
      OpBuilder builder(&op);
      copy = ExpandOp::create(builder, op.getLoc(), input.getType(), input);
      op.setOperand(0, copy->getResult(0));
    }
    copied.insert(copy);
    layouts[copy->getResult(0)] = dense(shapeOf(input));
    layouts[op.getResult(0)] = dense(shapeOf(op.getResult(0)));
  }
}

bool Views::isComputed(Operation *op) const {
  return op && (makesElements(op) || copied.contains(op));
}

Value Views::root(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ViewOpInterface>(op) || copied.contains(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Value Views::reshapeRoot(Value value) const {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (copied.contains(reshape))
      break;
    value = reshape.getInput();
  }
  return value;
}

Views::Source Views::lookThrough(Value value, Mask mask,
                                 IterationSpace &space) const {
  Source source;
  source.value = value;
  source.mask = mask;
  while (Operation *op = source.value.getDefiningOp()) {
    if (!isa<ViewOpInterface>(op) || copied.contains(op))
      break;
    if (isa<PermuteOp, SliceOp, WindowOp>(op)) {
      source.failure = "its elements are read in another order";
      break;
    }
    Value input = op->getOperand(0);
    ArrayRef<int64_t> from = shapeOf(input), to = shapeOf(source.value);
    if (isa<ExpandOp>(op)) {
      auto runs = space.runs(source.mask, to);
      size_t lead = to.size() - from.size();
      for (size_t d = 0; d < to.size(); ++d)
        if (d < lead || from[d - lead] != to[d])
          source.mask &= Mask(~runs[d]);
    } else {
      IterationSpace before;
      for (int64_t size : from)
        if (size != 1)
          before.sizes.push_back(size);
      Unified both = unify(space, before, Link(source.mask, before.all()));
      if (!both) {
        source.failure = both.failure;
        break;
      }
      space = both.space;
      source.mask = both.first(source.mask);
      source.remap = source.remap.then(both.first);
    }
    source.value = input;
  }
  return source;
}

//===- KernelBuilder.cpp - writes the kernels of a grouping ---------------===//
#include "passes/fusion/KernelBuilder.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/IRMapping.h"
#include "passes/fusion/KernelNames.h"
#include "passes/fusion/KernelShape.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

namespace {

Type elementType(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// A reshape of a reshape is one; one to the same shape is none.
Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  if (auto before = value.getDefiningOp<ReshapeOp>())
    value = before.getInput();
  if (shapeOf(value) == shape)
    return value;
  return ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, elementType(value)), value);
}

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                        : DenseElementsAttr();
  return dense && dense.isSplat();
}

/// Builds one kernel.
class KernelWriter {
public:
  KernelWriter(const Group &group, const Grouping &grouping, const Views &views,
               int64_t partitions, const IRMapping &outer)
      : group(group), grouping(grouping), views(views), outer(outer),
        shape(group, grouping, partitions),
        builder(group.ops.front()->getContext()) {}

  KernelOp build(OpBuilder &at, StringRef name, Location loc,
                 SmallVectorImpl<Value> &results);

private:
  const Group &group;
  const Grouping &grouping;
  const Views &views;
  const IRMapping &outer;
  KernelShape shape;
  OpBuilder builder;
  Block *body = nullptr;
  SmallVector<Value> inputs;
  DenseMap<Value, Value> arguments; ///< kernel input -> block argument
  DenseMap<Value, Value> computed;  ///< value of the group -> value inside
  DenseMap<Value, Value> natural;   ///< viewed input -> value inside

  Value argument(Value root);
  Value input(Value value);
  Value aligned(Value value, Mask mask, Location loc);
  Value constant(ConstantOp op, Value use, Mask mask);
  Value operand(OpOperand &use, bool broadcasts);
  Value expand(Value value, Mask mask, Location loc);
  Value elementwise(Operation *op);
  Value reduction(Operation *op);
  Value named(Operation *op);
  Value matmul(MatmulOp op);
  Value copy(Operation *op);
  Value iota(IotaOp op);
  Value indexed(Value value, ArrayRef<int64_t> space, Mask mask, Location loc);
  Value gather(GatherOp op);
  Value scatter(ScatterOp op);
  Value random(RandomOp op);
  Value convert(Operation *op);
};

Value KernelWriter::argument(Value root) {
  Value &argument = arguments[root];
  if (!argument) {
    Value input = outer.lookupOrDefault(root);
    inputs.push_back(input);
    argument = body->addArgument(input.getType(), root.getLoc());
  }
  return argument;
}

/// A value of HBM, through the user's views of it.
Value KernelWriter::input(Value value) {
  if (Value known = natural.lookup(value))
    return known;
  Value root = views.root(value);
  SmallVector<Operation *> chain;
  for (Value at = value; at != root; at = at.getDefiningOp()->getOperand(0))
    chain.push_back(at.getDefiningOp());
  Value inside = natural.lookup(root);
  if (!inside)
    inside = natural[root] =
        reshape(builder, root.getLoc(), argument(root), shapeOf(root));
  for (Operation *op : llvm::reverse(chain)) {
    if (isa<ReshapeOp>(op)) {
      inside =
          reshape(builder, op->getLoc(), inside, shapeOf(op->getResult(0)));
      continue;
    }
    IRMapping mapping;
    mapping.map(op->getOperand(0), inside);
    inside = builder.clone(*op, mapping)->getResult(0);
  }
  return natural[value] = inside;
}

Value KernelWriter::aligned(Value value, Mask mask, Location loc) {
  if (shape.isAligned(shapeOf(value), mask))
    return value;
  return reshape(builder, loc, value, shape.full(mask));
}

Value KernelWriter::constant(ConstantOp op, Value use, Mask mask) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  SmallVector<int64_t> sizes(shapeOf(use));
  if (!shape.isAligned(sizes, mask))
    sizes = shape.full(mask);
  auto type = RankedTensorType::get(sizes, elementType(use));
  return ConstantOp::create(builder, op.getLoc(), elements.resizeSplat(type));
}

Value KernelWriter::expand(Value value, Mask mask, Location loc) {
  SmallVector<int64_t> wanted = shape.full(mask);
  ArrayRef<int64_t> rest = wanted;
  size_t rank = shapeOf(value).size();
  if (llvm::all_of(rest.drop_back(rank), [](int64_t s) { return s == 1; }) &&
      rest.take_back(rank) == shapeOf(value))
    return value;
  return ExpandOp::create(
      builder, loc, RankedTensorType::get(wanted, elementType(value)), value);
}

/// The operand inside the kernel, in line with its shape. Where the user of the
/// operand broadcasts by itself, explicit expands are left out.
Value KernelWriter::operand(OpOperand &use, bool broadcasts) {
  Value value = use.get();
  Location loc = use.getOwner()->getLoc();
  Mask mask = grouping.operandMask(use, shape.space);
  Value root = views.root(value);
  if (isSplat(root))
    return constant(root.getDefiningOp<ConstantOp>(), value, mask);
  if (grouping.isComputed(root) && grouping.groupOf(root) == &group) {
    IterationSpace space = shape.space;
    Value inside = computed.lookup(views.lookThrough(value, mask, space).value);
    if (broadcasts)
      return inside;
    // An elementwise op's operand need not run along whole sides of the kernel
    // (rule F4): its result does.
    Operation *user = use.getOwner();
    if (isa<ElementwiseOpInterface>(user))
      mask = grouping.maskOf(user->getResult(0));
    return expand(inside, mask, loc);
  }
  while (broadcasts && value != root) {
    auto op = value.getDefiningOp<ExpandOp>();
    if (!op)
      break;
    ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(value);
    auto runs = shape.space.runs(mask, to);
    size_t lead = to.size() - from.size();
    for (size_t d = 0; d < to.size(); ++d)
      if (d < lead || from[d - lead] != to[d])
        mask &= Mask(~runs[d]);
    value = op.getInput();
  }
  return aligned(input(value), mask, loc);
}

Value KernelWriter::elementwise(Operation *op) {
  Mask mask = grouping.maskOf(op->getResult(0));
  auto operands = [&](bool broadcasts) {
    SmallVector<Value> values;
    for (OpOperand &use : op->getOpOperands())
      values.push_back(operand(use, broadcasts));
    return values;
  };
  auto broadcastShape = [&](ArrayRef<Value> values) {
    size_t rank = 0;
    for (Value value : values)
      rank = std::max(rank, shapeOf(value).size());
    SmallVector<int64_t> result(rank, 1);
    for (Value value : values)
      for (auto [into, size] : llvm::zip(
               llvm::MutableArrayRef(result).take_back(shapeOf(value).size()),
               shapeOf(value)))
        into = into == 1 ? size : into;
    return result;
  };
  SmallVector<Value> values = operands(/*broadcasts=*/true);
  SmallVector<int64_t> sizes = broadcastShape(values);
  if (!shape.isAligned(sizes, mask)) {
    values = operands(/*broadcasts=*/false);
    sizes = broadcastShape(values);
  }
  Operation *made = op->cloneWithoutRegions();
  builder.insert(made);
  made->setOperands(values);
  made->getResult(0).setType(
      RankedTensorType::get(sizes, elementType(op->getResult(0))));
  return made->getResult(0);
}

Value KernelWriter::reduction(Operation *op) {
  OpOperand &use = op->getOpOperand(0);
  Value value = operand(use, /*broadcasts=*/false);
  Mask before = grouping.operandMask(use, shape.space);
  Mask after = grouping.maskOf(op->getResult(0));
  auto reduction = cast<ReductionOpInterface>(op);
  SmallVector<int64_t> dims(reduction.getReducedDims());
  bool keeps = reduction.keepsDims();
  bool natural = value.getType() == use.get().getType();
  SmallVector<int64_t> sizes(shapeOf(op->getResult(0)));
  if (!natural)
    dims = shape.dims(Mask(before & ~after), shapeOf(value).size());
  if (!natural || !shape.isAligned(sizes, after)) {
    keeps = true;
    sizes.assign(shapeOf(value).begin(), shapeOf(value).end());
    for (int64_t dim : dims)
      sizes[dim] = 1;
  }
  Operation *made = op->cloneWithoutRegions();
  builder.insert(made);
  made->setOperand(0, value);
  made->setAttr("dims", builder.getDenseI64ArrayAttr(dims));
  if (keeps)
    made->setAttr("keepdim", builder.getUnitAttr());
  else
    made->removeAttr("keepdim");
  made->getResult(0).setType(
      RankedTensorType::get(sizes, elementType(op->getResult(0))));
  return made->getResult(0);
}

Value KernelWriter::named(Operation *op) {
  SmallVector<Value> values;
  size_t rank = 0;
  for (OpOperand &use : op->getOpOperands()) {
    values.push_back(operand(use, /*broadcasts=*/false));
    rank = std::max(rank, shapeOf(values.back()).size());
  }
  Mask mask = grouping.maskOf(op->getResult(0));
  if (shapeOf(values[0]).size() < rank)
    values[0] = reshape(builder, op->getLoc(), values[0], shape.full(mask));
  SmallVector<int64_t> dims(cast<NamedOpInterface>(op).getNormalizedDims());
  if (values[0].getType() != op->getOperand(0).getType())
    dims =
        shape.dims(shape.space.columns.value_or(0), shapeOf(values[0]).size());
  Operation *made = op->cloneWithoutRegions();
  builder.insert(made);
  made->setOperands(values);
  made->setAttr("dims", builder.getDenseI64ArrayAttr(dims));
  made->getResult(0).setType(
      RankedTensorType::get(shapeOf(values[0]), elementType(op->getResult(0))));
  return made->getResult(0);
}

/// A product whose dimensions are those of the kernel: where those of the user
/// are cut, the matrices are.
Value KernelWriter::matmul(MatmulOp op) {
  Location loc = op.getLoc();
  Value lhs = input(op.getLhs()), rhs = input(op.getRhs());
  Mask mask = grouping.maskOf(op.getResult());
  if (shape.isAligned(op.getType().getShape(), mask))
    return MatmulOp::create(builder, loc, op.getType(), lhs, rhs, op.getBatch(),
                            op.getContract());
  SmallVector<int64_t> batch, m, n;
  auto runs = shape.space.runs(mask, op.getType().getShape());
  size_t firstColumn = runs.size() - op.getNSizes().size();
  SmallVector<int64_t> *groupOf[maxRank], *current = &batch;
  for (auto [d, run] : llvm::enumerate(runs))
    for (unsigned dim = 0; dim < maxRank; ++dim)
      if (run >> dim & 1)
        groupOf[dim] = d < size_t(op.getBatch()) ? &batch
                       : d < firstColumn         ? &m
                                                 : &n;
  // Dimensions of size 1 go with the one before them.
  unsigned dim = 0;
  for (auto [p, size] : llvm::enumerate(shape.sizes)) {
    if (dim < shape.position.size() && shape.position[dim] == p)
      current = groupOf[dim++];
    current->push_back(size);
  }
  auto joined = [](std::initializer_list<ArrayRef<int64_t>> parts) {
    SmallVector<int64_t> result;
    for (ArrayRef<int64_t> part : parts)
      result.append(part.begin(), part.end());
    return result;
  };
  lhs = reshape(builder, loc, lhs, joined({batch, m, op.getKSizes()}));
  rhs = reshape(builder, loc, rhs, joined({batch, op.getKSizes(), n}));
  auto type = RankedTensorType::get(joined({batch, m, n}),
                                    op.getType().getElementType());
  return MatmulOp::create(builder, loc, type, lhs, rhs, batch.size(),
                          op.getContract());
}

/// A view that the kernel writes as it is.
Value KernelWriter::copy(Operation *op) {
  Mask mask = grouping.maskOf(op->getResult(0));
  if (isa<ExpandOp>(op))
    return expand(operand(op->getOpOperand(0), /*broadcasts=*/true), mask,
                  op->getLoc());
  IRMapping mapping;
  mapping.map(op->getOperand(0), input(op->getOperand(0)));
  return aligned(builder.clone(*op, mapping)->getResult(0), mask, op->getLoc());
}

Value KernelWriter::iota(IotaOp op) {
  Mask mask = grouping.maskOf(op.getResult());
  auto made = cast<IotaOp>(builder.clone(*op));
  if (shape.isAligned(op.getType().getShape(), mask))
    return made;
  auto runs = shape.space.runs(mask, op.getType().getShape());
  SmallVector<int64_t> sizes = shape.full(mask);
  // An iota along a dimension of size 1 is one element: any dimension will do.
  SmallVector<int64_t> dims = shape.dims(runs[op.getDim()], sizes.size());
  if (dims.empty())
    return reshape(builder, op.getLoc(), made, sizes);
  made.setDim(dims[0]);
  made.getResult().setType(
      RankedTensorType::get(sizes, elementType(op.getResult())));
  return made;
}

/// The indexed operand [n, rest...] of an op that goes over `space`, which runs
/// along `mask`: the rest gets the kernel's dimensions.
Value KernelWriter::indexed(Value value, ArrayRef<int64_t> space, Mask mask,
                            Location loc) {
  ArrayRef<int64_t> sizes = shapeOf(value), rest = sizes.drop_front();
  auto runs = shape.space.runs(mask, space);
  Mask along = 0;
  size_t lead = space.size() - rest.size();
  for (size_t d = 0; d < rest.size(); ++d)
    if (rest[d] != 1)
      along |= runs[lead + d];
  SmallVector<int64_t> inside{sizes.front()};
  llvm::append_range(inside, shape.full(along));
  return reshape(builder, loc, input(value), inside);
}

Value KernelWriter::gather(GatherOp op) {
  Mask mask = grouping.maskOf(op.getResult());
  Value value =
      indexed(op.getInput(), shapeOf(op.getResult()), mask, op.getLoc());
  Value index = operand(op.getIndexMutable(), /*broadcasts=*/true);
  auto type = RankedTensorType::get(shape.full(mask), elementType(value));
  return GatherOp::create(builder, op.getLoc(), type, value, index);
}

Value KernelWriter::scatter(ScatterOp op) {
  Mask mask = grouping.maskOf(op.getResult());
  Value dest = indexed(op.getDest(), op.getSpace(), mask, op.getLoc());
  Value index = operand(op.getIndexMutable(), /*broadcasts=*/false);
  Value updates = operand(op.getUpdatesMutable(), /*broadcasts=*/false);
  return ScatterOp::create(builder, op.getLoc(), dest.getType(), dest, index,
                           updates, op.getReduce());
}

Value KernelWriter::random(RandomOp op) {
  Value key = operand(op.getKeyMutable(), /*broadcasts=*/true);
  auto type = RankedTensorType::get(shape.full(grouping.maskOf(op.getResult())),
                                    elementType(op.getResult()));
  return RandomOp::create(builder, op.getLoc(), type, key);
}

Value KernelWriter::convert(Operation *op) {
  if (auto gatherOp = dyn_cast<GatherOp>(op))
    return gather(gatherOp);
  if (auto scatterOp = dyn_cast<ScatterOp>(op))
    return scatter(scatterOp);
  if (auto randomOp = dyn_cast<RandomOp>(op))
    return random(randomOp);
  if (auto iotaOp = dyn_cast<IotaOp>(op))
    return iota(iotaOp);
  if (isa<ReductionOpInterface>(op))
    return reduction(op);
  if (isa<NamedOpInterface>(op))
    return named(op);
  if (auto product = dyn_cast<MatmulOp>(op))
    return matmul(product);
  if (isa<ViewOpInterface>(op))
    return copy(op);
  return elementwise(op);
}

KernelOp KernelWriter::build(OpBuilder &at, StringRef name, Location loc,
                             SmallVectorImpl<Value> &results) {
  auto region = std::make_unique<Region>();
  body = &region->emplaceBlock();
  builder.setInsertionPointToEnd(body);
  for (Operation *op : group.ops)
    computed[op->getResult(0)] = convert(op);
  SmallVector<Value> yielded;
  for (Operation *op : group.ops) {
    Value value = op->getResult(0);
    if (!grouping.written().contains(value))
      continue;
    results.push_back(value);
    yielded.push_back(computed[value]);
  }
  YieldOp::create(builder, loc, yielded);
  // Views that alignment made superfluous.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (op.use_empty() && isa<ViewOpInterface, ConstantOp>(op))
      op.erase();

  SmallVector<Type> types(ValueRange(yielded).getTypes());
  auto kernel = KernelOp::create(at, loc, types, inputs, at.getStringAttr(name),
                                 at.getDenseI64ArrayAttr(shape.sizes),
                                 at.getDenseI64ArrayAttr(shape.rowDims),
                                 at.getDenseI64ArrayAttr(shape.columnDims));
  kernel.getBody().takeBody(*region);
  return kernel;
}

/// The op that the kernel is reported at: its first named op or reduction.
Operation *dominant(const Group &group) {
  for (Operation *op : group.ops)
    if (isa<NamedOpInterface, MatmulOp>(op))
      return op;
  for (Operation *op : group.ops)
    if (isa<ReductionOpInterface>(op))
      return op;
  return group.ops.back();
}

} // namespace

/// What the op reads of memory, with its views outside of kernels.
static Value operandOutside(OpBuilder &at, Value value, const Views &views,
                            IRMapping &outer) {
  if (Value known = outer.lookupOrNull(value))
    return shapeOf(known) == shapeOf(value)
               ? known
               : reshape(at, value.getLoc(), known, shapeOf(value));
  Value root = views.root(value);
  if (root == value)
    return value;
  Operation *view = value.getDefiningOp();
  Value input = operandOutside(at, view->getOperand(0), views, outer);
  if (isa<ReshapeOp>(view))
    return reshape(at, view->getLoc(), input, shapeOf(value));
  IRMapping mapping;
  mapping.map(view->getOperand(0), input);
  return at.clone(*view, mapping)->getResult(0);
}

void neuron::fusion::buildKernels(func::FuncOp func, const Grouping &grouping,
                                  const Views &views, int64_t partitions) {
  Block &block = func.getBody().front();
  Operation *terminator = block.getTerminator();
  OpBuilder at(terminator);
  IRMapping outer;
  KernelNames names;
  for (const Group *group : grouping.ordered()) {
    if (auto concat = dyn_cast<ConcatOp>(group->ops.front())) {
      auto made = cast<ConcatOp>(at.clone(*concat));
      for (OpOperand &use : concat->getOpOperands()) {
        // Before the concat, behind the kernels.
        OpBuilder before(made);
        made->setOperand(use.getOperandNumber(),
                         operandOutside(before, use.get(), views, outer));
      }
      outer.map(concat.getResult(), made.getResult());
      continue;
    }
    SmallVector<Value> results;
    KernelWriter writer(*group, grouping, views, partitions, outer);
    KernelOp kernel = writer.build(at, names.name(group->ops),
                                   dominant(*group)->getLoc(), results);
    for (auto [value, output] : llvm::zip(results, kernel.getOutputs()))
      outer.map(value, output);
  }
  for (OpOperand &use : terminator->getOpOperands())
    if (grouping.isComputed(views.root(use.get())))
      use.set(operandOutside(at, use.get(), views, outer));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && !isa<KernelOp>(op) && &op != terminator)
      op.erase();
}

//===- Grouping.cpp - which ops make one kernel ---------------------------===//
#include "passes/fusion/Grouping.h"
#include "dialects/neuron/Shapes.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

// Groups that read one input are compared with this many others, so that an
// input with thousands of readers costs linear time.
static constexpr unsigned readersCompared = 4;
// Inputs of either side among which a shared one is looked for.
static constexpr unsigned inputsCompared = 64;

// What tryJoin answers to a join that is put off.
static const char *const waits = "waits for a reduction";

static int64_t elementBytes(Value value) {
  return llvm::divideCeil(
      cast<RankedTensorType>(value.getType()).getElementTypeBitWidth(), 8);
}

static bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                        : DenseElementsAttr();
  return dense && dense.isSplat();
}

/// Copies of permuted or sliced elements read memory, not a value on chip, and
/// so do products of matrices and gathers; the operands of a concat are in
/// memory.
static bool readsMemory(OpOperand &use) {
  return isa<PermuteOp, SliceOp, WindowOp, ReshapeOp, ConcatOp, MatmulOp>(
             use.getOwner()) ||
         isReadInMemory(use);
}

/// Whether the op stands between kernels, alone in its group.
static bool isBetweenKernels(Operation *op) { return isa<ConcatOp>(op); }

static ArrayRef<int64_t> reducedDims(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduction.getReducedDims();
  if (auto named = dyn_cast<NamedOpInterface>(op))
    return named.getNormalizedDims();
  return {};
}

/// The mask of a value that broadcasts against `shape` with these runs.
static Mask broadcastMask(ArrayRef<Mask> runs, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> from) {
  Mask mask = 0;
  size_t lead = shape.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == shape[lead + d])
      mask |= runs[lead + d];
  return mask;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Grouping::Node Grouping::find(Node node) const {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

const Group *Grouping::groupOf(Value computed) const {
  return &groups[nodeOf(computed.getDefiningOp())];
}

Grouping::Node Grouping::addNode(Operation *op) {
  SmallVector<Node> predecessors;
  for (Value operand : op->getOperands())
    if (Operation *root = views.root(operand).getDefiningOp();
        views.isComputed(root))
      predecessors.push_back(nodeOf(root));
  Node node = graph.add(predecessors);
  parents.push_back(node);
  index[op] = node;

  Group &group = groups.emplace_back();
  group.ops.push_back(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!isSplat(views.root(operand.get())))
      group.reads.push_back(&operand);
  bool reduces = isa<ReductionOpInterface, NamedOpInterface>(op);
  SmallVector<int64_t> shape(
      shapeOf(reduces ? op->getOperand(0) : op->getResult(0)));
  if (auto scatter = dyn_cast<ScatterOp>(op))
    shape.assign(scatter.getSpace());
  IterationSpace &space = group.space;
  for (int64_t size : shape)
    if (size != 1)
      space.sizes.push_back(size);
  auto runs = space.runs(space.all(), shape);
  Mask result = space.all();
  if (reduces) {
    Mask reduced = 0;
    for (int64_t dim : reducedDims(op))
      reduced |= runs[dim];
    space.columns = reduced;
    if (isa<ReductionOpInterface>(op))
      result &= Mask(~reduced);
  }
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    Mask batch = 0, columns = 0;
    size_t firstColumn = runs.size() - matmul.getNSizes().size();
    for (auto [d, run] : llvm::enumerate(runs)) {
      batch |= d < size_t(matmul.getBatch()) ? run : Mask(0);
      columns |= d >= firstColumn ? run : Mask(0);
    }
    space.columns = columns;
    space.product = {space.all(), batch};
    group.dimensionsBeside = matmul.getContract();
  }
  if (isa<GatherOp, ScatterOp>(op))
    group.dimensionsBeside = 1;
  if (auto iota = dyn_cast<IotaOp>(op); iota && !runs.empty())
    space.whole = runs[iota.getDim()];
  space.cover(result);
  masks[op->getResult(0)] = result;
  return node;
}

Mask Grouping::operandMask(OpOperand &use, const IterationSpace &space) const {
  Operation *op = use.getOwner();
  Value result = op->getResult(0);
  Mask mask = masks.lookup(result);
  if (isa<ReductionOpInterface>(op)) {
    bool reduces = llvm::any_of(reducedDims(op), [&](int64_t dim) {
      return shapeOf(use.get())[dim] != 1;
    });
    return reduces ? Mask(mask | space.columns.value_or(0)) : mask;
  }
  if (readsMemory(use))
    return mask;
  SmallVector<int64_t> shape(
      shapeOf(isa<NamedOpInterface>(op) ? op->getOperand(0) : result));
  if (auto scatter = dyn_cast<ScatterOp>(op))
    shape.assign(scatter.getSpace());
  return broadcastMask(space.runs(mask, shape), shape, shapeOf(use.get()));
}

//===----------------------------------------------------------------------===//
// Joining two groups
//===----------------------------------------------------------------------===//

/// A join of two groups: where their values go in a common space.
struct Grouping::Plan {
  Node producer, consumer;
  SmallVector<Link> links;
  SmallVector<std::pair<OpOperand *, Value>> passed; ///< reader and source
  IterationSpace consumerSpace;
  Remap producerRemap = Remap::identity();
  Remap consumerRemap = Remap::identity();
  IterationSpace space;
  int64_t savedBytes = 0;
  /// One input that both read, where that is known.
  OpOperand *sharedProducer = nullptr, *sharedConsumer = nullptr;
};

/// Where ops of a group use a computed value, directly or through views.
SmallVector<OpOperand *> Grouping::usesInside(Value value, Node group) const {
  SmallVector<OpOperand *> found;
  SmallVector<Value> values{value};
  while (!values.empty()) {
    for (OpOperand &use : values.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (index.count(user)) {
        if (nodeOf(user) == group)
          found.push_back(&use);
      } else if (isa<ViewOpInterface>(user)) {
        values.push_back(user->getResult(0));
      }
    }
  }
  return found;
}

/// Operands of the consumer that the producer computes, found from the side on
/// which there is less to look at.
SmallVector<OpOperand *> Grouping::passing(const Plan &plan) const {
  const Group &producer = groups[plan.producer];
  const Group &consumer = groups[plan.consumer];
  SmallVector<OpOperand *> found;
  if (8 * producer.ops.size() < consumer.reads.size()) {
    for (Operation *op : producer.ops)
      found.append(usesInside(op->getResult(0), plan.consumer));
    return found;
  }
  for (OpOperand *use : consumer.reads) {
    Operation *root = views.root(use->get()).getDefiningOp();
    if (views.isComputed(root) && nodeOf(root) == plan.producer)
      found.push_back(use);
  }
  return found;
}

/// Inputs that both read in full; they tie the two spaces together.
void Grouping::addSharedInputs(Plan &plan) const {
  const Group &producer = groups[plan.producer];
  const Group &consumer = groups[plan.consumer];
  auto first = [](ArrayRef<OpOperand *> reads) {
    return reads.take_front(inputsCompared);
  };
  SmallVector<OpOperand *> producerReads(first(producer.reads));
  SmallVector<OpOperand *> consumerReads(first(consumer.reads));
  if (plan.sharedProducer) {
    producerReads.assign({plan.sharedProducer});
    consumerReads.assign({plan.sharedConsumer});
  }
  llvm::DenseMap<Value, Mask> read;
  for (OpOperand *use : producerReads)
    if (!readsMemory(*use))
      read[views.reshapeRoot(use->get())] = operandMask(*use, producer.space);
  for (OpOperand *use : consumerReads) {
    auto it = read.find(views.reshapeRoot(use->get()));
    if (it == read.end() || readsMemory(*use))
      continue;
    Mask mask = operandMask(*use, consumer.space);
    if (it->second != producer.space.all() || mask != consumer.space.all() ||
        !mask)
      continue;
    plan.links.push_back({it->second, plan.consumerRemap(mask)});
    plan.savedBytes += consumer.space.elements(mask) * elementBytes(use->get());
  }
}

/// Finds the common space, or says why there is none.
std::string Grouping::planJoin(Plan &plan) const {
  const Group &producer = groups[plan.producer];
  const Group &consumer = groups[plan.consumer];
  plan.consumerSpace = consumer.space;
  for (OpOperand *use : passing(plan)) {
    if (readsMemory(*use))
      return "its elements are read in another order";
    if (isa<ScatterOp>(views.root(use->get()).getDefiningOp()))
      return "it is scattered over memory";
    Mask mask = plan.consumerRemap(operandMask(*use, consumer.space));
    Views::Source source =
        views.lookThrough(use->get(), mask, plan.consumerSpace);
    if (!source.failure.empty())
      return source.failure;
    for (Link &link : plan.links)
      link.second = source.remap(link.second);
    plan.consumerRemap = plan.consumerRemap.then(source.remap);
    Mask made = masks.lookup(source.value);
    plan.links.push_back({made, source.mask});
    plan.passed.push_back({use, source.value});
    if (made)
      plan.savedBytes +=
          producer.space.elements(made) * elementBytes(source.value);
  }
  bool bothLoop = producer.space.all() && consumer.space.all();
  if (plan.savedBytes == 0 && bothLoop)
    addSharedInputs(plan);
  if (plan.savedBytes == 0 && bothLoop)
    return "only a scalar passes between them, so nothing would be saved";
  Unified unified = unify(producer.space, plan.consumerSpace, plan.links);
  if (!unified)
    return unified.failure;
  plan.space = std::move(unified.space);
  plan.producerRemap = unified.first;
  plan.consumerRemap = plan.consumerRemap.then(unified.second);
  return {};
}

Residency::Operand
Grouping::residencyOperand(OpOperand &use, const Plan &plan,
                           const IterationSpace &space) const {
  Node node = nodeOf(use.getOwner());
  const Remap &remap =
      node == plan.producer ? plan.producerRemap : plan.consumerRemap;
  // Matrices stream through SBUF, tile by tile.
  if (isa<MatmulOp>(use.getOwner()))
    return {use.get(), 0, false, false};
  Mask mask = remap(operandMask(use, groups[node].space));
  Value root = views.root(use.get());
  bool inside = false;
  if (views.isComputed(root.getDefiningOp())) {
    Node from = nodeOf(root.getDefiningOp());
    inside = from == plan.producer || from == plan.consumer;
    if (inside)
      mask &= (from == plan.producer ? plan.producerRemap
                                     : plan.consumerRemap)(masks.lookup(root));
  }
  Mask columns = space.columns.value_or(0);
  int64_t bytes =
      mask & columns ? space.elements(mask & columns) * elementBytes(root) : 0;
  bool invariant = bytes && !(mask & ~columns) && (space.all() & ~columns);
  return {inside ? root : use.get(), bytes, invariant, inside};
}

SmallVector<Residency::Operand>
Grouping::residencyOperands(Operation *op, const Plan &plan,
                            const IterationSpace &space) const {
  SmallVector<Residency::Operand> operands;
  for (OpOperand &use : op->getOpOperands())
    if (!isSplat(views.root(use.get())) && !isReadInMemory(use))
      operands.push_back(residencyOperand(use, plan, space));
  return operands;
}

/// The consumer waits for passes of the producer: moves the readers of what is
/// passed, and all that follows from them, to later passes.
void Grouping::delayReaders(Residency &residency, const Plan &plan) const {
  using Entry = std::pair<unsigned, Operation *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  auto push = [&](Operation *op) { queue.push({index.lookup(op), op}); };
  for (auto [use, value] : plan.passed)
    push(use->getOwner());
  Operation *last = nullptr;
  while (!queue.empty()) {
    Operation *op = queue.top().second;
    queue.pop();
    if (op == std::exchange(last, op))
      continue;
    Value value = op->getResult(0);
    Mask columns = plan.space.columns.value_or(0);
    Mask mask = plan.consumerRemap(masks.lookup(value));
    int64_t bytes = mask & columns ? plan.space.elements(mask & columns) *
                                         elementBytes(value)
                                   : 0;
    bool invariant =
        bytes && !(mask & ~columns) && (plan.space.all() & ~columns);
    if (residency.delay(op, residencyOperands(op, plan, plan.space),
                        {value, bytes, invariant, true}))
      for (OpOperand *use : usesInside(value, plan.consumer))
        push(use->getOwner());
  }
}

/// Adds the smaller side's ops to the larger side's estimate, and takes them
/// back if the rows that must stay on chip have no room.
std::string Grouping::fitBudget(Plan &plan) {
  Group *base = &groups[plan.producer], *added = &groups[plan.consumer];
  bool intoConsumer = added->ops.size() > base->ops.size();
  if (intoConsumer)
    std::swap(base, added);
  llvm::sort(added->ops, [&](Operation *a, Operation *b) {
    return index.lookup(a) < index.lookup(b);
  });
  Residency &residency = base->residency;
  residency.begin();
  for (Operation *op : added->ops)
    residency.add(op, residencyOperands(op, plan, plan.space));
  if (intoConsumer)
    delayReaders(residency, plan);
  if (sbufBytes && residency.bytes() > sbufBytes) {
    std::string why = "SBUF budget: needs " +
                      std::to_string(residency.bytes()) + " bytes of " +
                      std::to_string(sbufBytes) + " on a partition";
    residency.rollback();
    return why;
  }
  residency.commit();
  if (intoConsumer)
    std::swap(groups[plan.producer].residency, groups[plan.consumer].residency);
  return {};
}

/// A scatter goes over rows and columns in row-major order: no other op must
/// choose them.
bool Grouping::isAlone(Node node) const {
  return isa<ScatterOp>(groups[node].ops.front());
}

/// A sort has whole rows on chip: keys, results and indices.
bool Grouping::sortsTooMuch(const Plan &plan) const {
  auto sorts = [](const Group &group) {
    return llvm::any_of(
        group.ops, [](Operation *op) { return isa<SortOp, ArgsortOp>(op); });
  };
  if (!sbufBytes || !plan.space.columns)
    return false;
  constexpr int64_t bytesOfColumn = 48;
  int64_t columns = plan.space.elements(*plan.space.columns);
  return columns > sbufBytes / bytesOfColumn &&
         (sorts(groups[plan.producer]) || sorts(groups[plan.consumer]));
}

bool Grouping::hasTooManyDimensions(const Plan &plan) const {
  return plan.space.sizes.size() +
             std::max(groups[plan.producer].dimensionsBeside,
                      groups[plan.consumer].dimensionsBeside) >
         maxRank;
}

/// Makes one group of two, or returns why not.
///
/// A join that would fix rows and columns only because something is broadcast
/// is a guess while later ops may still bring reductions: it waits.
std::string Grouping::tryJoin(Node a, Node b, OpOperand *readA,
                              OpOperand *readB) {
  for (Node node : {a, b})
    if (isBetweenKernels(groups[node].ops.front()))
      return "several kernels write its result";
  if (isAlone(a) || isAlone(b))
    return "what scatters goes over its elements in their own order";
  if (!graph.canContract(a, b))
    return "another kernel has to run between them";
  Plan plan;
  plan.producer = graph.level(a) <= graph.level(b) ? a : b;
  plan.consumer = plan.producer == a ? b : a;
  plan.sharedProducer = plan.producer == a ? readA : readB;
  plan.sharedConsumer = plan.producer == a ? readB : readA;
  if (std::string why = planJoin(plan); !why.empty())
    return why;
  bool guesses = !plan.space.columns && *plan.space.split() != 0 &&
                 *groups[a].space.split() == 0 && *groups[b].space.split() == 0;
  if (guesses && mayWait)
    return waits;
  if (sortsTooMuch(plan))
    return "a sort needs its whole rows on chip";
  if (hasTooManyDimensions(plan))
    return tooManyDimensions;
  if (std::string why = fitBudget(plan); !why.empty())
    return why;

  auto isIdentity = [](const Remap &remap, const IterationSpace &space) {
    for (unsigned d = 0; d < space.sizes.size(); ++d)
      if (remap.to[d] != 1u << d)
        return false;
    return true;
  };
  for (Node node : {plan.producer, plan.consumer}) {
    const Remap &remap =
        node == plan.producer ? plan.producerRemap : plan.consumerRemap;
    if (isIdentity(remap, groups[node].space))
      continue;
    for (Operation *op : groups[node].ops) {
      Mask &mask = masks[op->getResult(0)];
      mask = remap(mask);
    }
  }
  Group &producer = groups[plan.producer], &consumer = groups[plan.consumer];
  auto appendSmaller = [](auto &into, auto &from) {
    if (into.size() < from.size())
      std::swap(into, from);
    into.append(from.begin(), from.end());
    from.clear();
  };
  appendSmaller(producer.ops, consumer.ops);
  appendSmaller(producer.reads, consumer.reads);
  producer.space = std::move(plan.space);
  producer.dimensionsBeside =
      std::max(producer.dimensionsBeside, consumer.dimensionsBeside);
  Node keep = graph.contract(plan.producer, plan.consumer);
  Node gone = keep == plan.producer ? plan.consumer : plan.producer;
  if (keep != plan.producer)
    std::swap(groups[keep], groups[gone]);
  groups[gone] = {};
  parents[gone] = keep;
  return {};
}

//===----------------------------------------------------------------------===//
// Order of joins
//===----------------------------------------------------------------------===//

void Grouping::joinProducers(Operation *op) {
  Node node = nodeOf(op);
  llvm::SmallMapVector<Operation *, int64_t, 4> producers;
  for (Value operand : op->getOperands()) {
    Value root = views.root(operand);
    if (Operation *producer = root.getDefiningOp(); views.isComputed(producer))
      producers[producer] =
          cast<RankedTensorType>(root.getType()).getNumElements() *
          elementBytes(root);
  }
  auto order = producers.takeVector();
  llvm::stable_sort(order, [&](auto &a, auto &b) {
    if (a.second != b.second)
      return a.second > b.second;
    return groups[nodeOf(a.first)].ops.size() <
           groups[nodeOf(b.first)].ops.size();
  });
  for (auto &[producer, bytes] : order) {
    Node self = find(node), other = nodeOf(producer);
    if (self == other)
      continue;
    std::string why = tryJoin(other, self);
    if (!why.empty())
      attempts.push_back({producer, op, why});
  }
}

/// Takes up the joins that waited.
void Grouping::joinWaiting() {
  mayWait = false;
  for (Cut &cut : attempts) {
    Node producer = nodeOf(cut.producer), reader = nodeOf(cut.reader);
    if (cut.reason == waits && producer != reader)
      cut.reason = tryJoin(producer, reader);
  }
}

/// Joins groups that read the same value in full.
void Grouping::joinReaders() {
  llvm::MapVector<Value, SmallVector<OpOperand *>> readers;
  for (Operation &op : func.getBody().front()) {
    if (!index.count(&op))
      continue;
    const IterationSpace &space = groups[nodeOf(&op)].space;
    for (OpOperand &use : op.getOpOperands())
      if (space.all() && !readsMemory(use) && !isSplat(views.root(use.get())) &&
          operandMask(use, space) == space.all())
        readers[views.reshapeRoot(use.get())].push_back(&use);
  }
  for (auto &[value, uses] : readers) {
    SmallVector<OpOperand *> kept;
    for (OpOperand *use : uses) {
      bool joined = false;
      ArrayRef<OpOperand *> recent(kept);
      for (OpOperand *other : recent.take_back(readersCompared)) {
        Node a = nodeOf(other->getOwner()), b = nodeOf(use->getOwner());
        joined = a == b || tryJoin(a, b, other, use).empty();
        if (joined)
          break;
      }
      if (!joined)
        kept.push_back(use);
    }
  }
}

Grouping::Grouping(func::FuncOp func, const Views &views, int64_t sbufBytes)
    : views(views), sbufBytes(sbufBytes), func(func) {
  for (Operation &op : func.getBody().front()) {
    if (!views.isComputed(&op))
      continue;
    Node node = addNode(&op);
    Plan alone;
    alone.producer = alone.consumer = node;
    groups[node].residency.add(
        &op, residencyOperands(&op, alone, groups[node].space));
    joinProducers(&op);
  }
  joinWaiting();
  joinReaders();
  finish();
}

void Grouping::finish() {
  for (Cut &cut : attempts)
    if (nodeOf(cut.producer) != nodeOf(cut.reader))
      finalCuts.push_back(std::move(cut));
  for (Group &group : groups) {
    llvm::sort(group.ops, [&](Operation *a, Operation *b) {
      return index.lookup(a) < index.lookup(b);
    });
    for (OpOperand *use : group.reads)
      if (Value root = views.root(use->get());
          isComputed(root) && groupOf(root) != &group)
        outputs.insert(root);
  }
  for (Value returned : func.getBody().front().getTerminator()->getOperands())
    if (Value root = views.root(returned); isComputed(root))
      outputs.insert(root);
}

SmallVector<const Group *> Grouping::ordered() const {
  // Among those that can run, the group that starts first in the program.
  auto start = [&](Node node) { return index.lookup(groups[node].ops[0]); };
  using Entry = std::pair<unsigned, Node>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  llvm::DenseMap<Node, unsigned> waiting;
  std::vector<SmallVector<Node>> successors(groups.size());
  for (Node node = 0; node < groups.size(); ++node) {
    if (groups[node].ops.empty())
      continue;
    waiting[node] = graph.predecessors(node).size();
    for (Node pred : graph.predecessors(node))
      successors[pred].push_back(node);
    if (!waiting[node])
      ready.push({start(node), node});
  }
  SmallVector<const Group *> order;
  while (!ready.empty()) {
    Node node = ready.top().second;
    ready.pop();
    order.push_back(&groups[node]);
    for (Node next : successors[node])
      if (--waiting[next] == 0)
        ready.push({start(next), next});
  }
  return order;
}

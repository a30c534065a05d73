//===- Importer.cpp - from an ATen graph to the neuron dialect ------------===//
#include "compiler/import/Importer.h"
#include "compiler/import/Assertions.h"
#include "compiler/import/NodeBuilder.h"
#include "compiler/import/StaticIndex.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/program/Injective.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

void import::loadDialects(MLIRContext &context) {
  context.loadDialect<ir::NeuronDialect, func::FuncDialect>();
}

namespace {

constexpr int64_t kMaxRank = Emitter::kMaxRank;

class GraphImporter {
public:
  GraphImporter(MLIRContext &context, const Graph &graph)
      : graph(graph), builder(&context), emitter(builder),
        assertions(graph, emitter), values(graph.nodes.size()),
        bases(graph.nodes.size()) {}

  Imported run();

private:
  const Graph &graph;
  OpBuilder builder;
  Emitter emitter;
  Assertions assertions;
  Imported imported;
  func::FuncOp function;
  /// Results of each node; null where the node failed or has no tensor.
  std::vector<SmallVector<Value>> values;
  /// The node whose memory each node's tensor lies in: itself unless it is a
  /// view.
  std::vector<unsigned> bases;
  std::vector<int> placeholderOf = std::vector<int>(graph.nodes.size(), -1);
  struct Mutation {
    unsigned placeholder, source;
  };
  std::vector<Mutation> mutations;
  /// Result of the function by (value, base node).
  SmallVector<Value> returned;
  Value keys; ///< all of them
  unsigned usedKeys = 0;

  void unsupported(unsigned node, const Twine &reason, const Twine &hint = "") {
    imported.unsupported.push_back({node, reason.str(), hint.str()});
  }
  std::string device; ///< "neuron:0" of the tensors that are on one
  bool checkTensors(unsigned index);
  void addArguments();
  void addKeys();
  Value nextKey();
  void importNode(unsigned index);
  void importCall(unsigned index);
  bool importSpecial(unsigned index);
  Value asWritten(unsigned index, const TensorMeta &target);
  bool importAssertion(unsigned index);
  bool usesScalar(const ArgumentList &arguments) const;
  void setLocation(unsigned index);
  bool takeKnownIndex(unsigned index);
  void importGetItem(unsigned index);
  void importOutput(const Node &node);
  OutputSpec describeOutput(const Argument &argument);
  unsigned addResult(unsigned node, int mutatedPlaceholder = -1);
  void finish();
  void eraseDeadCode();
  NamedAttribute stridesAttr(const TensorMeta &meta) {
    return builder.getNamedAttr("neuron.strides",
                                builder.getDenseI64ArrayAttr(meta.strides));
  }
  NamedAttribute nameAttr(StringRef name) {
    return builder.getNamedAttr("neuron.name", builder.getStringAttr(name));
  }
};

} // namespace

static std::string describe(const TensorMeta &meta) {
  return meta.dtypeName + ir::shapeText(meta.shape);
}

/// Whether elements may lie on each other, as those of an unfolded tensor do.
static bool mayOverlap(const TensorMeta &meta) {
  program::StridedDims dims;
  for (auto [size, stride] : llvm::zip(meta.shape, meta.strides))
    dims.emplace_back(stride, size);
  return meta.numel() != 0 && !program::isInjective(std::move(dims));
}

/// CPU tensors are copied to the device, or are reached by it where they lie.
static bool isOurDevice(StringRef device) {
  return device == "cpu" || device.starts_with("neuron");
}

/// Whether every tensor of a node can be on the device at all.
bool GraphImporter::checkTensors(unsigned index) {
  const Node &node = graph.nodes[index];
  for (const TensorMeta &meta : node.results) {
    if (meta.dynamic)
      return unsupported(index, "a size is not known at compile time",
                         "compile with dynamic=False, or avoid operations "
                         "whose shape depends on data"),
             false;
    if (!meta.dtype)
      return unsupported(index, "dtype " + meta.dtypeName + " is not supported",
                         "supported are bool, the integer types, float16, "
                         "bfloat16, float32 and float64"),
             false;
    if (static_cast<int64_t>(meta.shape.size()) > kMaxRank)
      return unsupported(index,
                         "rank " + Twine(meta.shape.size()) + " is more than " +
                             Twine(kMaxRank),
                         "reshape to fewer dimensions"),
             false;
    // Eager writes into a copy that overlaps likewise.
    if (StringRef(node.target).ends_with("_scatter.default") &&
        mayOverlap(meta))
      return unsupported(index,
                         "the elements of what it changes a part of share "
                         "memory (strides " +
                             ir::shapeText(meta.strides) + ")",
                         "call .contiguous() on it first"),
             false;
    if (!isOurDevice(meta.device))
      return unsupported(index, "a tensor on device " + meta.device,
                         "move it to the CPU or a neuron device before the "
                         "compiled function"),
             false;
    if (meta.device != "cpu") {
      if (device.empty())
        device = meta.device;
      if (meta.device != device)
        return unsupported(index,
                           "tensors on two devices, " + device + " and " +
                               meta.device,
                           "compile one function for each device"),
               false;
    }
  }
  return true;
}

void GraphImporter::addArguments() {
  Block *block = &function.front();
  unsigned position = 0;
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    bases[index] = index;
    if (node.kind != Node::Kind::Placeholder)
      continue;
    placeholderOf[index] = position++;
    if (node.results.empty() || !checkTensors(index))
      continue;
    const TensorMeta &meta = node.results[0];
    if (meta.numel() == 0) {
      values[index] = {emitter.empty(*meta.dtype, meta.shape)};
      continue;
    }
    Value argument = block->addArgument(emitter.type(*meta.dtype, meta.shape),
                                        builder.getUnknownLoc());
    imported.arguments.push_back(placeholderOf[index]);
    values[index] = {argument};
  }
}

/// Two keys for each call that may draw random numbers.
void GraphImporter::addKeys() {
  unsigned placeholders = 0;
  for (const Node &node : graph.nodes) {
    placeholders += node.kind == Node::Kind::Placeholder;
    const AtenRow *row =
        node.kind == Node::Kind::Call ? findAtenRow(node.target) : nullptr;
    if (row && (row->flags & kRandom))
      imported.randomKeys += 2;
  }
  if (imported.randomKeys == 0)
    return;
  keys = function.front().addArgument(
      emitter.type(DType::I64, int64_t(imported.randomKeys)),
      builder.getUnknownLoc());
  imported.arguments.push_back(placeholders);
}

Value GraphImporter::nextKey() {
  Value key = emitter.slice(keys, int64_t(usedKeys++), 1, 1);
  return emitter.reshape(key, {});
}

void GraphImporter::importGetItem(unsigned index) {
  const Node &node = graph.nodes[index];
  const NodeRef *source = node.args[0].as<NodeRef>();
  const int64_t *position = node.args[1].as<int64_t>();
  if (!source || !position)
    return unsupported(index,
                       "getitem of something that is not a list of tensors");
  auto &list = values[source->index];
  if (list.empty())
    return; // the source failed, or has no tensor
  size_t item = *position < 0 ? *position + list.size() : *position;
  if (item >= list.size())
    return unsupported(index, "getitem out of range");
  values[index] = {list[item]};
  const Node &producer = graph.nodes[source->index];
  const AtenRow *row = findAtenRow(producer.target);
  if (row && (row->flags & kView))
    bases[index] = bases[source->index];
}

/// The value that copy_ writes, in the dtype and shape of its target.
Value GraphImporter::asWritten(unsigned index, const TensorMeta &target) {
  Value value = values[index].front();
  if (value.getType() == emitter.type(*target.dtype, target.shape))
    return value;
  setLocation(index);
  imported.locations.push_back(index);
  value = emitter.cast(value, *target.dtype);
  SmallVector<int64_t> shape(
      mlir::cast<RankedTensorType>(value.getType()).getShape());
  while (shape.size() < target.shape.size())
    shape.insert(shape.begin(), 1);
  return emitter.expand(emitter.reshape(value, shape), target.shape);
}

/// What is no computation: the writing back of mutated inputs.
bool GraphImporter::importSpecial(unsigned index) {
  const Node &node = graph.nodes[index];
  if (node.target == "aten.copy_.default") {
    const NodeRef *target = node.args[0].as<NodeRef>(),
                  *source = node.args[1].as<NodeRef>();
    if (!target || !source ||
        graph.nodes[target->index].kind != Node::Kind::Placeholder) {
      unsupported(index, "copy_ to a tensor that is not an input of the graph");
      return true;
    }
    bases[index] = target->index;
    values[index] = values[source->index];
    const TensorMeta &written = graph.nodes[target->index].results[0];
    if (!values[index].empty() && checkTensors(target->index) &&
        written.numel() != 0)
      values[index] = {asWritten(index, written)};
    mutations.push_back({target->index, index});
    return true;
  }
  // Metadata is what the graph was traced with; the executor checks the inputs
  // against it.
  return node.target == "aten._assert_tensor_metadata.default";
}

/// Assertions, and what they are about if that is no tensor.
bool GraphImporter::importAssertion(unsigned index) {
  setLocation(index);
  switch (assertions.take(index, [&](NodeRef ref) {
    auto &known = values[ref.index];
    return known.empty() ? Value() : known.front();
  })) {
  case Assertions::Taken::No:
    return false;
  case Assertions::Taken::Failed:
    if (!assertions.reason().empty())
      unsupported(index, assertions.reason(), "assert on a tensor instead");
    return true;
  case Assertions::Taken::Yes:
    while (imported.assertions.size() < assertions.all().size())
      imported.assertions.push_back(
          {unsigned(imported.locations.size()),
           assertions.all()[imported.assertions.size()].message});
    imported.locations.push_back(index);
    return true;
  }
  llvm_unreachable("all cases return");
}

void GraphImporter::setLocation(unsigned index) {
  emitter.setLocation(NameLoc::get(
      builder.getStringAttr("L" + Twine(imported.locations.size())),
      NameLoc::get(builder.getStringAttr(graph.nodes[index].target))));
}

/// Indexing by what is known at compile time needs views and concats only. What
/// is not so, or cannot be imported at all, is left to the table.
bool GraphImporter::takeKnownIndex(unsigned index) {
  const Node &node = graph.nodes[index];
  if (!isIndexing(node) || node.results.size() != 1)
    return false;
  const TensorMeta &meta = node.results[0];
  if (meta.dynamic || !meta.dtype || !isOurDevice(meta.device) ||
      int64_t(meta.shape.size()) > kMaxRank || meta.numel() == 0)
    return false;
  setLocation(index);
  Value taken = importKnownIndex(emitter, node, [&](NodeRef ref) {
    auto &known = values[ref.index];
    return known.empty() ? Value() : known.front();
  });
  if (emitter.takeRankOverflow() != 0 || !taken ||
      taken.getType() != emitter.type(*meta.dtype, meta.shape))
    return false;
  imported.locations.push_back(index);
  values[index] = {taken};
  return true;
}

bool GraphImporter::usesScalar(const ArgumentList &arguments) const {
  return llvm::any_of(arguments, [&](const Argument &argument) {
    const NodeRef *ref = argument.as<NodeRef>();
    const ArgumentList *list = argument.as<ArgumentList>();
    return ref ? assertions.isScalar(ref->index) : list && usesScalar(*list);
  });
}

void GraphImporter::importCall(unsigned index) {
  const Node &node = graph.nodes[index];
  if (importSpecial(index) || importAssertion(index) || takeKnownIndex(index))
    return;
  if (usesScalar(node.args))
    return unsupported(
        index,
        "uses an element of a tensor as a number, which is known "
        "only when the graph runs",
        "compute with the tensor, or in a graph break "
        "(fullgraph=False)");
  const AtenRow *row = findAtenRow(node.target);
  if (!row) {
    unsupported(index,
                node.unknownSchema ? "not an ATen operation"
                                   : "no lowering for this operation",
                "compute it outside the compiled function, or in a graph break "
                "(fullgraph=False)");
    return;
  }
  if (!checkTensors(index) || node.results.empty())
    return;
  // Constants of no elements need no operation.
  if (llvm::all_of(node.results,
                   [](const TensorMeta &meta) { return meta.numel() == 0; })) {
    for (const TensorMeta &meta : node.results)
      values[index].push_back(emitter.empty(*meta.dtype, meta.shape));
  } else {
    bool ready = true;
    std::function<void(const Argument &)> check =
        [&](const Argument &argument) {
          if (const NodeRef *ref = argument.as<NodeRef>())
            ready &= !values[ref->index].empty();
          if (const ArgumentList *list = argument.as<ArgumentList>())
            llvm::for_each(*list, check);
        };
    llvm::for_each(node.args, check);
    if (!ready)
      return; // an operand failed and was reported
    setLocation(index);
    NodeBuilder nodeBuilder(
        graph, node, *row, emitter,
        [&](NodeRef ref) { return values[ref.index].front(); },
        [&] { return nextKey(); });
    row->build(nodeBuilder);
    imported.locations.push_back(index);
    size_t rank = emitter.takeRankOverflow();
    if (!nodeBuilder.failure().empty())
      return unsupported(index, nodeBuilder.failure());
    if (rank != 0)
      return unsupported(index,
                         "takes " + Twine(rank) +
                             " dimensions on the device, which has 8",
                         "reshape to fewer dimensions");
    for (auto [position, meta] : llvm::enumerate(node.results)) {
      Value value = nodeBuilder.results()[position];
      if (meta.numel() == 0)
        value = emitter.empty(*meta.dtype, meta.shape);
      if (!value || value.getType() != emitter.type(*meta.dtype, meta.shape)) {
        std::string built;
        llvm::raw_string_ostream(built) << (value ? value.getType() : Type());
        values[index].clear();
        return unsupported(index,
                           "internal error: the importer built " + built +
                               " where PyTorch has " + describe(meta),
                           "please report it");
      }
      values[index].push_back(value);
    }
  }
  const NodeRef *viewed =
      node.args.empty() ? nullptr : node.args[0].as<NodeRef>();
  if (!(row->flags & kView) || !viewed)
    return;
  // view(dtype) of another dtype is computed: strides of the base's elements
  // would not describe it.
  const auto &from = graph.nodes[bases[viewed->index]].results;
  if (node.results.empty() || from.empty() ||
      node.results[0].dtype == from[0].dtype)
    bases[index] = bases[viewed->index];
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Whether elements beside each other are the same memory.
static bool isExpanded(const TensorMeta &meta) {
  return meta.numel() != 0 &&
         llvm::any_of(llvm::zip(meta.shape, meta.strides), [](auto dim) {
           return std::get<0>(dim) > 1 && std::get<1>(dim) == 0;
         });
}

unsigned GraphImporter::addResult(unsigned node, int mutatedPlaceholder) {
  Value value = values[node].front();
  const TensorMeta &meta =
      mutatedPlaceholder < 0
          ? graph.nodes[node].results[0]
          : graph.nodes[mutations[mutatedPlaceholder].placeholder].results[0];
  int placeholder =
      mutatedPlaceholder < 0
          ? -1
          : placeholderOf[mutations[mutatedPlaceholder].placeholder];
  if (placeholder < 0)
    for (auto [index, result] : llvm::enumerate(imported.results))
      if (returned[index] == value && result.mutatedPlaceholder < 0 &&
          result.meta.strides == meta.strides &&
          result.meta.device == meta.device)
        return index;
  ResultSpec spec{"output" + std::to_string(returned.size()), meta,
                  placeholder};
  spec.meta.storageOffset = 0;
  if (placeholder < 0 && isExpanded(meta)) {
    // What is in memory once is written once; the caller gets a view.
    SmallVector<int64_t> sizes(meta.shape.begin(), meta.shape.end());
    for (auto [size, stride] : llvm::zip(sizes, meta.strides))
      size = stride == 0 ? 1 : size;
    value = emitter.slice(value, SmallVector<int64_t>(sizes.size(), 0),
                          SmallVector<int64_t>(sizes.size(), 1), sizes);
    spec.meta.shape.assign(sizes.begin(), sizes.end());
  }
  if (mayOverlap(spec.meta))
    unsupported(node,
                "a result whose elements share memory (strides " +
                    ir::shapeText(meta.strides) + " of " +
                    ir::shapeText(meta.shape) + ")",
                "make the tensor that it is written to, or whose layout it "
                "keeps, contiguous first: .contiguous() or .clone()");
  imported.results.push_back(std::move(spec));
  returned.push_back(value);
  return returned.size() - 1;
}

OutputSpec GraphImporter::describeOutput(const Argument &argument) {
  OutputSpec spec;
  const NodeRef *ref = argument.as<NodeRef>();
  if (!ref) {
    if (argument.isNumber())
      spec.kind = OutputSpec::Kind::Number;
    spec.number = argument;
    return spec;
  }
  const Node &node = graph.nodes[ref->index];
  if (assertions.isScalar(ref->index))
    unsupported(ref->index, "an element of a tensor is returned as a number",
                "return the tensor");
  if (node.results.empty() || values[ref->index].empty())
    return spec; // reported elsewhere
  unsigned base = bases[ref->index];
  const TensorMeta &viewed = graph.nodes[base].results[0];
  spec.meta = node.results[0];
  spec.meta.storageOffset -= viewed.storageOffset;
  // A view that covers its base is still a tensor of its own (resize_ of one
  // must not resize the other).
  spec.whole = (ref->index == base || node.target == "aten.copy_.default") &&
               !isExpanded(viewed);
  if (placeholderOf[base] >= 0) {
    spec.kind = OutputSpec::Kind::Input;
    spec.index = placeholderOf[base];
  } else if (spec.meta.numel() == 0) {
    spec.kind = OutputSpec::Kind::Empty;
  } else {
    spec.kind = OutputSpec::Kind::Result;
    spec.index = addResult(base);
  }
  return spec;
}

void GraphImporter::importOutput(const Node &node) {
  const ArgumentList *list =
      node.args.empty() ? nullptr : node.args[0].as<ArgumentList>();
  for (const Argument &argument : list ? *list : node.args)
    imported.outputs.push_back(describeOutput(argument));
}

void GraphImporter::importNode(unsigned index) {
  const Node &node = graph.nodes[index];
  switch (node.kind) {
  case Node::Kind::Placeholder:
    return;
  case Node::Kind::Constant:
    if (!node.results.empty() && checkTensors(index))
      values[index] = {emitter.constantData(*node.results[0].dtype,
                                            node.results[0].shape, node.data)};
    return;
  case Node::Kind::GetItem:
    return importGetItem(index);
  case Node::Kind::Call:
    return importCall(index);
  case Node::Kind::Output:
    return importOutput(node);
  }
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void GraphImporter::eraseDeadCode() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void GraphImporter::finish() {
  for (auto [index, mutation] : llvm::enumerate(mutations))
    if (!values[mutation.source].empty() &&
        graph.nodes[mutation.placeholder].results[0].numel() != 0)
      addResult(mutation.source, index);
  if (Value holds = assertions.result()) {
    TensorMeta meta;
    meta.dtype = DType::Bool;
    meta.dtypeName = "bool";
    meta.device = "cpu";
    meta.shape = {int64_t(imported.assertions.size())};
    meta.strides = {1};
    imported.results.push_back({"assertions", meta});
    returned.push_back(holds);
  }
  func::ReturnOp::create(builder, function.getLoc(), returned);
  eraseDeadCode();

  Block &block = function.front();
  llvm::BitVector unused(block.getNumArguments());
  std::vector<unsigned> used;
  for (BlockArgument argument : block.getArguments()) {
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
    else
      used.push_back(imported.arguments[argument.getArgNumber()]);
  }
  block.eraseArguments(unused);
  imported.arguments = std::move(used);

  std::vector<const Node *> placeholders;
  for (const Node &node : graph.nodes)
    if (node.kind == Node::Kind::Placeholder)
      placeholders.push_back(&node);
  // In place only if the function reads the input too; otherwise it is a plain
  // result.
  llvm::DenseSet<int> aliased;
  for (auto [result, value] : llvm::zip(imported.results, returned)) {
    if (result.mutatedPlaceholder < 0)
      continue;
    auto found = llvm::find(imported.arguments,
                            static_cast<unsigned>(result.mutatedPlaceholder));
    if (found == imported.arguments.end())
      continue;
    int position = found - imported.arguments.begin();
    if (block.getArgument(position).getType() != value.getType())
      continue;
    result.aliasedArgument = position;
    result.name = placeholders[result.mutatedPlaceholder]->name;
    aliased.insert(position);
  }
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  for (auto [position, placeholder] : llvm::enumerate(imported.arguments)) {
    if (placeholder == placeholders.size()) {
      TensorMeta meta;
      meta.strides = {1};
      argumentAttrs.push_back(builder.getDictionaryAttr(
          {nameAttr("random_keys"), stridesAttr(meta)}));
      continue;
    }
    const Node &node = *placeholders[placeholder];
    std::string name =
        node.name + (aliased.contains(position) ? kAliasSuffix : "");
    argumentAttrs.push_back(builder.getDictionaryAttr(
        {nameAttr(name), stridesAttr(node.results[0])}));
  }
  for (const ResultSpec &result : imported.results) {
    SmallVector<NamedAttribute> attributes = {nameAttr(result.name),
                                              stridesAttr(result.meta)};
    if (result.aliasedArgument >= 0)
      attributes.push_back(builder.getNamedAttr(
          "neuron.aliases_input",
          builder.getI64IntegerAttr(result.aliasedArgument)));
    resultAttrs.push_back(builder.getDictionaryAttr(attributes));
  }
  function.setType(builder.getFunctionType(block.getArgumentTypes(),
                                           ValueRange(returned).getTypes()));
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
}

Imported GraphImporter::run() {
  imported.module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(imported.module->getBody());
  function = func::FuncOp::create(builder,
                                  NameLoc::get(builder.getStringAttr("graph")),
                                  "main", builder.getFunctionType({}, {}));
  function.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&function.front());
  addArguments();
  addKeys();
  for (unsigned index = 0; index < graph.nodes.size(); ++index)
    importNode(index);
  if (!imported.unsupported.empty()) {
    imported.module = {};
    return std::move(imported);
  }
  finish();
  return std::move(imported);
}

Imported import::importGraph(MLIRContext &context, const Graph &graph) {
  loadDialects(context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(message) << diagnostic.str() << "\n";
    return success();
  });
  Imported imported = GraphImporter(context, graph).run();
  if (imported.module && failed(verify(*imported.module))) {
    imported.unsupported.push_back(
        {0, "internal error: invalid IR: " + message, "please report it"});
    imported.module = {};
  }
  return imported;
}

//===- Graph.cpp - one operation as a graph -------------------------------===//
#include "runtime/device/eager/Graph.h"
#include "runtime/device/Runtime.h"
#include "runtime/device/TorchTypes.h"
#include "runtime/device/eager/Eager.h"
#include "runtime/device/eager/Signature.h"
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/StringUtil.h>

using namespace neuron;
using namespace neuron::device;
using import::Argument;
using import::ArgumentList;
using import::Graph;
using import::Node;
using import::NodeRef;

import::TensorMeta device::metaOf(const at::Tensor &tensor) {
  import::TensorMeta meta;
  meta.dtype = dtypeOf(tensor.scalar_type());
  if (tensor.is_conj() || tensor.is_neg())
    meta.dtype = std::nullopt;
  meta.dtypeName = meta.dtype ? std::string(program::nameOf(*meta.dtype))
                              : c10::toString(tensor.scalar_type());
  meta.device = "cpu"; // where there is one device, its name does not matter
  meta.shape = tensor.sizes().vec();
  meta.strides = tensor.strides().vec();
  return meta;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static bool (*isUnimplemented)(const std::exception &) = nullptr;

void device::setUnimplementedCheck(bool (*check)(const std::exception &)) {
  isUnimplemented = check;
}

static at::Tensor toMeta(const at::Tensor &tensor) {
  // A number stays one, so that it does not decide the dtype.
  if (!tensor.defined() || (tensor.device().is_cpu() && tensor.dim() == 0))
    return tensor;
  at::Tensor meta = at::empty_strided(
      tensor.sizes(), tensor.strides(),
      tensor.options().device(c10::kMeta).pinned_memory(std::nullopt));
  meta._set_conj(tensor.is_conj());
  meta._set_neg(tensor.is_neg());
  return meta;
}

static c10::IValue toMeta(const c10::IValue &value) {
  if (value.isTensor())
    return toMeta(value.toTensor());
  if (value.isDevice())
    return c10::Device(c10::kMeta);
  if (value.isGenerator())
    return {};
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor &tensor : value.toTensorVector())
      list.push_back(toMeta(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor> &tensor :
         value.toOptionalTensorVector())
      list.push_back(tensor ? std::optional(toMeta(*tensor)) : std::nullopt);
    return list;
  }
  return value;
}

std::optional<std::vector<c10::IValue>>
device::metaResults(const c10::OperatorHandle &op,
                    c10::ArrayRef<c10::IValue> arguments) {
  torch::jit::Stack stack;
  for (const c10::IValue &argument : arguments)
    stack.push_back(toMeta(argument));
  at::AutoDispatchBelowADInplaceOrView below;
  c10::impl::ExcludeDispatchKeyGuard plain(c10::python_ks);
  try {
    op.callBoxed(&stack);
  } catch (const c10::NotImplementedError &) {
    return std::nullopt;
  } catch (const std::exception &error) {
    if (!isUnimplemented || !isUnimplemented(error))
      throw;
    return std::nullopt;
  }
  return stack;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {

class Builder {
public:
  Graph graph;
  std::vector<const at::Tensor *> tensors; ///< of the placeholders
  std::string problem;

  unsigned placeholder(const at::Tensor &tensor) {
    for (unsigned i = 0; i < tensors.size(); ++i)
      if (isSameView(*tensors[i], tensor))
        return i;
    Node node;
    node.kind = Node::Kind::Placeholder;
    node.name = "input" + std::to_string(tensors.size());
    node.results.push_back(metaOf(tensor));
    graph.nodes.push_back(std::move(node));
    tensors.push_back(&tensor);
    return tensors.size() - 1;
  }

  unsigned add(Node node) {
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
  }

  unsigned call(std::string target, ArgumentList arguments,
                const std::vector<at::Tensor> &results) {
    Node node;
    node.name = "op" + std::to_string(graph.nodes.size());
    node.target = std::move(target);
    node.args = std::move(arguments);
    for (const at::Tensor &result : results)
      node.results.push_back(metaOf(result));
    return add(std::move(node));
  }

  /// Result `index` of a call with `count` of them.
  unsigned result(unsigned call, unsigned index, unsigned count,
                  const at::Tensor &meta) {
    if (count == 1)
      return call;
    Node node;
    node.kind = Node::Kind::GetItem;
    node.name = "item" + std::to_string(graph.nodes.size());
    node.args = {{NodeRef{call}}, {int64_t(index)}};
    node.results.push_back(metaOf(meta));
    return add(std::move(node));
  }

  Argument argument(const c10::IValue &value, const c10::Type &type);
};

Argument Builder::argument(const c10::IValue &value, const c10::Type &type) {
  if (value.isNone() || (value.isTensor() && !value.toTensor().defined()))
    return {import::None{}};
  if (value.isTensor())
    return {NodeRef{placeholder(value.toTensor())}};
  if (isOfKind(type, c10::TypeKind::ScalarTypeType)) {
    auto dtype = static_cast<c10::ScalarType>(value.toInt());
    auto known = dtypeOf(dtype);
    return {import::DTypeArgument{known,
                                  known ? std::string(program::nameOf(*known))
                                        : c10::toString(dtype)}};
  }
  // As torch.fx shows them; no row looks further.
  if (isOfKind(type, c10::TypeKind::MemoryFormatType))
    return {c10::str("torch.", static_cast<c10::MemoryFormat>(value.toInt()))};
  if (isOfKind(type, c10::TypeKind::LayoutType))
    return {std::string("torch.strided")};
  if (value.isDevice())
    return {std::string("cpu")};
  if (value.isGenerator())
    return {import::None{}};
  if (value.isBool())
    return {value.toBool()};
  if (value.isInt())
    return {value.toInt()};
  if (value.isSymInt())
    return {value.toSymInt().guard_int(__FILE__, __LINE__)};
  if (value.isDouble())
    return {value.toDouble()};
  if (value.isString())
    return {value.toStringRef()};
  if (value.isList()) {
    ArgumentList list;
    for (const c10::IValue &item : value.toListRef())
      list.push_back(argument(item, *c10::NoneType::get()));
    return {std::move(list)};
  }
  problem = "an argument is a " + value.tagKind();
  return {import::None{}};
}

/// Tensors of a list of results.
std::optional<std::vector<at::Tensor>>
tensorsOf(const std::vector<c10::IValue> &values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue &value : values) {
    if (value.isTensor() && value.toTensor().defined())
      tensors.push_back(value.toTensor());
    else if (value.isTensorList())
      for (const at::Tensor &tensor : value.toTensorVector())
        tensors.push_back(tensor);
    else
      return std::nullopt;
  }
  return tensors;
}

/// target.copy_(value), cast if the dtypes differ.
void writeBack(Builder &builder, unsigned value, const at::Tensor &target,
               unsigned placeholder) {
  const import::TensorMeta written = builder.graph.nodes[value].results[0];
  if (written.dtype != dtypeOf(target.scalar_type())) {
    import::TensorMeta meta = metaOf(target);
    Node cast;
    cast.name = "cast" + std::to_string(builder.graph.nodes.size());
    cast.target = "prims.convert_element_type.default";
    cast.args = {{NodeRef{value}},
                 {import::DTypeArgument{meta.dtype, meta.dtypeName}}};
    cast.results.push_back(std::move(meta));
    value = builder.add(std::move(cast));
  }
  Node copy;
  copy.name = "copy" + std::to_string(builder.graph.nodes.size());
  copy.target = "aten.copy_.default";
  copy.args = {{NodeRef{placeholder}}, {NodeRef{value}}};
  copy.results.push_back(metaOf(target));
  builder.add(std::move(copy));
}

void addOutputs(Builder &builder, const std::vector<unsigned> &outputs) {
  Node node;
  node.kind = Node::Kind::Output;
  node.name = "output";
  ArgumentList list;
  for (unsigned output : outputs)
    list.push_back({NodeRef{output}});
  node.args = {{std::move(list)}};
  builder.add(std::move(node));
}

} // namespace

std::variant<Graph, std::string>
device::graphOf(const Operation &operation,
                c10::ArrayRef<c10::IValue> arguments) {
  if (!operation.functional)
    return std::string("there is no overload of it without side effects");
  const c10::FunctionSchema &schema = operation.op.schema();
  std::vector<c10::IValue> kept;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!operation.dropped[i])
      kept.push_back(arguments[i]);
  auto values = metaResults(*operation.functional, kept);
  if (!values)
    return std::string("the shape of its result depends on data");
  auto results = tensorsOf(*values);
  if (!results)
    return std::string("its results are not only tensors");

  Builder builder;
  // Placeholders come first.
  forEachTensor(arguments,
                [&](const at::Tensor &tensor) { builder.placeholder(tensor); });
  ArgumentList list;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Argument argument =
        builder.argument(arguments[i], *schema.arguments()[i].real_type());
    if (!operation.dropped[i])
      list.push_back(std::move(argument));
  }
  if (!builder.problem.empty())
    return builder.problem;
  unsigned call = builder.call(operation.target, std::move(list), *results);
  std::vector<unsigned> nodes;
  for (unsigned i = 0; i < results->size(); ++i)
    nodes.push_back(builder.result(call, i, results->size(), (*results)[i]));
  unsigned fresh = operation.returnsList ? results->size() : operation.fresh();
  for (unsigned i = 0; i < operation.written.size(); ++i) {
    const at::Tensor &target = arguments[operation.written[i]].toTensor();
    writeBack(builder, nodes[fresh + i], target, builder.placeholder(target));
  }
  nodes.resize(fresh);
  addOutputs(builder, nodes);
  return std::move(builder.graph);
}

Graph device::copyGraph(const at::Tensor &source, const at::Tensor &target) {
  Builder builder;
  unsigned from = builder.placeholder(source), to = builder.placeholder(target);
  writeBack(builder, from, target, to);
  addOutputs(builder, {});
  return std::move(builder.graph);
}

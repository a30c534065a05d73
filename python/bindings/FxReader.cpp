//===- FxReader.cpp - from a torch.fx graph to plain data -----------------===//
#include "python/bindings/FxReader.h"
#include "runtime/device/TorchTypes.h"
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>
#include <unordered_map>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::import;
using namespace neuron::python;
using namespace neuron::device;

namespace {

/// "bfloat16" of torch.bfloat16.
std::string nameOf(py::handle dtype) {
  std::string name = py::str(dtype).cast<std::string>();
  return name.substr(name.find('.') + 1);
}

/// What is asked of every node, as strings that are made once.
struct Names {
  py::str name{"name"}, op{"op"}, target{"target"}, args{"args"},
      kwargs{"kwargs"}, meta{"meta"}, val{"val"}, dtype{"dtype"},
      device{"device"};
};

/// What a node calls; the node keeps it alive.
struct Target {
  std::string name;
  const c10::FunctionSchema *schema = nullptr; ///< null: none is registered
};

class Reader {
public:
  Reader(const py::object &graphModule)
      : graphModule(graphModule),
        getitem(py::module_::import("operator").attr("getitem")) {}

  FxGraph run();

private:
  py::object graphModule, getitem;
  Names names;
  FxGraph result;
  std::unordered_map<PyObject *, Target> targets;
  std::unordered_map<c10::ScalarType, std::string> dtypeNames;
  std::unordered_map<PyObject *, unsigned> indices;
  /// Nodes whose value is a number known now.
  std::unordered_map<PyObject *, Argument> numbers;

  Argument argument(py::handle value);
  Argument defaultArgument(const c10::IValue &value);
  const Target &targetOf(py::handle target);
  const std::string &dtypeName(py::handle tensor, c10::ScalarType type);
  std::string deviceOf(py::handle tensor);
  void readCall(py::handle fxNode, Node &node);
  void readMeta(py::handle fxNode, Node &node);
  void addMeta(py::handle value, Node &node);
  void readConstant(py::handle fxNode, Node &node);
};

} // namespace

Argument Reader::argument(py::handle value) {
  PyObject *object = value.ptr();
  if (value.is_none())
    return {None{}};
  if (PyBool_Check(object))
    return {value.cast<bool>()};
  if (PyLong_Check(object)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow) // beyond int64: as text, which no row takes for a number
      return {py::str(value).cast<std::string>()};
    return {static_cast<int64_t>(number)};
  }
  if (PyFloat_Check(object))
    return {PyFloat_AS_DOUBLE(object)};
  if (PyUnicode_Check(object))
    return {value.cast<std::string>()};
  if (auto known = numbers.find(object); known != numbers.end())
    return known->second;
  if (auto found = indices.find(object); found != indices.end())
    return {NodeRef{found->second}};
  if (THPDtype_Check(object)) {
    c10::ScalarType type = reinterpret_cast<THPDtype *>(object)->scalar_type;
    return {DTypeArgument{dtypeOf(type), nameOf(value)}};
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    ArgumentList list;
    for (py::handle item : value)
      list.push_back(argument(item));
    return {std::move(list)};
  }
  return {py::str(value).cast<std::string>()}; // devices, layouts, memory
                                               // formats, complex numbers
}

Argument Reader::defaultArgument(const c10::IValue &value) {
  if (value.isBool())
    return {value.toBool()};
  if (value.isInt())
    return {value.toInt()};
  if (value.isDouble())
    return {value.toDouble()};
  if (value.isString())
    return {value.toStringRef()};
  if (value.isList()) {
    ArgumentList list;
    for (const c10::IValue &item : value.toListRef())
      list.push_back(defaultArgument(item));
    return {std::move(list)};
  }
  return {None{}};
}

const std::string &Reader::dtypeName(py::handle tensor, c10::ScalarType type) {
  std::string &name = dtypeNames[type];
  if (name.empty())
    name = nameOf(tensor.attr(names.dtype));
  return name;
}

std::string Reader::deviceOf(py::handle tensor) {
  py::object device = tensor.attr(names.device); // a fake tensor's own
  if (THPDevice_Check(device.ptr()))
    return reinterpret_cast<THPDevice *>(device.ptr())->device.str();
  return py::str(device).cast<std::string>();
}

void Reader::addMeta(py::handle value, Node &node) {
  TensorMeta meta;
  if (!THPVariable_Check(value.ptr())) {
    meta.dtypeName =
        py::str(py::type::of(value).attr("__name__")).cast<std::string>();
    node.results.push_back(std::move(meta));
    return;
  }
  const at::Tensor &tensor = THPVariable_Unpack(value.ptr());
  meta.dtype = dtypeOf(tensor.scalar_type());
  meta.dtypeName = dtypeName(value, tensor.scalar_type());
  meta.device = deviceOf(value);
  if (tensor.layout() != c10::kStrided) {
    meta.dtype = std::nullopt;
    meta.dtypeName += " (not strided)";
    node.results.push_back(std::move(meta));
    return;
  }
  auto concrete = [&](const c10::SymInt &size) {
    std::optional<int64_t> number = size.maybe_as_int();
    meta.dynamic |= !number;
    return number.value_or(0);
  };
  for (const c10::SymInt &size : tensor.sym_sizes())
    meta.shape.push_back(concrete(size));
  for (const c10::SymInt &stride : tensor.sym_strides())
    meta.strides.push_back(concrete(stride));
  meta.storageOffset = concrete(tensor.sym_storage_offset());
  node.results.push_back(std::move(meta));
}

void Reader::readMeta(py::handle fxNode, Node &node) {
  py::dict meta = fxNode.attr(names.meta);
  py::object value =
      meta.contains(names.val) ? py::object(meta[names.val]) : py::none();
  if (value.is_none()) {
    node.hasValue = false;
  } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    for (py::handle item : value)
      addMeta(item, node);
  } else if (THPVariable_Check(value.ptr())) {
    addMeta(value, node);
  } else {
    node.hasValue = false;
    if (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()))
      numbers.emplace(fxNode.ptr(), argument(value));
  }
}

void Reader::readConstant(py::handle fxNode, Node &node) {
  py::object value = graphModule;
  std::string path = fxNode.attr("target").cast<std::string>();
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('.', begin), path.size());
    value = value.attr(path.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
  node.results.clear();
  if (!THPVariable_Check(value.ptr())) {
    node.kind = Node::Kind::Call;
    node.target =
        "get_attr of " +
        py::str(py::type::of(value).attr("__name__")).cast<std::string>();
    node.unknownSchema = true;
    return;
  }
  addMeta(value, node);
  const TensorMeta &meta = node.results[0];
  if (!meta.dtype || meta.dynamic ||
      (meta.device != "cpu" && !meta.device.starts_with("neuron")))
    return; // reported by the importer
  // AOTAutograd's fake mode is on while it compiles; the numbers are wanted.
  c10::impl::ExcludeDispatchKeyGuard real(c10::python_ks);
  at::Tensor dense =
      THPVariable_Unpack(value.ptr()).detach().cpu().contiguous();
  const auto *data = static_cast<const uint8_t *>(dense.const_data_ptr());
  node.data.assign(data, data + dense.nbytes());
}

const Target &Reader::targetOf(py::handle target) {
  auto [known, isNew] = targets.try_emplace(target.ptr());
  Target &read = known->second;
  if (!isNew)
    return read;
  if (py::hasattr(target, "_schema")) {
    read.name = py::str(target).cast<std::string>();
    read.schema = &target.attr("_schema").cast<const c10::FunctionSchema &>();
  } else {
    bool isNamed = py::hasattr(target, "__name__");
    read.name = py::str(isNamed ? py::object(target.attr("__name__"))
                                : py::reinterpret_borrow<py::object>(target))
                    .cast<std::string>();
  }
  return read;
}

void Reader::readCall(py::handle fxNode, Node &node) {
  py::object target = fxNode.attr(names.target);
  py::tuple positional = fxNode.attr(names.args);
  bool isGetItem = target.is(getitem);
  const Target *called = isGetItem ? nullptr : &targetOf(target);
  if (isGetItem)
    node.kind = Node::Kind::GetItem;
  else
    node.target = called->name;
  if (isGetItem || !called->schema) {
    node.unknownSchema = !isGetItem;
    for (py::handle item : positional)
      node.args.push_back(argument(item));
    return;
  }
  py::dict keywords = fxNode.attr(names.kwargs);
  for (size_t i = 0; i < called->schema->arguments().size(); ++i) {
    const c10::Argument &formal = called->schema->arguments()[i];
    if (i < positional.size())
      node.args.push_back(argument(positional[i]));
    else if (!keywords.empty() && keywords.contains(formal.name().c_str()))
      node.args.push_back(argument(keywords[formal.name().c_str()]));
    else if (formal.default_value())
      node.args.push_back(defaultArgument(*formal.default_value()));
    else
      node.args.push_back({None{}});
  }
}

FxGraph Reader::run() {
  // A list first: fx's node iterator starts over when it is asked once more at
  // its end, as pybind11 does.
  py::list fxNodes(graphModule.attr("graph").attr("nodes"));
  for (py::handle fxNode : fxNodes) {
    Node node;
    node.name = fxNode.attr(names.name).cast<std::string>();
    std::string op = fxNode.attr(names.op).cast<std::string>();
    readMeta(fxNode, node);
    if (op == "placeholder") {
      node.kind = Node::Kind::Placeholder;
    } else if (op == "get_attr") {
      node.kind = Node::Kind::Constant;
      readConstant(fxNode, node);
    } else if (op == "output") {
      node.kind = Node::Kind::Output;
      for (py::handle item : py::tuple(fxNode.attr("args")))
        node.args.push_back(argument(item));
    } else if (op == "call_function") {
      readCall(fxNode, node);
    } else {
      node.target =
          op + " " + py::str(fxNode.attr("target")).cast<std::string>();
      node.unknownSchema = true;
    }
    indices.emplace(fxNode.ptr(), result.graph.nodes.size());
    result.graph.nodes.push_back(std::move(node));
    result.nodes.push_back(py::reinterpret_borrow<py::object>(fxNode));
  }
  return std::move(result);
}

FxGraph python::readGraphModule(const py::object &graphModule) {
  return Reader(graphModule).run();
}

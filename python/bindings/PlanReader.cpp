//===- PlanReader.cpp - plans and calls of compiled graphs ----------------===//
#include "python/bindings/PlanReader.h"
#include "python/bindings/Errors.h"
#include "runtime/device/TorchTypes.h"
#include "runtime/device/Transfer.h"
#include <c10/util/Enumerate.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::device;
using OutputKind = import::OutputSpec::Kind;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static void fill(TensorSpec &spec, const py::handle &plan) {
  auto dtype = program::dtypeFromName(plan["dtype"].cast<std::string>());
  if (!dtype)
    throw py::value_error("unknown dtype in a plan");
  spec.dtype = scalarTypeOf(*dtype);
  spec.shape = plan["shape"].cast<std::vector<int64_t>>();
  spec.strides = plan["strides"].cast<std::vector<int64_t>>();
  spec.offset = plan["offset"].cast<int64_t>();
  spec.bytes = spanBytes(spec.shape, spec.strides, program::bytesOf(*dtype));
}

static OutputKind kindOf(const std::string &kind) {
  return kind == "none"     ? OutputKind::None
         : kind == "number" ? OutputKind::Number
         : kind == "empty"  ? OutputKind::Empty
         : kind == "input"  ? OutputKind::Input
                            : OutputKind::Result;
}

python::ReadPlan python::readPlan(const py::dict &plan) {
  ReadPlan read;
  Plan &made = read.plan;
  auto isOnNeuron = [&](const py::handle &item) {
    std::string device = item["device"].cast<std::string>();
    if (!device.starts_with("neuron"))
      return false;
    read.where = c10::Device(device);
    return true;
  };
  for (py::handle item : py::list(plan["placeholders"])) {
    PlanInput input;
    if (item.contains("dtype")) {
      fill(input, item);
      input.isTensor = true;
      isOnNeuron(item);
    }
    input.name = item["name"].cast<std::string>();
    made.inputs.push_back(std::move(input));
  }
  made.arguments = plan["arguments"].cast<std::vector<unsigned>>();
  made.randomKeys = plan["random_keys"].cast<unsigned>();
  for (py::handle item : py::list(plan["results"])) {
    PlanResult result;
    fill(result, item);
    isOnNeuron(item);
    result.name = item["name"].cast<std::string>();
    result.mutatedInput = item["mutates"].cast<int>();
    result.aliasedArgument = item["aliases"].cast<int>();
    made.results.push_back(std::move(result));
  }
  for (py::handle item : py::list(plan["outputs"])) {
    PlanOutput output;
    output.kind = kindOf(item["kind"].cast<std::string>());
    bool isTensor = output.kind > OutputKind::Number;
    if (isTensor) {
      fill(output, item);
      output.index = item["index"].cast<unsigned>();
      output.whole = item["whole"].cast<bool>();
    }
    read.values.push_back(isTensor ? py::none() : py::object(item["number"]));
    read.isOnHost.push_back(isTensor && !isOnNeuron(item));
    made.outputs.push_back(std::move(output));
  }
  for (py::handle item : py::list(plan["assertions"]))
    made.assertions.push_back(
        item[py::int_(1)].cast<std::string>() + "\nL" +
        std::to_string(item[py::int_(0)].cast<unsigned>()) +
        " asserted what does not hold.");
  if (!made.assertions.empty() &&
      (made.results.empty() ||
       made.results.back().bytes != made.assertions.size()))
    throw py::value_error("a plan whose assertions have no result");
  made.nameArguments();
  return read;
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

static std::string shapeText(c10::IntArrayRef shape) {
  std::string text = "[";
  for (auto [index, size] : c10::enumerate(shape))
    text += (index ? ", " : "") + std::to_string(size);
  return text + "]";
}

static std::string typeText(c10::ScalarType dtype, c10::IntArrayRef shape) {
  auto known = dtypeOf(dtype);
  return (known ? std::string(program::nameOf(*known))
                : std::string(c10::toString(dtype))) +
         shapeText(shape);
}

void python::throwBadInput(const Plan &plan, size_t index,
                           const std::string &what) {
  throwExecutionError("input " + std::to_string(index) + " (" +
                      plan.inputs[index].name + ") is " + what);
}

std::vector<at::Tensor> python::takeTensors(const py::list &list,
                                            const Plan &plan) {
  if (list.size() != plan.inputs.size())
    throwExecutionError("Expected " + std::to_string(plan.inputs.size()) +
                        " inputs, got " + std::to_string(list.size()));
  std::vector<at::Tensor> tensors(plan.inputs.size());
  for (auto [index, input] : c10::enumerate(plan.inputs)) {
    if (!input.isTensor)
      continue;
    PyObject *object = PyList_GET_ITEM(list.ptr(), index);
    if (!THPVariable_Check(object))
      throwBadInput(plan, index,
                    std::string("a ") + Py_TYPE(object)->tp_name +
                        ", the compiled graph expects a tensor " +
                        typeText(input.dtype, input.shape));
    const at::Tensor &tensor = THPVariable_Unpack(object);
    if (tensor.scalar_type() != input.dtype ||
        tensor.sizes() != c10::IntArrayRef(input.shape))
      throwBadInput(plan, index,
                    typeText(tensor.scalar_type(), tensor.sizes()) +
                        ", the compiled graph expects " +
                        typeText(input.dtype, input.shape));
    tensors[index] = tensor;
  }
  return tensors;
}

void python::emptyList(py::list &list) {
  if (PyList_SetSlice(list.ptr(), 0, PyList_GET_SIZE(list.ptr()), nullptr) != 0)
    throw py::error_already_set();
}

py::list python::listOf(std::vector<at::Tensor> outputs,
                        const std::vector<py::object> &values) {
  py::list list(outputs.size());
  for (auto [index, output] : c10::enumerate(outputs)) {
    PyObject *value = output.defined() ? THPVariable_Wrap(std::move(output))
                                       : Py_NewRef(values[index].ptr());
    if (!value)
      throw py::error_already_set();
    PyList_SET_ITEM(list.ptr(), index, value);
  }
  return list;
}

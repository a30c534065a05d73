//===- DeviceCall.cpp - a compiled graph on tensors of the device ---------===//
#include "python/bindings/DeviceCall.h"
#include "python/bindings/Errors.h"
#include "python/bindings/Executor.h"
#include "runtime/device/Factory.h"
#include "runtime/device/Generator.h"
#include "runtime/device/TorchTypes.h"
#include "runtime/device/Transfer.h"
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/randint.h>
#include <ATen/record_function.h>
#include <limits>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::device;
using neuron::python::DeviceCall;
using OutputKind = import::OutputSpec::Kind;

static bool isNeuron(const py::handle &item) {
  return item.contains("device") &&
         item["device"].cast<std::string>().starts_with("neuron");
}

bool DeviceCall::isFor(const py::dict &plan) {
  for (const char *list : {"placeholders", "results", "outputs"})
    for (py::handle item : py::list(plan[list]))
      if (isNeuron(item))
        return true;
  return false;
}

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

DeviceCall::DeviceCall(const std::string &neff, const py::dict &plan,
                       const std::string &form, const std::string &graphName,
                       std::map<unsigned, std::string> places)
    : name((new std::string("neuron::" + graphName))->c_str()) {
  program.places = std::make_shared<const std::map<unsigned, std::string>>(
      std::move(places));
  Plan &made = program.plan;
  std::optional<c10::Device> where;
  auto note = [&](const py::handle &item) {
    if (isNeuron(item))
      where = c10::Device(item["device"].cast<std::string>());
  };
  for (py::handle item : py::list(plan["placeholders"])) {
    PlanInput input;
    if (item.contains("dtype")) {
      fill(input, item);
      input.isTensor = true;
    }
    input.name = item["name"].cast<std::string>();
    made.inputs.push_back(std::move(input));
    note(item);
  }
  made.randomKeys = plan["random_keys"].cast<unsigned>();
  made.arguments = plan["arguments"].cast<std::vector<unsigned>>();
  for (unsigned index : made.arguments)
    made.argumentNames.push_back(
        index < made.inputs.size() ? made.inputs[index].name : "random_keys");
  for (py::handle item : py::list(plan["results"])) {
    PlanResult result;
    fill(result, item);
    result.name = item["name"].cast<std::string>();
    result.mutatedInput = item["mutates"].cast<int>();
    result.aliasedArgument = item["aliases"].cast<int>();
    if (result.aliasedArgument >= 0)
      made.argumentNames.at(result.aliasedArgument) += import::kAliasSuffix;
    made.results.push_back(std::move(result));
    note(item);
  }
  for (py::handle item : py::list(plan["outputs"])) {
    PlanOutput output;
    output.kind = kindOf(item["kind"].cast<std::string>());
    bool isTensor = output.kind > OutputKind::Number;
    if (isTensor) {
      fill(output, item);
      output.index = item["index"].cast<unsigned>();
      output.whole = item["whole"].cast<bool>();
      note(item);
    }
    values.push_back(isTensor ? py::none() : py::object(item["number"]));
    outputOnHost.push_back(isTensor && !isNeuron(item));
    made.outputs.push_back(std::move(output));
  }
  for (py::handle item : py::list(plan["assertions"]))
    made.assertions.push_back(item[py::int_(1)].cast<std::string>() + "\nL" +
                              py::str(item[py::int_(0)]).cast<std::string>() +
                              " asserted what does not hold.");
  device = resolve(where.value_or(c10::Device(kNeuron)));
  if (!made.results.empty()) {
    py::gil_scoped_release release;
    program.model = device::Model::load({neff.begin(), neff.end()}, device,
                                        device::Model::Tier::Native, form);
  }
}

/// The tensor as the program wants it, on the device.
at::Tensor DeviceCall::place(const at::Tensor &tensor, unsigned index) const {
  const PlanInput &input = program.plan.inputs[index];
  bool lies = tensor.device().type() == kNeuron && !tensor.is_neg() &&
              !tensor.is_conj();
  for (int64_t i = 0; lies && i < tensor.dim(); ++i)
    lies = tensor.size(i) == 1 || tensor.stride(i) == input.strides[i];
  if (lies) {
    counters().bytesAttached += input.bytes;
    return tensor;
  }
  at::Tensor copy =
      emptyStrided(input.shape, input.strides, input.dtype, device);
  copy.copy_(tensor);
  counters().bytesCopiedIn += input.bytes;
  return copy;
}

py::list DeviceCall::call(py::list list) {
  const Plan &plan = program.plan;
  at::AutoDispatchBelowADInplaceOrView below;
  if (list.size() != plan.inputs.size())
    throwExecutionError("Expected " + std::to_string(plan.inputs.size()) +
                        " inputs, got " + std::to_string(list.size()));
  std::vector<at::Tensor> given(plan.inputs.size()), placed(plan.inputs.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (!plan.inputs[i].isTensor)
      continue;
    PyObject *object = PyList_GET_ITEM(list.ptr(), i);
    if (!THPVariable_Check(object))
      throwExecutionError("input " + std::to_string(i) + " (" +
                          plan.inputs[i].name + ") is no tensor");
    given[i] = THPVariable_Unpack(object);
    if (given[i].scalar_type() != plan.inputs[i].dtype ||
        given[i].sizes() != c10::IntArrayRef(plan.inputs[i].shape))
      throwExecutionError("input " + std::to_string(i) + " (" +
                          plan.inputs[i].name +
                          ") has another dtype or shape than the compiled "
                          "graph expects");
  }
  if (PyList_SetSlice(list.ptr(), 0, PyList_GET_SIZE(list.ptr()), nullptr) != 0)
    throw py::error_already_set();
  std::vector<at::Tensor> outputs;
  {
    py::gil_scoped_release release;
    // The profiler attributes the device's time to it.
    RECORD_FUNCTION(name, c10::ArrayRef<const c10::IValue>{});
    std::vector<bool> isRead(given.size(), false);
    for (unsigned index : plan.arguments)
      if (index < given.size())
        isRead[index] = true;
    for (const PlanResult &result : plan.results)
      if (result.mutatedInput >= 0)
        isRead[result.mutatedInput] = true;
    for (size_t i = 0; i < given.size(); ++i)
      placed[i] = isRead[i] ? place(given[i], i) : given[i];
    at::Tensor keys;
    if (plan.randomKeys != 0)
      keys = at::randint(std::numeric_limits<int64_t>::max(),
                         {int64_t(plan.randomKeys)},
                         hostGenerator(std::nullopt, device), c10::kLong);
    outputs = launch(program, name, device, placed, keys);
    if (program.model)
      counters().executions++;
    for (const PlanResult &result : plan.results)
      if (int index = result.mutatedInput;
          index >= 0 && !placed[index].is_same(given[index])) {
        given[index].copy_(placed[index]);
        counters().bytesCopiedBack += result.bytes;
      }
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].defined()) {
        if (plan.outputs[i].kind == OutputKind::Input && plan.outputs[i].whole)
          outputs[i] = given[plan.outputs[i].index];
        if (outputOnHost[i] && outputs[i].device().type() == kNeuron)
          outputs[i] = outputs[i].to(c10::kCPU);
      }
  }
  py::list results(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    PyObject *value = outputs[i].defined()
                          ? THPVariable_Wrap(std::move(outputs[i]))
                          : Py_NewRef(values[i].ptr());
    if (!value)
      throw py::error_already_set();
    PyList_SET_ITEM(results.ptr(), i, value);
  }
  return results;
}

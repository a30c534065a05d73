//===- Executor.cpp - runs a compiled graph
//-------------------------------------===//
#include "python/bindings/Executor.h"
#include "compiler/import/Importer.h"
#include "python/bindings/Errors.h"
#include "runtime/device/TorchTypes.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/randint.h>
#include <c10/util/Enumerate.h>
#include <limits>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::python;
using namespace neuron::device;

Counters &python::counters() {
  static Counters counters;
  return counters;
}

static void count(std::atomic<uint64_t> &counter, uint64_t amount) {
  counter.fetch_add(amount, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

Executor::TensorSpec Executor::tensorSpec(const py::handle &plan) {
  TensorSpec spec;
  auto dtype = program::dtypeFromName(plan["dtype"].cast<std::string>());
  if (!dtype)
    throw py::value_error("unknown dtype in a plan");
  spec.dtype = scalarTypeOf(*dtype);
  spec.shape = plan["shape"].cast<std::vector<int64_t>>();
  spec.strides = plan["strides"].cast<std::vector<int64_t>>();
  spec.offset = plan["offset"].cast<int64_t>();
  int64_t span = 1;
  for (size_t i = 0; i < spec.shape.size(); ++i)
    span = spec.shape[i] == 0 || span == 0
               ? 0
               : span + (spec.shape[i] - 1) * spec.strides[i];
  spec.bytes = span * program::bytesOf(*dtype);
  return spec;
}

Executor::Executor(const std::string &neff, const py::dict &plan,
                   const std::string &form, const std::string &name,
                   std::map<unsigned, std::string> places) {
  if (DeviceCall::isFor(plan)) {
    onDevice =
        std::make_unique<DeviceCall>(neff, plan, form, name, std::move(places));
    return;
  }
  for (py::handle item : py::list(plan["placeholders"])) {
    Input input;
    if (item.contains("dtype")) {
      static_cast<TensorSpec &>(input) = tensorSpec(item);
      input.isTensor = true;
    }
    input.name = item["name"].cast<std::string>();
    inputs.push_back(std::move(input));
  }
  callerInputs = inputs.size();
  randomKeys = plan["random_keys"].cast<int64_t>();
  if (randomKeys > 0) {
    Input keys;
    keys.name = "random_keys";
    keys.bytes = randomKeys * sizeof(int64_t);
    inputs.push_back(std::move(keys));
  }
  arguments = plan["arguments"].cast<std::vector<unsigned>>();
  for (auto [position, index] : c10::enumerate(arguments)) {
    inputs.at(index).argument = position;
    argumentNames.push_back(inputs[index].name);
  }
  for (py::handle item : py::list(plan["results"])) {
    ResultTensor result;
    static_cast<TensorSpec &>(result) = tensorSpec(item);
    result.name = item["name"].cast<std::string>();
    result.mutatedInput = item["mutates"].cast<int>();
    result.aliasedArgument = item["aliases"].cast<int>();
    if (result.aliasedArgument >= 0)
      argumentNames.at(result.aliasedArgument) += import::kAliasSuffix;
    resultNames.push_back(result.name);
    results.push_back(std::move(result));
  }
  for (py::handle item : py::list(plan["outputs"])) {
    Output output;
    std::string kind = item["kind"].cast<std::string>();
    if (kind == "none" || kind == "number") {
      output.value = item["number"];
    } else {
      static_cast<TensorSpec &>(output) = tensorSpec(item);
      output.kind = kind == "empty"   ? Output::Kind::Empty
                    : kind == "input" ? Output::Kind::Input
                                      : Output::Kind::Result;
      output.index = item["index"].cast<unsigned>();
      output.whole = item["whole"].cast<bool>();
    }
    outputs.push_back(std::move(output));
  }
  for (py::handle item : py::list(plan["assertions"]))
    assertions.push_back({item[py::int_(0)].cast<unsigned>(),
                          item[py::int_(1)].cast<std::string>()});
  if (!assertions.empty() &&
      (results.empty() || results.back().bytes != assertions.size()))
    throw py::value_error("a plan whose assertions have no result");
  if (results.empty())
    return; // nothing to compute: no device is needed
  api = &nrtLibrary().api();
  model = std::make_unique<Model>(neff, form);
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

struct Executor::Call {
  std::vector<at::Tensor> inputs; ///< what the caller gave
  std::vector<at::Tensor>
      attached; ///< what the device reads, by argument: the same, or a copy
  std::vector<at::Tensor> results;
};

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

/// Whether a tensor's elements lie as the strides say; dimensions of size 1 do
/// not matter.
static bool liesAs(const at::Tensor &tensor,
                   const std::vector<int64_t> &strides) {
  c10::IntArrayRef sizes = tensor.sizes(), actual = tensor.strides();
  for (size_t i = 0; i < strides.size(); ++i)
    if (actual[i] != strides[i] && sizes[i] != 1)
      return false;
  return true;
}

static at::Tensor newTensor(const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides,
                            c10::ScalarType dtype) {
  return at::detail::empty_strided_cpu(shape, strides, dtype);
}

void Executor::takeInputs(py::list &list, Call &call) {
  if (list.size() != callerInputs)
    throwExecutionError("Expected " + std::to_string(callerInputs) +
                        " inputs, got " + std::to_string(list.size()));
  call.inputs.resize(inputs.size());
  call.attached.resize(arguments.size());
  for (size_t i = 0; i < callerInputs; ++i) {
    const Input &input = inputs[i];
    if (!input.isTensor)
      continue;
    PyObject *object = PyList_GET_ITEM(list.ptr(), i);
    auto where = [&] {
      return "input " + std::to_string(i) + " (" + input.name + ")";
    };
    if (!THPVariable_Check(object))
      throwExecutionError(where() + " is a " + Py_TYPE(object)->tp_name +
                          ", the compiled graph expects a tensor " +
                          typeText(input.dtype, input.shape));
    at::Tensor tensor = THPVariable_Unpack(object);
    if (tensor.scalar_type() != input.dtype ||
        tensor.sizes() != c10::IntArrayRef(input.shape))
      throwExecutionError(
          where() + " is " + typeText(tensor.scalar_type(), tensor.sizes()) +
          ", the compiled graph expects " + typeText(input.dtype, input.shape));
    if (!tensor.device().is_cpu() || tensor.layout() != c10::kStrided)
      throwExecutionError(
          where() + " is on device " + tensor.device().str() +
          " or not strided, the compiled graph expects a strided CPU tensor");
    if (input.argument >= 0) {
      at::Tensor &memory = call.attached[input.argument];
      bool aligned = reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) %
                         tensor.element_size() ==
                     0;
      if (aligned && !tensor.is_neg() && liesAs(tensor, input.strides)) {
        memory = tensor;
        count(counters().bytesAttached, input.bytes);
      } else {
        memory = newTensor(input.shape, input.strides, input.dtype);
        memory.copy_(tensor);
        count(counters().bytesCopiedIn, input.bytes);
      }
    }
    call.inputs[i] = std::move(tensor);
  }
  // From the generator that torch.manual_seed sets.
  if (randomKeys > 0 && inputs.back().argument >= 0)
    call.attached[inputs.back().argument] = at::randint(
        std::numeric_limits<int64_t>::max(), {randomKeys}, c10::kLong);
  // The caller's list is emptied, so that an input can be freed as soon as it
  // is not needed.
  if (PyList_SetSlice(list.ptr(), 0, PyList_GET_SIZE(list.ptr()), nullptr) != 0)
    throw py::error_already_set();
}

std::unique_ptr<Binding> Executor::takeBinding() {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<Binding> binding = std::move(idle.back());
      idle.pop_back();
      return binding;
    }
  }
  auto binding = std::make_unique<Binding>(argumentNames, resultNames);
  if (!binding->ok())
    throwExecutionError(binding->message());
  return binding;
}

void Executor::giveBack(std::unique_ptr<Binding> binding) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(binding));
}

void Executor::attach(nrt_tensor_t *tensor, const at::Tensor &memory,
                      size_t bytes, Call &) {
  NRT_STATUS status = api->tensorAttachBuffer(
      tensor, const_cast<void *>(memory.const_data_ptr()), bytes);
  if (status != NRT_SUCCESS)
    throwExecutionError(
        hardware::Library::get()->describe("nrt_tensor_attach_buffer", status));
}

void Executor::execute(Call &call) {
  for (const ResultTensor &result : results)
    call.results.push_back(
        result.aliasedArgument >= 0
            ? call.attached[result.aliasedArgument]
            : newTensor(result.shape, result.strides, result.dtype));
  std::unique_ptr<Binding> binding = takeBinding();
  for (size_t i = 0; i < arguments.size(); ++i)
    attach(binding->inputs[i], call.attached[i], inputs[arguments[i]].bytes,
           call);
  for (size_t i = 0; i < results.size(); ++i)
    attach(binding->outputs[i], call.results[i], results[i].bytes, call);
  if (api->simSetThreads) // as torch.set_num_threads says
    api->simSetThreads(at::get_num_threads());
  NRT_STATUS status;
  std::string problem;
  {
    py::gil_scoped_release release;
    status =
        api->execute(model->handle(), binding->inputSet, binding->outputSet);
    if (status != NRT_SUCCESS)
      problem = hardware::Library::get()->describe("nrt_execute", status);
  }
  giveBack(std::move(binding));
  if (PyErr_Occurred()) // Ctrl-C
    throw py::error_already_set();
  if (status != NRT_SUCCESS)
    throwExecutionError(problem);
  count(counters().executions, 1);
  checkAssertions(call);
  // What the device did not write into the input itself is copied there.
  for (auto [index, result] : c10::enumerate(results)) {
    if (result.mutatedInput < 0 ||
        call.results[index].is_same(call.inputs[result.mutatedInput]))
      continue;
    call.inputs[result.mutatedInput].copy_(call.results[index]);
    count(counters().bytesCopiedBack, result.bytes);
  }
}

/// The first assertion that does not hold is raised, as eager would.
void Executor::checkAssertions(const Call &call) const {
  if (assertions.empty())
    return;
  const bool *holds = call.results.back().const_data_ptr<bool>();
  for (auto [index, assertion] : c10::enumerate(assertions))
    if (!holds[index])
      throwExecutionError(assertion.message + "\nL" +
                          std::to_string(assertion.location) +
                          " asserted what does not hold.");
}

at::Tensor Executor::outputTensor(const Output &output,
                                  const Call &call) const {
  if (output.kind == Output::Kind::Empty)
    return newTensor(output.shape, output.strides, output.dtype);
  const at::Tensor &base = output.kind == Output::Kind::Input
                               ? call.inputs[output.index]
                               : call.results[output.index];
  if (output.whole)
    return base;
  return at::as_strided(base, output.shape, output.strides,
                        base.storage_offset() + output.offset);
}

py::list Executor::call(py::list list) {
  count(counters().calls, 1);
  if (onDevice)
    return onDevice->call(std::move(list));
  // Gradients and views are AOTAutograd's affair, below it there are only
  // memory and numbers.
  at::AutoDispatchBelowADInplaceOrView guard;
  Call call;
  takeInputs(list, call);
  if (!results.empty())
    execute(call);
  py::list values(outputs.size());
  for (auto [index, output] : c10::enumerate(outputs)) {
    PyObject *value = output.kind == Output::Kind::Value
                          ? Py_NewRef(output.value.ptr())
                          : THPVariable_Wrap(outputTensor(output, call));
    if (!value)
      throw py::error_already_set();
    PyList_SET_ITEM(values.ptr(), index, value);
  }
  return values;
}

py::object Executor::predictedTime() const {
  uint64_t picoseconds = 0;
  nrt_model_t *handle = onDevice ? onDevice->handle()
                        : model  ? model->handle()
                                 : nullptr;
  if (!handle || !nrtLibrary().api().simPredictedTimePs ||
      nrtLibrary().api().simPredictedTimePs(handle, &picoseconds) !=
          NRT_SUCCESS)
    return py::none();
  return py::int_(picoseconds);
}

/// Of all cores together.
static py::object predictedClock() {
  const hardware::NrtApi &api = nrtLibrary().api();
  uint32_t cores = 0;
  if (!api.simClockPs || api.getVisibleCoreCount(&cores) != NRT_SUCCESS)
    return py::none();
  uint64_t total = 0, picoseconds = 0;
  for (uint32_t core = 0; core < cores; ++core) {
    if (api.simClockPs(core, &picoseconds) != NRT_SUCCESS)
      return py::none();
    total += picoseconds;
  }
  return py::int_(total);
}

void neuron::python::bindExecutor(py::module_ &m) {
  py::class_<Executor>(m, "Executor",
                       "Runs a compiled graph: takes a list of inputs, empties "
                       "it, returns a list.")
      .def(py::init<const std::string &, const py::dict &, const std::string &,
                    const std::string &, std::map<unsigned, std::string>>(),
           py::arg("neff"), py::arg("plan"), py::arg("simulator") = "",
           py::arg("name") = "graph",
           py::arg("places") = std::map<unsigned, std::string>())
      .def("__call__", &Executor::call)
      .def_property_readonly("predicted_time_ps", &Executor::predictedTime);
  m.def("counters", [] {
    py::dict values;
    values["calls"] = counters().calls.load();
    values["executions"] = counters().executions.load();
    values["bytes_attached"] = counters().bytesAttached.load();
    values["bytes_copied_in"] = counters().bytesCopiedIn.load();
    values["bytes_copied_back"] = counters().bytesCopiedBack.load();
    return values;
  });
  m.def("reset_counters", [] {
    for (auto *counter :
         {&counters().calls, &counters().executions, &counters().bytesAttached,
          &counters().bytesCopiedIn, &counters().bytesCopiedBack})
      counter->store(0);
  });
  m.def("runtime_info", [] {
    py::dict info;
    info["path"] = nrtLibrary().path();
    info["simulator"] = nrtLibrary().isSimulator();
    return info;
  });
  m.def("predicted_clock_ps", &predictedClock,
        "Predicted device time of all executions so far in picoseconds; None "
        "if the library cannot say.");
}

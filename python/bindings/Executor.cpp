//===- Executor.cpp - runs a compiled graph -------------------------------===//
#include "python/bindings/Executor.h"
#include "python/bindings/Errors.h"
#include "runtime/device/Generator.h"
#include "runtime/device/Transfer.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/as_strided.h>
#include <c10/util/Enumerate.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::python;
using namespace neuron::device;
using OutputKind = import::OutputSpec::Kind;

Counters &python::counters() {
  static Counters counters;
  return counters;
}

static void count(std::atomic<uint64_t> &counter, uint64_t amount) {
  counter.fetch_add(amount, std::memory_order_relaxed);
}

Executor::Executor(const std::string &neff, const py::dict &pythonPlan,
                   const std::string &form, const std::string &name,
                   std::map<unsigned, std::string> places, const Lines &lines) {
  ReadPlan read = readPlan(pythonPlan);
  std::vector<SourceLine> located;
  for (const auto &[op, file, line] : lines)
    located.push_back({locationId(located.size()), op, file, line});
  if (read.where) {
    onDevice =
        std::make_unique<DeviceCall>(neff, std::move(read), form, name,
                                     std::move(places), std::move(located));
    return;
  }
  plan = std::move(read.plan);
  values = std::move(read.values);
  for (const PlanResult &result : plan.results)
    resultNames.push_back(result.name);
  if (plan.results.empty())
    return; // nothing to compute: no device is needed
  api = &nrtLibrary().api();
  model = std::make_unique<python::Model>(neff, form, located);
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

static at::Tensor newTensor(const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides,
                            c10::ScalarType dtype) {
  return at::detail::empty_strided_cpu(shape, strides, dtype);
}

void Executor::takeInputs(py::list &list, Call &call) {
  call.inputs = takeTensors(list, plan);
  for (auto [index, tensor] : c10::enumerate(call.inputs))
    if (tensor.defined() &&
        (!tensor.device().is_cpu() || tensor.layout() != c10::kStrided))
      throwBadInput(plan, index,
                    "on device " + tensor.device().str() +
                        " or not strided, the compiled graph expects a "
                        "strided CPU tensor");
  for (unsigned index : plan.arguments) {
    if (index >= plan.inputs.size()) {
      // From the generator that torch.manual_seed sets.
      call.attached.push_back(drawKeys(plan.randomKeys, std::nullopt));
      continue;
    }
    const PlanInput &input = plan.inputs[index];
    const at::Tensor &tensor = call.inputs[index];
    bool aligned = reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) %
                       tensor.element_size() ==
                   0;
    if (aligned && !tensor.is_neg() && liesAs(tensor, input.strides)) {
      call.attached.push_back(tensor);
      count(counters().bytesAttached, input.bytes);
    } else {
      at::Tensor memory = newTensor(input.shape, input.strides, input.dtype);
      memory.copy_(tensor);
      call.attached.push_back(std::move(memory));
      count(counters().bytesCopiedIn, input.bytes);
    }
  }
  emptyList(list);
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
  auto binding = std::make_unique<Binding>(plan.argumentNames, resultNames);
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
  for (const PlanResult &result : plan.results)
    call.results.push_back(
        result.aliasedArgument >= 0
            ? call.attached[result.aliasedArgument]
            : newTensor(result.shape, result.strides, result.dtype));
  std::unique_ptr<Binding> binding = takeBinding();
  for (size_t i = 0; i < plan.arguments.size(); ++i)
    attach(binding->inputs[i], call.attached[i], plan.argumentBytes(i), call);
  for (size_t i = 0; i < plan.results.size(); ++i)
    attach(binding->outputs[i], call.results[i], plan.results[i].bytes, call);
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
  for (auto [index, result] : c10::enumerate(plan.results)) {
    if (result.mutatedInput < 0 ||
        call.results[index].is_same(call.inputs[result.mutatedInput]))
      continue;
    call.inputs[result.mutatedInput].copy_(call.results[index]);
    count(counters().bytesCopiedBack, result.bytes);
  }
}

/// The first assertion that does not hold is raised, as eager would.
void Executor::checkAssertions(const Call &call) const {
  if (plan.assertions.empty())
    return;
  const bool *holds = call.results.back().const_data_ptr<bool>();
  for (auto [index, message] : c10::enumerate(plan.assertions))
    if (!holds[index])
      throwExecutionError(message);
}

at::Tensor Executor::outputTensor(const PlanOutput &output,
                                  const Call &call) const {
  if (output.kind <= OutputKind::Number)
    return {};
  if (output.kind == OutputKind::Empty)
    return newTensor(output.shape, output.strides, output.dtype);
  const at::Tensor &base = output.kind == OutputKind::Input
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
  if (!plan.results.empty())
    execute(call);
  std::vector<at::Tensor> outputs;
  for (const PlanOutput &output : plan.outputs)
    outputs.push_back(outputTensor(output, call));
  return listOf(std::move(outputs), values);
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
                    const std::string &, std::map<unsigned, std::string>,
                    const Executor::Lines &>(),
           py::arg("neff"), py::arg("plan"), py::arg("simulator") = "",
           py::arg("name") = "graph",
           py::arg("places") = std::map<unsigned, std::string>(),
           py::arg("lines") = Executor::Lines())
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

//===- DeviceCall.cpp - a compiled graph on tensors of the device ---------===//
#include "python/bindings/DeviceCall.h"
#include "python/bindings/Executor.h"
#include "runtime/device/Factory.h"
#include "runtime/device/Generator.h"
#include "runtime/device/Transfer.h"
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::device;
using neuron::python::DeviceCall;
using OutputKind = import::OutputSpec::Kind;

DeviceCall::DeviceCall(const std::string &neff, ReadPlan read,
                       const std::string &form, const std::string &graphName,
                       std::map<unsigned, std::string> places,
                       std::vector<SourceLine> lines)
    : device(resolve(*read.where)), isOnHost(std::move(read.isOnHost)),
      values(std::move(read.values)),
      name((new std::string("neuron::" + graphName))->c_str()) {
  program.plan = std::move(read.plan);
  program.places = std::make_shared<const std::map<unsigned, std::string>>(
      std::move(places));
  if (!program.plan.results.empty()) {
    py::gil_scoped_release release;
    program.model = device::Model::load({neff.begin(), neff.end()}, device,
                                        device::Model::Tier::Native, form,
                                        std::move(lines));
  }
}

/// The tensor as the program wants it, on the device.
at::Tensor DeviceCall::place(const at::Tensor &tensor, unsigned index) const {
  const PlanInput &input = program.plan.inputs[index];
  if (tensor.device().type() == kNeuron && !tensor.is_neg() &&
      !tensor.is_conj() && liesAs(tensor, input.strides)) {
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
  std::vector<at::Tensor> given = takeTensors(list, plan), placed = given;
  emptyList(list);
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
      if (isRead[i])
        placed[i] = place(given[i], i);
    at::Tensor keys;
    if (plan.randomKeys != 0)
      keys = drawKeys(plan.randomKeys, hostGenerator(std::nullopt, device));
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
        if (isOnHost[i] && outputs[i].device().type() == kNeuron)
          outputs[i] = outputs[i].to(c10::kCPU);
      }
  }
  return listOf(std::move(outputs), values);
}

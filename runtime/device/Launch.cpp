//===- Launch.cpp - runs a program on tensors of the device ---------------===//
#include "runtime/device/Launch.h"
#include "runtime/device/Factory.h"
#include "runtime/device/Request.h"
#include "runtime/device/Stream.h"
#include "runtime/device/Transfer.h"
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real.h>
#include <regex>
#include <set>

using namespace neuron;
using namespace neuron::device;
using neuron::import::OutputSpec;

namespace {

/// Names and parts of device memory, alive until the task is done.
class TensorSet {
public:
  TensorSet() {
    check("nrt_allocate_tensor_set", api().allocateTensorSet(&set));
  }
  ~TensorSet() {
    api().destroyTensorSet(&set);
    for (nrt_tensor_t *slice : slices)
      api().tensorFree(&slice);
  }
  TensorSet(const TensorSet &) = delete;

  nrt_tensor_t *add(const std::string &name, const at::Tensor &tensor,
                    size_t bytes) {
    slices.push_back(sliceOf(Allocator::get().rangeOf(tensor), bytes));
    check("nrt_add_tensor_to_tensor_set",
          api().addTensorToTensorSet(set, name.c_str(), slices.back()));
    return slices.back();
  }
  nrt_tensor_set_t *set = nullptr;

private:
  c10::SmallVector<nrt_tensor_t *, 4> slices;
};

class ExecuteTask final : public Task {
public:
  ExecuteTask(const char *name, std::shared_ptr<Model> model)
      : Task(Kind::Execute, name), model(std::move(model)) {}

  bool run(uint64_t, Span &span, TaskFailure &failure) override {
    if (runModel(model->device, model->handle(), inputs.set, outputs.set, span,
                 failure) &&
        checkAssertions(failure))
      return true;
    addPlaces(failure.message);
    return false;
  }

  std::shared_ptr<Model> model;
  TensorSet inputs, outputs;
  nrt_tensor_t *holds = nullptr; ///< a bool for each assertion
  std::vector<std::string> assertions;
  std::shared_ptr<const std::map<unsigned, std::string>> places;

private:
  void addPlaces(std::string &message) const {
    if (!places)
      return;
    static const std::regex id("\\bL(\\d+)\\b");
    std::set<unsigned> named;
    std::string text = message;
    for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end;
         ++at)
      named.insert(std::stoul((*at)[1]));
    for (unsigned number : named)
      if (auto place = places->find(number); place != places->end())
        message += "\n" + place->second;
  }

  bool checkAssertions(TaskFailure &failure) {
    if (!holds)
      return true;
    std::vector<uint8_t> values(assertions.size());
    Span span;
    if (!runRead(model->device, holds, values.data(), values.size(), span,
                 failure))
      return false;
    for (size_t i = 0; i < values.size(); ++i)
      if (!values[i]) {
        failure.message = assertions[i];
        return false;
      }
    return true;
  }
};

std::atomic<uint64_t> launched = 0;

/// The tensor of the plan's own dtypes: memory of real numbers.
at::Tensor realOutput(const PlanOutput &output,
                      c10::ArrayRef<at::Tensor> inputs,
                      c10::ArrayRef<at::Tensor> results,
                      c10::DeviceIndex device) {
  switch (output.kind) {
  case OutputSpec::Kind::None:
  case OutputSpec::Kind::Number:
    return {};
  case OutputSpec::Kind::Empty:
    return emptyStrided(output.shape, output.strides, output.dtype, device);
  case OutputSpec::Kind::Input:
  case OutputSpec::Kind::Result:
    break;
  }
  at::Tensor base = output.kind == OutputSpec::Kind::Input
                        ? inputs[output.index]
                        : results[output.index];
  // The program knows only the memory of complex inputs.
  if (base.is_complex())
    base = at::view_as_real(base.is_conj() ? base.conj() : base);
  if (output.whole)
    return base;
  return at::native::as_strided_tensorimpl(base, output.shape, output.strides,
                                           base.storage_offset() +
                                               output.offset);
}

at::Tensor outputTensor(const PlanOutput &output,
                        c10::ArrayRef<at::Tensor> inputs,
                        c10::ArrayRef<at::Tensor> results,
                        c10::DeviceIndex device) {
  at::Tensor tensor = realOutput(output, inputs, results, device);
  if (!output.isComplex)
    return tensor;
  tensor = at::native::view_as_complex(tensor);
  tensor._set_conj(output.isConjugate);
  return tensor;
}

} // namespace

uint64_t device::launches() { return launched; }

std::vector<at::Tensor> device::launch(const Program &program, const char *name,
                                       c10::DeviceIndex device,
                                       c10::ArrayRef<at::Tensor> inputs,
                                       const at::Tensor &keys) {
  const Plan &plan = program.plan;
  std::vector<at::Tensor> results;
  if (program.model) {
    AllocationOwner owner(name);
    auto task = std::make_unique<ExecuteTask>(name, program.model);
    task->places = program.places;
    at::Tensor deviceKeys;
    if (plan.randomKeys != 0) {
      deviceKeys = emptyStrided(keys.sizes(), keys.strides(),
                                keys.scalar_type(), device);
      writeBytes(Allocator::get().rangeOf(deviceKeys), keys.const_data_ptr(),
                 keys.nbytes(), name);
    }
    auto argument = [&](size_t position) -> const at::Tensor & {
      unsigned index = plan.arguments[position];
      return index < inputs.size() ? inputs[index] : deviceKeys;
    };
    for (size_t i = 0; i < plan.arguments.size(); ++i)
      task->inputs.add(plan.argumentNames[i], argument(i),
                       plan.argumentBytes(i));
    for (const PlanResult &result : plan.results) {
      // A new value of an input is written where the input is: in place, or
      // over what the program does not read.
      at::Tensor memory = result.aliasedArgument >= 0
                              ? argument(result.aliasedArgument)
                          : result.mutatedInput >= 0
                              ? inputs[result.mutatedInput]
                              : emptyStrided(result.shape, result.strides,
                                             result.dtype, device);
      nrt_tensor_t *slice =
          task->outputs.add(result.name, memory, result.bytes);
      if (!plan.assertions.empty() && &result == &plan.results.back()) {
        task->holds = slice;
        task->assertions = plan.assertions;
      }
      results.push_back(std::move(memory));
    }
    currentStream(device).enqueue(std::move(task));
    launched++;
  }
  std::vector<at::Tensor> outputs;
  for (const PlanOutput &output : plan.outputs)
    outputs.push_back(outputTensor(output, inputs, results, device));
  return outputs;
}

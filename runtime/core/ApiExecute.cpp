//===- ApiExecute.cpp - tensor sets and execution -------------------------===//
#include "runtime/core/Execution.h"

using namespace neuron;
using namespace neuron::nrt;

namespace {

NRT_STATUS execute(const Runtime &state, Model &model, const TensorSet &inputs,
                   const TensorSet &outputs) {
  // Kept from call to call: a small model's execution is dominated by its
  // overhead.
  static thread_local Binding binding;
  binding.clear();
  uint64_t submitted = submissionTime();
  std::optional<Span> span;
  NRT_STATUS status = bindTensors(model, inputs, outputs, binding);
  if (status == NRT_SUCCESS)
    status = executeModel(model, binding,
                          {.interrupt = state.interrupt,
                           .interruptArgument = state.interruptArgument,
                           .seconds = state.config.execTimeout},
                          {state.config, submitted}, span);
  setLastSpan(span);
  binding.clear();
  return status;
}

} // namespace

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t **result) {
  return call(__func__, [&](Runtime &state) {
    if (!result)
      return nullArgument("the result");
    *result = reinterpret_cast<nrt_tensor_set_t *>(
        state.sets.add(std::make_shared<TensorSet>()));
    return NRT_SUCCESS;
  });
}

void nrt_destroy_tensor_set(nrt_tensor_set_t **set) {
  (void)guarded(__func__, [&]() -> NRT_STATUS {
    if (!set)
      return NRT_SUCCESS;
    runtime().sets.remove(*set);
    *set = nullptr;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t *set, const char *name,
                                        nrt_tensor_t *tensor) {
  return call(__func__, [&](Runtime &state) {
    auto foundSet = state.sets.find(set);
    if (!foundSet)
      return badHandle("tensor set");
    if (!name)
      return nullArgument("the name");
    auto foundTensor = state.tensors.find(tensor);
    if (!foundTensor)
      return badHandle("tensor");
    foundSet->add(name, std::move(foundTensor));
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t *set,
                                          const char *name,
                                          nrt_tensor_t **tensor) {
  return call(__func__, [&](Runtime &state) {
    auto foundSet = state.sets.find(set);
    if (!foundSet)
      return badHandle("tensor set");
    if (!name || !tensor)
      return nullArgument("an argument");
    auto found = foundSet->find(name);
    if (!found)
      return fail(NRT_FAILURE,
                  std::string("the tensor set has no '") + name + "'");
    *tensor = reinterpret_cast<nrt_tensor_t *>(found->handle);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_execute(nrt_model_t *model, const nrt_tensor_set_t *inputs,
                       nrt_tensor_set_t *outputs) {
  return call(__func__, [&](Runtime &state) {
    profile::Scope scope(profile::EventType::NrtExecute);
    auto foundModel = state.models.find(model);
    if (!foundModel)
      return badHandle("model");
    if (scope)
      describe(scope, *foundModel);
    auto foundInputs = state.sets.find(inputs);
    auto foundOutputs = state.sets.find(outputs);
    if (!foundInputs || !foundOutputs)
      return badHandle("tensor set");
    return execute(state, *foundModel, *foundInputs, *foundOutputs);
  });
}

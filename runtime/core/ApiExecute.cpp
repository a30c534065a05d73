//===- ApiExecute.cpp - tensor sets and execution
//---------------------------===//
#include "runtime/core/Runtime.h"
#include <chrono>

using namespace neuron;
using namespace neuron::nrt;

namespace {

/// A failed execution as a status.
struct FaultRow {
  simulator::Fault fault;
  NRT_STATUS status;
};
constexpr FaultRow kFaults[] = {
    {simulator::Fault::None, NRT_SUCCESS},
    {simulator::Fault::BadInput, NRT_EXEC_BAD_INPUT},
    {simulator::Fault::Race, NRT_EXEC_COMPLETED_WITH_ERR},
    {simulator::Fault::Uninitialized, NRT_EXEC_COMPLETED_WITH_ERR},
    {simulator::Fault::OutOfRange, NRT_EXEC_COMPLETED_WITH_ERR},
    {simulator::Fault::OutOfBounds, NRT_EXEC_OOB},
    {simulator::Fault::Deadlock, NRT_TIMEOUT},
    {simulator::Fault::Timeout, NRT_TIMEOUT},
    {simulator::Fault::Internal, NRT_FAILURE},
};

NRT_STATUS statusOf(simulator::Fault fault) {
  for (const FaultRow &row : kFaults)
    if (row.fault == fault)
      return row.status;
  return NRT_FAILURE;
}

/// The buffers of one execution. Storage is held until it ends, so that
/// freeing a tensor meanwhile is harmless.
struct Binding {
  std::vector<simulator::Buffer> buffers;
  std::vector<std::shared_ptr<Storage>> held;

  void clear() {
    buffers.clear();
    held.clear();
  }
};

NRT_STATUS bindSlot(const Model::Slot &slot, const TensorSet &set,
                    const char *role, Binding &binding) {
  const program::Tensor &variable = *slot.variable;
  auto bytes = static_cast<size_t>(variable.bytes());
  if (bytes == 0)
    return NRT_SUCCESS;
  auto describe = [&] {
    return std::string(role) + " '" + variable.name + "'";
  };
  auto tensor = set.find(variable.name);
  if (!tensor)
    return fail(NRT_INVALID, describe() + " is missing from its tensor set");
  View view = tensor->current();
  if (!view.storage)
    return fail(NRT_INVALID, describe() + " has no storage");
  if (view.size != bytes)
    return fail(NRT_INVALID, describe() + " has " + std::to_string(view.size) +
                                 " bytes, but the model needs " +
                                 std::to_string(bytes));
  uint8_t *data = view.data();
  if (reinterpret_cast<uintptr_t>(data) % program::bytesOf(variable.dtype))
    return fail(NRT_INVALID, describe() + " is not aligned to its " +
                                 std::string(nameOf(variable.dtype)) +
                                 " elements");
  binding.buffers[slot.tensor] = {data, static_cast<int64_t>(bytes)};
  binding.held.push_back(std::move(view.storage));
  return NRT_SUCCESS;
}

/// An output that is written in place must be bound to its input's memory.
NRT_STATUS checkAlias(const Model::Slot &slot, const Model &model,
                      const Binding &binding) {
  const program::Tensor &variable = *slot.variable;
  if (variable.aliasedInput < 0)
    return NRT_SUCCESS;
  auto input = static_cast<size_t>(variable.aliasedInput);
  if (binding.buffers[slot.tensor].data == binding.buffers[input].data)
    return NRT_SUCCESS;
  return fail(NRT_INVALID, "output '" + variable.name +
                               "' is written in place: bind the tensor of "
                               "input '" +
                               model.program().tensors[input].name + "' to it");
}

NRT_STATUS bindAll(const Model &model, const TensorSet &inputs,
                   const TensorSet &outputs, Binding &binding) {
  binding.buffers.resize(model.program().tensors.size());
  for (const Model::Slot &slot : model.inputs())
    if (NRT_STATUS status = bindSlot(slot, inputs, "input", binding);
        status != NRT_SUCCESS)
      return status;
  for (const Model::Slot &slot : model.outputs()) {
    if (NRT_STATUS status = bindSlot(slot, outputs, "output", binding);
        status != NRT_SUCCESS)
      return status;
    if (NRT_STATUS status = checkAlias(slot, model, binding);
        status != NRT_SUCCESS)
      return status;
  }
  return NRT_SUCCESS;
}

/// Asks the client, and looks at the clock. Empty if there is neither.
class Watchdog {
public:
  explicit Watchdog(const Runtime &state)
      : interrupt(state.interrupt), argument(state.interruptArgument),
        seconds(state.config.execTimeout) {}

  simulator::Interrupted callback() {
    if (!interrupt && seconds == 0)
      return {};
    start = std::chrono::steady_clock::now();
    return [this] { return expired(); };
  }
  const char *why() const { return byClient ? "interrupted" : "timed out"; }

private:
  bool expired() {
    byClient = interrupt && interrupt(argument) != 0;
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    return byClient || (seconds > 0 && spent.count() > seconds);
  }
  int (*interrupt)(void *);
  void *argument;
  double seconds;
  bool byClient = false;
  std::chrono::steady_clock::time_point start;
};

NRT_STATUS execute(const Runtime &state, Model &model, const TensorSet &inputs,
                   const TensorSet &outputs) {
  // Kept from call to call: a small model's execution is dominated by its
  // overhead.
  static thread_local Binding binding;
  binding.clear();
  NRT_STATUS status = bindAll(model, inputs, outputs, binding);
  if (status == NRT_SUCCESS) {
    simulator::Outcome outcome;
    Watchdog watchdog(state);
    {
      std::lock_guard lock(model.core->executing);
      outcome = model.executable().run(binding.buffers, watchdog.callback());
    }
    if (outcome.fault == simulator::Fault::None)
      model.executions.fetch_add(1, std::memory_order_relaxed);
    else if (outcome.fault == simulator::Fault::Timeout)
      status = fail(NRT_TIMEOUT, "execution of '" + model.name + "' " +
                                     watchdog.why() + ": " + outcome.message);
    else
      status = fail(statusOf(outcome.fault), std::move(outcome.message));
  }
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
    auto foundModel = state.models.find(model);
    if (!foundModel)
      return badHandle("model");
    auto foundInputs = state.sets.find(inputs);
    auto foundOutputs = state.sets.find(outputs);
    if (!foundInputs || !foundOutputs)
      return badHandle("tensor set");
    return execute(state, *foundModel, *foundInputs, *foundOutputs);
  });
}

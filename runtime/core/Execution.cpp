//===- Execution.cpp - one execution of a model
//-----------------------------===//
#include "runtime/core/Execution.h"
#include <chrono>

namespace neuron::nrt {
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
    {simulator::Fault::Timeout, NRT_TIMEOUT},
    {simulator::Fault::Internal, NRT_FAILURE},
};

NRT_STATUS statusOf(simulator::Fault fault, NRT_STATUS deadlock) {
  if (fault == simulator::Fault::Deadlock)
    return deadlock;
  for (const FaultRow &row : kFaults)
    if (row.fault == fault)
      return row.status;
  return NRT_FAILURE;
}

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

/// Asks the client, looks at the clock and at whether the runtime closes. Empty
/// if there is none of them.
class Watchdog {
public:
  explicit Watchdog(const ExecuteOptions &options) : options(options) {}

  simulator::Interrupted callback() {
    if (!options.interrupt && options.seconds == 0 && !options.stopping)
      return {};
    start = std::chrono::steady_clock::now();
    return [this] { return expired(); };
  }
  /// Of an execution that was ended early.
  NRT_STATUS status() const { return byClose ? NRT_CLOSED : NRT_TIMEOUT; }
  const char *why() const {
    return byClose    ? "ended by nrt_close"
           : byClient ? "interrupted"
                      : "timed out";
  }

private:
  bool expired() {
    byClose = options.stopping && *options.stopping;
    byClient =
        options.interrupt && options.interrupt(options.interruptArgument) != 0;
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    return byClose || byClient ||
           (options.seconds > 0 && spent.count() > options.seconds);
  }
  const ExecuteOptions &options;
  bool byClose = false, byClient = false;
  std::chrono::steady_clock::time_point start;
};

} // namespace

NRT_STATUS bindTensors(const Model &model, const TensorSet &inputs,
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

NRT_STATUS runModel(Model &model, const Binding &binding,
                    const ExecuteOptions &options) {
  simulator::Outcome outcome;
  Watchdog watchdog(options);
  {
    std::lock_guard lock(model.core->executing);
    outcome = model.executable().run(binding.buffers, watchdog.callback());
  }
  if (outcome.fault == simulator::Fault::None) {
    model.executions.fetch_add(1, std::memory_order_relaxed);
    return NRT_SUCCESS;
  }
  if (outcome.fault == simulator::Fault::Timeout)
    return fail(watchdog.status(), "execution of '" + model.name + "' " +
                                       watchdog.why() + ": " + outcome.message);
  return fail(statusOf(outcome.fault, options.deadlock),
              std::move(outcome.message));
}

std::optional<Span> placeModel(Model &model, const DispatchCost &dispatch,
                               uint64_t earliest) {
  auto program = model.predictedPs();
  auto target = target::find(model.program().target);
  if (!program || !target)
    return std::nullopt;
  return model.core->clock.place(Lane::Compute, earliest,
                                 dispatchPs(**target, dispatch) + *program);
}

} // namespace neuron::nrt

//===- Execution.cpp - one execution of a model ---------------------------===//
#include "runtime/core/Execution.h"
#include "runtime/profile/Executions.h"
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

uint64_t dispatchOf(const Model &model, const Config &config) {
  return dispatchPs(model.target(), *config.dispatchCost);
}

std::optional<Span> placeModel(Model &model, const Placing &placing) {
  auto program = model.predictedPs();
  if (!program)
    return std::nullopt;
  uint64_t dispatch = dispatchOf(model, placing.config);
  return model.core->clock.place(Lane::Compute, placing.earliest,
                                 dispatch + *program);
}

/// The events of the hardware.
void recordOnDevice(const Model &model, const Config &config,
                    uint64_t execution, const Span &span) {
  profile::Event event{profile::EventType::NcExecRunning};
  event.core = model.core->index;
  event.setModel(model.id, model.name);
  event.execution = execution;
  event.start = event.deviceStart = span.start;
  event.end = event.deviceEnd = span.end;
  uint32_t first =
      config.visibleCores[model.core->index] * config.virtualCoreSize;
  for (uint32_t i = 0; i < config.virtualCoreSize; ++i) {
    event.physicalCore = int32_t(first + i);
    profile::record(event);
  }
  if (model.core->lastModel == 0 || model.core->lastModel == model.id)
    return;
  event.type = profile::EventType::NcModelSwitch;
  event.instant = true;
  event.physicalCore = int32_t(first);
  event.end = event.deviceEnd = span.start;
  profile::record(event);
}

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

void describe(profile::Scope &scope, const Model &model) {
  scope.setCore(model.core->index);
  scope->setModel(model.id, model.name);
}

NRT_STATUS executeModel(Model &model, const Binding &binding,
                        const ExecuteOptions &options, const Placing &placing,
                        std::optional<Span> &span) {
  using profile::EventType;
  span.reset();
  uint64_t execution = ++model.core->executions;
  auto begin = [&](profile::Scope &scope) -> profile::Scope & {
    if (scope) {
      describe(scope, model);
      scope->execution = execution;
    }
    return scope;
  };
  profile::Scope submit(EventType::NrtModelSubmit);
  begin(submit);
  profile::Scope before(EventType::KblExecPre);
  begin(before);
  simulator::Outcome outcome;
  Watchdog watchdog(options);
  std::unique_lock lock(model.core->executing);
  before.finish();
  {
    profile::Scope wait(EventType::KblExecWait);
    begin(wait);
    outcome = model.executable().run(binding.buffers, watchdog.callback());
  }
  profile::Scope after(EventType::KblExecPost);
  begin(after);
  if (outcome.fault != simulator::Fault::None && profile::isListening())
    profile::tellFailed(model);
  if (outcome.fault == simulator::Fault::Timeout)
    return fail(watchdog.status(), "execution of '" + model.name + "' " +
                                       watchdog.why() + ": " + outcome.message);
  if (outcome.fault != simulator::Fault::None)
    return fail(statusOf(outcome.fault, options.deadlock),
                std::move(outcome.message));
  model.executions.fetch_add(1, std::memory_order_relaxed);
  // Still locked: executions have the order on the timeline in which they ran.
  span = placeModel(model, placing);
  if (span && profile::isOn())
    recordOnDevice(model, placing.config, execution, *span);
  if (span && profile::isListening())
    profile::tellExecuted(model,
                          {.model = model.id,
                           .execution = execution,
                           .start = span->start,
                           .end = span->end,
                           .dispatchPs = dispatchOf(model, placing.config)});
  model.core->lastModel = model.id;
  return NRT_SUCCESS;
}

} // namespace neuron::nrt

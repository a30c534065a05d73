//===- Execution.h - one execution of a model -------------------*- C++ -*-===//
#pragma once
#include "runtime/core/Runtime.h"
#include "runtime/profile/Recorder.h"

namespace neuron::nrt {

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

/// Finds the model's inputs and outputs in the sets and checks them.
NRT_STATUS bindTensors(const Model &model, const TensorSet &inputs,
                       const TensorSet &outputs, Binding &binding);

/// What may end an execution early, and what its failures are called.
struct ExecuteOptions {
  int (*interrupt)(void *) = nullptr;
  void *interruptArgument = nullptr;
  double seconds = 0; ///< of this computer's time; 0: no limit
  const std::atomic<bool> *stopping = nullptr; ///< the runtime is closing
  /// A device that hangs can be used again only after a reset.
  NRT_STATUS deadlock = NRT_TIMEOUT;
};

/// Where the execution is put on the core's timeline.
struct Placing {
  const Config &config;
  uint64_t earliest;
};

/// Runs the model. If that succeeds and its time can be predicted, `span` is
/// its place on the core's timeline, dispatch included; else it is empty.
NRT_STATUS executeModel(Model &model, const Binding &binding,
                        const ExecuteOptions &options, const Placing &placing,
                        std::optional<Span> &span);

/// Which model an event is about.
void describe(profile::Scope &scope, const Model &model);

} // namespace neuron::nrt

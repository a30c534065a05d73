//===- Executions.cpp - who wants to know of executions -------------------===//
#include "runtime/profile/Executions.h"
#include "runtime/profile/Recorder.h"
#include <shared_mutex>

namespace neuron::profile {
namespace {

struct Listeners {
  std::shared_mutex mutex;
  std::vector<std::shared_ptr<ExecutionListener>> all;
};

/// Never destroyed: threads may execute while the process ends.
Listeners &listeners() {
  static Listeners *result = new Listeners;
  return *result;
}

} // namespace

std::atomic<bool> listening = false;

void listen(std::shared_ptr<ExecutionListener> listener) {
  std::unique_lock lock(listeners().mutex);
  listeners().all.push_back(std::move(listener));
  listening = true;
}

void unlisten(const std::shared_ptr<ExecutionListener> &listener) {
  std::unique_lock lock(listeners().mutex);
  std::erase(listeners().all, listener);
  listening = !listeners().all.empty();
}

void tellExecuted(const nrt::Model &model, ExecutionRecord record) {
  record.sequence = currentSequence();
  std::shared_lock lock(listeners().mutex);
  for (const auto &listener : listeners().all)
    listener->executed(model, record);
}

void tellFailed(const nrt::Model &model) {
  std::shared_lock lock(listeners().mutex);
  for (const auto &listener : listeners().all)
    listener->failed(model);
}

} // namespace neuron::profile

//===- Executions.h - who wants to know of executions -----------*- C++ -*-===//
//
// Costs a look at one flag while nobody does.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/profile/DeviceProfile.h"
#include <atomic>

namespace neuron::nrt {
class Model;
}

namespace neuron::profile {

class ExecutionListener {
public:
  virtual ~ExecutionListener() = default;
  /// On the thread that executed.
  virtual void executed(const nrt::Model &model,
                        const ExecutionRecord &record) = 0;
  virtual void failed(const nrt::Model &model) = 0;
};

extern std::atomic<bool> listening;
inline bool isListening() { return listening.load(std::memory_order_relaxed); }

void listen(std::shared_ptr<ExecutionListener> listener);
/// It is not called after this.
void unlisten(const std::shared_ptr<ExecutionListener> &listener);

void tellExecuted(const nrt::Model &model, ExecutionRecord record);
void tellFailed(const nrt::Model &model);

} // namespace neuron::profile

//===- Spans.cpp - what the device did, for the profiler ------------------===//
#include "runtime/device/Spans.h"
#include <unistd.h>

using namespace neuron;
using namespace neuron::device;

namespace {

std::atomic<bool> recording = false;
std::mutex mutex;
std::vector<DeviceSpan> spans;
thread_local std::vector<uint64_t> correlations;

} // namespace

void device::setRecording(bool on) { recording = on; }
bool device::isRecording() { return recording; }

void device::recordSpan(const Task &task, const Stream &stream,
                        const Span &span, uint64_t begun) {
  if (!recording || !span.known() || task.kind > Task::Kind::Copy)
    return;
  DeviceSpan recorded{task.kind,      task.name,        task.bytes,
                      task.submitted, task.enqueued,    begun,
                      hostNow(),      task.thread,      threadNumber(),
                      span,           task.correlation, stream.device,
                      stream.id,      task.place};
  std::lock_guard lock(mutex);
  spans.push_back(recorded);
}

int device::threadNumber() {
  thread_local const int number = gettid();
  return number;
}

std::vector<DeviceSpan> device::takeSpans() {
  std::lock_guard lock(mutex);
  return std::exchange(spans, {});
}

uint64_t device::currentCorrelation() {
  return correlations.empty() ? 0 : correlations.back();
}
void device::pushCorrelation(uint64_t id) { correlations.push_back(id); }
void device::popCorrelation() {
  if (!correlations.empty())
    correlations.pop_back();
}

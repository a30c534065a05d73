//===- Spans.h - what the device did, for the profiler ----------*- C++ -*-===//
#pragma once
#include "runtime/device/Stream.h"
#include <vector>

namespace neuron::device {

/// One task that was done while spans were recorded.
struct DeviceSpan {
  Task::Kind kind;
  const char *name;
  size_t bytes;
  /// Host times, nanoseconds since the Unix epoch: asked for by `thread`, put
  /// into the queue, begun and ended by the stream's own `worker`.
  uint64_t submitted, enqueued, begun, ended;
  int thread, worker;
  Span span; ///< simulated clock
  uint64_t correlation;
  c10::DeviceIndex device;
  c10::StreamId stream;
  Place place;
};

/// Recording is off until it is switched on; the profiler does.
void setRecording(bool on);
bool isRecording();
void recordSpan(const Task &task, const Stream &stream, const Span &span,
                uint64_t begun);
/// Of this thread, as the operating system numbers it.
int threadNumber();
/// Takes what was recorded so far.
std::vector<DeviceSpan> takeSpans();

/// The profiler's number of the operation that this thread is in; 0: none.
uint64_t currentCorrelation();
void pushCorrelation(uint64_t id);
void popCorrelation();

} // namespace neuron::device

//===- Stream.h - the streams of the device ---------------------*- C++ -*-===//
//
// A stream is a queue of tasks and a thread that does them in order. The host
// goes on at once; what fails is reported by the next call that waits for the
// stream.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/device/Runtime.h"
#include "runtime/device/Task.h"
#include <atomic>
#include <c10/core/Stream.h>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace neuron::device {

/// A point in a stream that others can wait for.
class Mark {
public:
  void reach(uint64_t clock);
  bool reached() const;
  void wait() const;       ///< on a stream's thread
  void waitOnHost() const; ///< throws on Ctrl-C
  /// The simulated time at which it was reached; 0 before.
  uint64_t clock() const;

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool done = false;
  uint64_t time = 0;
};

class Stream {
public:
  Stream(c10::DeviceIndex device, c10::StreamId id) : device(device), id(id) {}
  Stream(const Stream &) = delete;

  const c10::DeviceIndex device;
  const c10::StreamId id;

  /// Waits while the queue is full. With NEURON_LAUNCH_BLOCKING=1 the task is
  /// done, and its failure thrown, before this returns.
  void enqueue(std::unique_ptr<Task> task);
  /// Waits until everything is done; throws the first failure since the last
  /// time: c10::IndexError or c10::Error.
  void synchronize();
  bool isIdle() const;

  std::shared_ptr<Mark> record();
  void waitFor(std::shared_ptr<Mark> mark);

  /// Simulated time at which all that was done so far ended.
  uint64_t clock() const { return clockNs; }
  c10::Stream unwrap() const {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(kNeuron, device), id);
  }

private:
  void work();
  void throwFailure(std::unique_lock<std::mutex> &lock);

  /// As many as the runtime itself holds ready many times over; bounds what is
  /// kept alive for tasks that were not done yet.
  static constexpr size_t kMostQueued = 4096;

  mutable std::mutex mutex;
  std::condition_variable ready, idle;
  std::deque<std::unique_ptr<Task>> queue;
  bool busy = false;
  bool started = false;
  std::optional<TaskFailure> failure;
  std::atomic<uint64_t> clockNs = 0;
};

/// The stream that PyTorch means; throws c10::Error if there is none of that
/// id.
Stream &streamOf(c10::Stream stream);
Stream &streamOf(c10::DeviceIndex device, c10::StreamId id);
/// This thread's stream of the device.
Stream &currentStream(c10::DeviceIndex device);
void setCurrentStream(const Stream &stream);
Stream &defaultStream(c10::DeviceIndex device);
Stream &newStream(c10::DeviceIndex device);
/// Waits for every stream of the device; throws the first failure.
void synchronizeDevice(c10::DeviceIndex device);
/// Waits for all devices; failures are dropped. For the end of the process.
void drain() noexcept;

/// Fills in where the user's program is; called with every task. May be null.
void setPlaceFinder(Place (*finder)());

/// Nanoseconds since the Unix epoch.
uint64_t hostNow();

} // namespace neuron::device

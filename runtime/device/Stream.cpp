//===- Stream.cpp - the streams of the device -----------------------------===//
#include "runtime/device/Stream.h"
#include "runtime/device/Spans.h"
#include <array>
#include <c10/util/Exception.h>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>

using namespace neuron;
using namespace neuron::device;
using namespace std::chrono_literals;

uint64_t device::hostNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

static std::atomic<Place (*)()> placeFinder = nullptr;
void device::setPlaceFinder(Place (*finder)()) { placeFinder = finder; }

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

void Mark::reach(uint64_t clock) {
  {
    std::lock_guard lock(mutex);
    done = true;
    time = clock;
  }
  changed.notify_all();
}

bool Mark::reached() const {
  std::lock_guard lock(mutex);
  return done;
}

uint64_t Mark::clock() const {
  std::lock_guard lock(mutex);
  return time;
}

void Mark::wait() const {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}

void Mark::waitOnHost() const {
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, 100ms, [&] { return done; })) {
    lock.unlock();
    throwIfInterrupted();
    lock.lock();
  }
}

namespace {

class MarkTask final : public Task {
public:
  MarkTask() : Task(Kind::Mark, "record_event") {}
  bool run(uint64_t now, Span &, TaskFailure &) override {
    // As on a device whose queue was empty: not before it was asked for.
    mark->reach(std::max(now, submitted));
    return true;
  }
  std::shared_ptr<Mark> mark = std::make_shared<Mark>();
};

class WaitTask final : public Task {
public:
  explicit WaitTask(std::shared_ptr<Mark> mark)
      : Task(Kind::Wait, "wait_event"), mark(std::move(mark)) {}
  bool run(uint64_t, Span &span, TaskFailure &) override {
    mark->wait();
    span = {mark->clock(), mark->clock()};
    return true;
  }

private:
  std::shared_ptr<Mark> mark;
};

bool isBlocking() {
  static const bool blocking = [] {
    const char *value = std::getenv("NEURON_LAUNCH_BLOCKING");
    return value && std::string_view(value) == "1";
  }();
  return blocking;
}

} // namespace

//===----------------------------------------------------------------------===//
// A stream
//===----------------------------------------------------------------------===//

void Stream::enqueue(std::unique_ptr<Task> task) {
  task->submitted = hostNow();
  task->thread = threadNumber();
  task->correlation = currentCorrelation();
  if (Place(*find)() = placeFinder.load())
    task->place = find();
  bool wait = isBlocking() && task->kind != Task::Kind::Mark;
  {
    std::unique_lock lock(mutex);
    if (!started) {
      started = true;
      std::thread([this] { work(); }).detach();
    }
    idle.wait(lock, [&] { return queue.size() < kMostQueued; });
    task->enqueued = isRecording() ? hostNow() : task->submitted;
    queue.push_back(std::move(task));
  }
  ready.notify_one();
  if (wait)
    synchronize();
}

void Stream::work() {
  std::unique_lock lock(mutex);
  while (true) {
    ready.wait(lock, [&] { return !queue.empty(); });
    std::unique_ptr<Task> task = std::move(queue.front());
    queue.pop_front();
    busy = true;
    lock.unlock();
    Span span;
    TaskFailure problem;
    uint64_t begun = isRecording() ? hostNow() : 0;
    bool good = task->run(clockNs, span, problem);
    if (span.known())
      clockNs = std::max(clockNs.load(), span.end);
    recordSpan(*task, *this, span, begun);
    if (!good) {
      problem.message = std::string(task->name) + ": " + problem.message;
      if (task->place.file)
        problem.message += "\nasked for at " + std::string(task->place.file) +
                           ":" + std::to_string(task->place.line);
    }
    task.reset(); // before the host is told that all is done
    lock.lock();
    busy = false;
    if (!good && !failure)
      failure = std::move(problem);
    if (queue.empty() || queue.size() == kMostQueued - 1)
      idle.notify_all();
  }
}

bool Stream::isIdle() const {
  std::lock_guard lock(mutex);
  return queue.empty() && !busy;
}

void Stream::throwFailure(std::unique_lock<std::mutex> &lock) {
  if (!failure)
    return;
  TaskFailure problem = std::move(*failure);
  failure.reset();
  lock.unlock();
  TORCH_CHECK_INDEX(!problem.isIndexError, problem.message);
  TORCH_CHECK(false, problem.message);
}

void Stream::synchronize() {
  std::unique_lock lock(mutex);
  while (!idle.wait_for(lock, 100ms, [&] { return queue.empty() && !busy; })) {
    lock.unlock();
    throwIfInterrupted();
    lock.lock();
  }
  throwFailure(lock);
}

std::shared_ptr<Mark> Stream::record() {
  auto task = std::make_unique<MarkTask>();
  std::shared_ptr<Mark> mark = task->mark;
  enqueue(std::move(task));
  return mark;
}

void Stream::waitFor(std::shared_ptr<Mark> mark) {
  enqueue(std::make_unique<WaitTask>(std::move(mark)));
}

//===----------------------------------------------------------------------===//
// All streams
//===----------------------------------------------------------------------===//

namespace {

/// Streams live for ever: c10::Stream is a number that may be kept anywhere.
/// After so many, new ones are old ones again, as on other devices.
constexpr c10::StreamId kMostStreams = 32;

struct Streams {
  std::mutex mutex;
  std::map<std::pair<c10::DeviceIndex, c10::StreamId>, Stream *> all;
  std::map<c10::DeviceIndex, c10::StreamId> made;

  Stream &get(c10::DeviceIndex device, c10::StreamId id) {
    std::lock_guard lock(mutex);
    Stream *&stream = all[{device, id}];
    if (!stream)
      stream = new Stream(device, id);
    return *stream;
  }
};

Streams &streams() {
  static Streams *streams = new Streams;
  return *streams;
}

thread_local std::array<Stream *, 128> currents{};

} // namespace

Stream &device::streamOf(c10::DeviceIndex device, c10::StreamId id) {
  TORCH_CHECK(id >= 0 && id <= kMostStreams, "no stream has the id ", id);
  return streams().get(device, id);
}

Stream &device::streamOf(c10::Stream stream) {
  return streamOf(resolve(stream.device()), stream.id());
}

Stream &device::defaultStream(c10::DeviceIndex device) {
  return streams().get(device, 0);
}

Stream &device::currentStream(c10::DeviceIndex device) {
  Stream *&current = currents.at(device);
  if (!current)
    current = &defaultStream(device);
  return *current;
}

void device::setCurrentStream(const Stream &stream) {
  currents.at(stream.device) = const_cast<Stream *>(&stream);
}

Stream &device::newStream(c10::DeviceIndex device) {
  c10::StreamId id;
  {
    std::lock_guard lock(streams().mutex);
    c10::StreamId &made = streams().made[device];
    id = made++ % kMostStreams + 1;
  }
  return streams().get(device, id);
}

static std::vector<Stream *> streamsOf(c10::DeviceIndex device) {
  std::vector<Stream *> found;
  std::lock_guard lock(streams().mutex);
  for (auto &[key, stream] : streams().all)
    if (device < 0 || key.first == device)
      found.push_back(stream);
  return found;
}

void device::synchronizeDevice(c10::DeviceIndex device) {
  for (Stream *stream : streamsOf(device))
    stream->synchronize();
}

void device::drain() noexcept {
  if (isInBadFork())
    return;
  for (Stream *stream : streamsOf(-1))
    try {
      stream->synchronize();
    } catch (...) {
    }
}

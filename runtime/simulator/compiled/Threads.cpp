//===- Threads.cpp - the threads that partitions are spread over ----------===//
#include "runtime/simulator/compiled/Threads.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace neuron::simulator::compiled {

namespace {

std::atomic<unsigned> requestedLimit = 0;
std::atomic<int64_t> worthAThread = int64_t(1) << 18;

unsigned defaultLimit() {
  if (const char *text = std::getenv("OMP_NUM_THREADS"))
    if (long value = std::strtol(text, nullptr, 10); value > 0)
      return static_cast<unsigned>(value);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  return 1;
}

/// Helpers that sleep between runs. Made when first needed, never joined: they
/// hold nothing.
class Helpers {
public:
  /// After a fork the helpers are gone, so every process has its own.
  static Helpers &get() {
    static std::mutex mutex;
    static Helpers *current = nullptr;
    std::lock_guard lock(mutex);
    if (!current || current->process != getpid())
      current = new Helpers();
    return *current;
  }

  void run(unsigned count, const std::function<void(unsigned)> &body,
           const std::function<void()> &wait) {
    std::unique_lock<std::mutex> alone(oneRun, std::try_to_lock);
    unsigned helpers = alone ? ensure(count - 1) : 0;
    if (helpers > 0) {
      std::lock_guard lock(mutex);
      work = &body;
      next = 1, end = count;
      running = 0;
      ++generation;
      wake.notify_all();
    }
    body(0);
    if (helpers == 0) {
      for (unsigned i = 1; i < count; ++i)
        body(i);
      return;
    }
    // What no helper has begun, the caller does.
    std::unique_lock lock(mutex);
    while (next < end) {
      unsigned i = next++;
      lock.unlock();
      body(i);
      lock.lock();
    }
    while (running > 0) {
      done.wait_for(lock, std::chrono::milliseconds(20));
      if (running == 0)
        break;
      lock.unlock();
      wait();
      lock.lock();
    }
    work = nullptr;
  }

private:
  Helpers() : process(getpid()) {}

  unsigned ensure(unsigned wanted) {
    try {
      for (; made < wanted; ++made)
        std::thread([this] { loop(); }).detach();
    } catch (const std::system_error &) {
      // Fewer threads do as well.
    }
    return made;
  }

  void loop() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return generation != seen; });
      seen = generation;
      while (work && next < end) {
        unsigned i = next++;
        ++running;
        const auto *body = work;
        lock.unlock();
        (*body)(i);
        lock.lock();
        if (--running == 0)
          done.notify_all();
      }
    }
  }

  const pid_t process;
  std::mutex oneRun; ///< held by the run that the helpers work for
  std::mutex mutex;  ///< guards what follows
  std::condition_variable wake, done;
  const std::function<void(unsigned)> *work = nullptr;
  unsigned next = 0, end = 0, running = 0;
  uint64_t generation = 0;
  unsigned made = 0; ///< guarded by oneRun
};

} // namespace

void setThreadLimit(unsigned threads) { requestedLimit = threads; }

void setWorkPerThread(int64_t elements) { worthAThread = elements; }
int64_t workPerThread() { return worthAThread; }

unsigned threadLimit() {
  unsigned requested = requestedLimit;
  static const unsigned byDefault = defaultLimit();
  return requested ? requested : byDefault;
}

void runParallel(unsigned count, const std::function<void(unsigned)> &body,
                 const std::function<void()> &wait) {
  if (count <= 1) {
    if (count == 1)
      body(0);
    return;
  }
  Helpers::get().run(count, body, wait);
}

} // namespace neuron::simulator::compiled

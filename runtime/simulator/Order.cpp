//===- Order.cpp - what happens before what -------------------------------===//
#include "runtime/simulator/Order.h"
#include <algorithm>

namespace neuron::simulator {
using namespace program;

namespace {

constexpr unsigned indexOf(Unit unit) { return static_cast<unsigned>(unit); }

} // namespace

Order::Order(const Streams &streams) {
  for (const StaticInstruction &it : streams.instructions())
    for (const Wait &wait : it.instruction->waits)
      semaphores[indexOf(wait.semaphore)].waiters |=
          uint64_t(1) << indexOf(it.instruction->engine);
}

void Order::join(Clock &clock, const Clock &other) {
  for (unsigned i = 0; i < kNumUnits; ++i)
    clock[i] = std::max(clock[i], other[i]);
}

void Order::wait(const Executed &it) {
  Clock &clock = clocks[indexOf(it.instruction->engine)];
  for (const Wait &wait : it.instruction->waits) {
    const Semaphore &semaphore = semaphores[indexOf(wait.semaphore)];
    int64_t value = wait.value.at(it.counters);
    // The machine has met the wait, so the signal is there. Only that one is
    // sure to have happened, whatever has been signalled since.
    if (value > static_cast<int64_t>(semaphore.forgotten))
      join(clock, semaphore.signals[value - 1 - semaphore.forgotten]);
  }
}

Stamp Order::next(unsigned unit, const Executed &it) {
  history[unit].push_back(it.number);
  return Stamp(unit, ++clocks[unit][unit]);
}

Stamp Order::run(const Executed &it) {
  wait(it);
  return next(indexOf(it.instruction->engine), it);
}

void Order::issue(const Executed &it) {
  wait(it);
  issued[indexOf(it.instruction->queue) - kNumEngines].push_back(
      clocks[indexOf(it.instruction->engine)]);
}

Stamp Order::transfer(const Executed &it) {
  unsigned unit = indexOf(it.instruction->queue);
  auto &waiting = issued[unit - kNumEngines];
  join(clocks[unit], waiting.front());
  waiting.pop_front();
  return next(unit, it);
}

void Order::finish(const Executed &it) {
  if (!it.instruction->signal)
    return;
  unsigned unit = indexOf(it.instruction->unit());
  semaphores[unit].signals.push_back(clocks[unit]);
  forgetOldSignals(semaphores[unit], unit);
}

/// A signal that each waiter already knows to be past adds nothing to a wait.
void Order::forgetOldSignals(Semaphore &semaphore, unsigned unit) {
  uint32_t known = UINT32_MAX;
  for (unsigned engine = 0; engine < kNumEngines; ++engine)
    if (semaphore.waiters >> engine & 1)
      known = std::min(known, clocks[engine][unit]);
  while (!semaphore.signals.empty() &&
         semaphore.signals.front()[unit] <= known) {
    semaphore.signals.pop_front();
    ++semaphore.forgotten;
  }
}

void Order::barrier() {
  Clock all{};
  for (const Clock &clock : clocks)
    join(all, clock);
  clocks.fill(all);
  for (Semaphore &semaphore : semaphores) {
    semaphore.signals.clear();
    semaphore.forgotten = 0;
  }
}

} // namespace neuron::simulator

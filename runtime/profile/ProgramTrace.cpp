//===- ProgramTrace.cpp - every instruction of an execution ---------------===//
#include "runtime/profile/ProgramTrace.h"
#include "runtime/simulator/Machine.h"
#include <array>
#include <deque>

namespace neuron::profile {
namespace {

using namespace program;
using simulator::Machine;

class Tracer final : public Machine::Observer {
public:
  explicit Tracer(std::vector<TracedEvent> &events) : events(events) {}

  bool ran(const Executed &it, int64_t start, int64_t end) override {
    add(it, it.instruction->engine, start, end);
    raise(it, it.instruction->engine);
    return true;
  }
  bool issued(const Executed &it, int64_t start, int64_t end) override {
    issues[size_t(it.instruction->queue)].push_back(events.size());
    add(it, it.instruction->engine, start, end);
    return true;
  }
  bool transferred(const Executed &it, int64_t start, int64_t end) override {
    Unit queue = it.instruction->queue;
    TracedEvent &event = append(it, queue, start, end);
    event.dependsOn.push_back(uint32_t(issues[size_t(queue)].front()));
    issues[size_t(queue)].pop_front();
    raise(it, queue);
    return true;
  }
  /// Semaphores begin again.
  bool met(const Executed &) override {
    for (auto &unit : signals)
      unit.clear();
    return true;
  }

private:
  TracedEvent &append(const Executed &it, Unit unit, int64_t start,
                      int64_t end) {
    TracedEvent event = {it.number, unit, start, end, {}, {}};
    event.iteration.assign(it.counters.begin(), it.counters.begin() + it.depth);
    return events.emplace_back(std::move(event));
  }

  /// What waits: the n-th signal of a unit ended the wait for n.
  void add(const Executed &it, Unit unit, int64_t start, int64_t end) {
    TracedEvent &event = append(it, unit, start, end);
    for (const Wait &wait : it.instruction->waits) {
      int64_t count = wait.value.at(it.counters);
      const auto &raised = signals[size_t(wait.semaphore)];
      if (count >= 1 && size_t(count) <= raised.size())
        event.dependsOn.push_back(raised[size_t(count) - 1]);
    }
  }

  /// The event that was added last raises its semaphore.
  void raise(const Executed &it, Unit unit) {
    if (it.instruction->signal)
      signals[size_t(unit)].push_back(uint32_t(events.size() - 1));
  }

  std::vector<TracedEvent> &events;
  std::array<std::vector<uint32_t>, kNumUnits> signals; ///< since a barrier
  std::array<std::deque<size_t>, kNumUnits> issues;     ///< by queue
};

} // namespace

Result<ProgramTrace> traceProgram(const Program &program) {
  auto target = target::find(program.target);
  if (!target.ok())
    return target.error();
  Streams streams(program);
  Machine machine(streams, **target);
  ProgramTrace trace;
  Tracer tracer(trace.events);
  if (machine.run(tracer) == Machine::End::Deadlock)
    return Error{machine.describeDeadlock()};
  trace.total = machine.total();
  trace.instructions = streams.instructions();
  return trace;
}

} // namespace neuron::profile

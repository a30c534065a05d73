//===- Timeline.cpp - predicted device time -------------------------------===//
#include "runtime/simulator/Machine.h"
#include "runtime/simulator/Simulator.h"

namespace neuron::simulator {
using namespace program;

namespace {

class Recorder final : public Machine::Observer {
public:
  explicit Recorder(Timeline *timeline) : timeline(timeline) {}

  bool ran(const Executed &it, int64_t start, int64_t end) override {
    return record(it, it.instruction->engine, start, end);
  }
  bool issued(const Executed &it, int64_t start, int64_t end) override {
    return record(it, it.instruction->engine, start, end);
  }
  bool transferred(const Executed &it, int64_t start, int64_t end) override {
    return record(it, it.instruction->queue, start, end);
  }
  bool met(const Executed &) override { return true; }

private:
  bool record(const Executed &it, Unit unit, int64_t start, int64_t end) {
    if (timeline)
      timeline->events.push_back({it.instruction, unit, start, end, it.kernel});
    return true;
  }

  Timeline *timeline; ///< null if the events are not wanted
};

} // namespace

Result<Timeline> predictTimeline(const Program &program, bool withEvents) {
  auto target = target::find(program.target);
  if (!target.ok())
    return target.error();
  Streams streams(program);
  Machine machine(streams, **target);
  Timeline timeline;
  Recorder recorder(withEvents ? &timeline : nullptr);
  if (machine.run(recorder) == Machine::End::Deadlock)
    return Error{machine.describeDeadlock()};
  timeline.total = machine.total();
  return timeline;
}

} // namespace neuron::simulator

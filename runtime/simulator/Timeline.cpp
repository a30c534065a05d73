//===- Timeline.cpp - predicted device time -------------------------------===//
//
// A kernel begins when everything before it has finished, so what it takes
// depends on itself and on little else (Machine::State). A kernel that came
// before in the same state takes the same time, event by event, and is not
// simulated again: the layers of a network are like each other.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Encoding.h"
#include "runtime/simulator/Machine.h"
#include "runtime/simulator/Simulator.h"
#include <map>
#include <tuple>

namespace neuron::simulator {
using namespace program;

namespace {

/// An event of a kernel, counted from its start and its first instruction.
struct KernelEvent {
  uint32_t number;
  Unit unit;
  int64_t start, end;
};

struct KernelRun {
  int64_t duration = 0;
  Machine::State after;
  std::vector<KernelEvent> events; ///< empty unless asked for
};

class Recorder final : public Machine::Observer {
public:
  Recorder(KernelRun &run, bool withEvents, int64_t begin, uint32_t first)
      : run(run), withEvents(withEvents), begin(begin), first(first) {}

  bool ran(const Executed &it, int64_t start, int64_t end) override {
    return record(it, it.instruction->engine, start, end);
  }
  bool issued(const Executed &it, int64_t start, int64_t end) override {
    return record(it, it.instruction->engine, start, end);
  }
  bool transferred(const Executed &it, int64_t start, int64_t end) override {
    return record(it, it.instruction->queue, start, end);
  }
  /// Stops at the end of the kernel.
  bool met(const Executed &barrier) override { return !barrier.endsKernel; }

private:
  bool record(const Executed &it, Unit unit, int64_t start, int64_t end) {
    if (withEvents)
      run.events.push_back(
          {it.number - first, unit, start - begin, end - begin});
    return true;
  }

  KernelRun &run;
  bool withEvents;
  int64_t begin;
  uint32_t first;
};

} // namespace

Result<Timeline> predictTimeline(const Program &program, bool withEvents,
                                 Reuse reuse) {
  auto target = target::find(program.target);
  if (!target.ok())
    return target.error();
  Streams streams(program);
  Machine machine(streams, **target);
  Timeline timeline;
  std::map<std::tuple<std::vector<uint8_t>, Machine::State>, KernelRun> known;
  for (uint32_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
    int64_t begin = machine.total();
    uint32_t first = streams.firstOf(kernel);
    auto key = std::make_tuple(
        reuse == Reuse::Yes ? encodeWithoutPlaces(program.kernels[kernel])
                            : std::vector<uint8_t>{},
        machine.state());
    auto [found, isNew] = known.try_emplace(std::move(key));
    KernelRun &run = found->second;
    if (isNew || reuse == Reuse::No) {
      run = {};
      Recorder recorder(run, withEvents, begin, first);
      if (machine.run(recorder) == Machine::End::Deadlock)
        return Error{machine.describeDeadlock()};
      run.duration = machine.total() - begin;
      run.after = machine.state();
    } else {
      machine.skipKernel(run.after, run.duration);
    }
    auto instructions = streams.instructionsOf(kernel);
    for (const KernelEvent &event : run.events)
      timeline.events.push_back({instructions[event.number].instruction,
                                 event.unit, begin + event.start,
                                 begin + event.end, kernel});
  }
  timeline.total = machine.total();
  return timeline;
}

} // namespace neuron::simulator

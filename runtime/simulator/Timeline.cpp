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
#include <unordered_map>

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

/// What was simulated, by kernel and by what it began with.
class KnownRuns {
public:
  /// And whether it is new, and empty.
  std::pair<KernelRun &, bool> find(const Kernel &kernel,
                                    const Machine::State &before) {
    timingWords(kernel, words);
    size_t hash = sampleHash();
    auto [begin, end] = known.equal_range(hash);
    for (auto at = begin; at != end; ++at)
      if (at->second.before == before && at->second.words == words)
        return {at->second.run, false};
    return {known.emplace(hash, Known{words, before, {}})->second.run, true};
  }

private:
  /// Of some words: all are compared where it is equal.
  size_t sampleHash() const {
    constexpr size_t kSamples = 256;
    size_t hash = words.size();
    for (size_t i = 0; i < words.size(); i += words.size() / kSamples + 1)
      hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
    return hash;
  }

  struct Known {
    std::vector<uint64_t> words;
    Machine::State before;
    KernelRun run;
  };
  std::unordered_multimap<size_t, Known> known;
  std::vector<uint64_t> words; ///< of the kernel that is looked up
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
  KnownRuns known;
  for (uint32_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
    int64_t begin = machine.total();
    uint32_t first = streams.firstOf(kernel);
    KernelRun alone;
    auto [run, isNew] =
        reuse == Reuse::Yes
            ? known.find(program.kernels[kernel], machine.state())
            : std::pair<KernelRun &, bool>(alone, true);
    if (isNew) {
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

//===- Prediction.cpp - the simulator's time of each kernel ---------------===//
//
// A kernel begins at the barrier that ends the one before it, and there starts
// its first instruction: what computes waits for what brings its operands, and
// that waits for nothing. So the first event of a kernel is the barrier's time.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/Prediction.h"
#include "compiler/target/Cost.h"
#include "runtime/simulator/Simulator.h"
#include <algorithm>
#include <array>

namespace neuron::report {
using namespace program;
namespace {

constexpr unsigned kDma = kNumEngines; ///< all queues together

struct Busy {
  std::array<int64_t, kNumEngines + 1> time{}, until{};
  std::array<int64_t, kNumEngines> issuing{}; ///< of that time, with DMAs

  /// Events of a unit come in the order of their start.
  int64_t add(unsigned unit, int64_t start, int64_t end) {
    int64_t begin = std::max(start, until[unit]);
    int64_t more = std::max<int64_t>(0, end - begin);
    until[unit] = std::max(until[unit], end);
    time[unit] += more;
    return more;
  }
};

/// What an instruction takes of its engine: its event lasts until its result
/// is visible, when others may have started behind it.
int64_t engineTime(const simulator::TimelineEvent &event,
                   const target::Target &target) {
  const Instruction &instruction = *event.instruction;
  target::Work work = target::workOf(instruction);
  if (instruction.engine == Unit::Tensor) {
    work.cold = true;
    target::Cost cold = target::costOf(target, work);
    if (event.end - event.start == cold.latency)
      return cold.busy;
    work.cold = false;
  }
  return target::costOf(target, work).busy;
}

/// DMA engines are busy while any transfer is under way, without its latency.
void count(Busy &busy, const simulator::TimelineEvent &event,
           const target::Target &target) {
  const Instruction &instruction = *event.instruction;
  unsigned unit = static_cast<unsigned>(event.unit);
  if (unit >= kNumEngines) {
    int64_t fixed =
        instruction.readsHbm() ? target.dmaFixedLoad : target.dmaFixedStore;
    busy.add(kDma, event.start, event.end - fixed);
  } else if (instruction.isDma()) {
    busy.issuing[unit] += busy.add(unit, event.start, event.end);
  } else {
    busy.add(unit, event.start, event.start + engineTime(event, target));
  }
}

void setLimit(KernelTime &kernel, const Busy &busy) {
  static const char *const names[] = {"tensor", "vector",    "scalar",
                                      "gpsimd", "DMA issue", "DMA engines"};
  if (kernel.time == 0)
    return;
  size_t unit =
      std::max_element(busy.time.begin(), busy.time.end()) - busy.time.begin();
  int64_t time = std::min(busy.time[unit], kernel.time);
  kernel.share = double(time) / double(kernel.time);
  bool issues = unit < kNumEngines && busy.issuing[unit] * 2 > busy.time[unit];
  kernel.limit = kernel.share <= 0.5 ? "latency"
                 : issues            ? "DMA issue"
                                     : names[unit];
}

} // namespace

Result<Prediction> predict(const Program &program,
                           const target::Target &target) {
  auto timeline = simulator::predictTimeline(program, /*withEvents=*/true);
  if (!timeline)
    return timeline.error();
  std::vector<simulator::TimelineEvent> &events = timeline->events;
  std::stable_sort(
      events.begin(), events.end(),
      [](const auto &a, const auto &b) { return a.start < b.start; });
  size_t count = program.kernels.size();
  std::vector<int64_t> begins(count + 1, timeline->total);
  std::vector<Busy> busy(count);
  for (const simulator::TimelineEvent &event : events) {
    int64_t &begin = begins[event.kernel];
    begin = std::min(begin, event.start);
    report::count(busy[event.kernel], event, target);
  }
  // A kernel of no instructions takes no time.
  for (size_t i = count; i-- > 0;)
    begins[i] = std::min(begins[i], begins[i + 1]);
  Prediction prediction;
  prediction.total = timeline->total;
  prediction.kernels.resize(count);
  for (size_t i = 0; i < count; ++i) {
    prediction.kernels[i].time = begins[i + 1] - begins[i];
    setLimit(prediction.kernels[i], busy[i]);
  }
  return prediction;
}

} // namespace neuron::report

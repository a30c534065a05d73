//===- ProgramTrace.h - every instruction of an execution -------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include "runtime/program/Streams.h"
#include <cstdint>
#include <vector>

namespace neuron::profile {

/// An instruction that runs, a DMA that is issued (on its engine), or the
/// transfer of one (on its queue).
struct TracedEvent {
  uint32_t instruction; ///< as Streams::instructions counts
  program::Unit unit;
  int64_t start, end; ///< predicted picoseconds from the start
  /// Events whose semaphores it waited for; of a transfer, its issue.
  std::vector<uint32_t> dependsOn;
  std::vector<int64_t> iteration; ///< counters of the enclosing loops
};

struct ProgramTrace {
  int64_t total = 0;
  std::vector<program::StaticInstruction> instructions;
  std::vector<TracedEvent> events; ///< in the order of their start
};

/// The timeline of simulator::predictTimeline, with what each event waited
/// for. `program` must outlive the trace.
Result<ProgramTrace> traceProgram(const program::Program &program);

} // namespace neuron::profile

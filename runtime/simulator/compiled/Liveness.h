//===- Liveness.h - bytes that will be read ---------------------*- C++ -*-===//
//
// For each segment of a kernel that keeps its SBUF: the bytes of a partition
// whose values something still reads, at the segment or behind it. What a
// deferred move (Deferred.h) would put elsewhere need not be moved.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/compiled/Plan.h"

namespace neuron::simulator::compiled {

/// Sets Segment::live. Of a kernel with too many phases it stays unknown.
void analyseLiveness(Plan &plan, KernelPlan &kernel);

/// Whether the range may be read; `live` are sorted and apart.
bool isLive(const std::vector<ByteRange> &live, const ByteRange &range);

} // namespace neuron::simulator::compiled

//===- HbmConflict.h - can partitions meet in HBM? --------------*- C++ -*-===//
#pragma once
#include "runtime/program/Program.h"
#include <span>

namespace neuron::simulator::compiled {

/// A DMA with what its loop counters run through. The counters of the first
/// `fixed` loops are the same for both accesses of a question.
struct CountedAccess {
  const program::Instruction *dma;
  std::span<const int64_t> counts;
};

/// Whether partition p of one access and another partition of the other may
/// touch the same element, in any iterations of the loops behind the first
/// `fixed`. Both access the same memory.
bool mayMeetAcrossPartitions(const CountedAccess &a, const CountedAccess &b,
                             unsigned fixed);

/// Whether in one iteration of all loops the accesses touch no common element
/// of a partition: windows of one matrix with different columns.
bool haveDistinctColumns(const program::Instruction &a,
                         const program::Instruction &b);

} // namespace neuron::simulator::compiled

//===- RowContext.h - what generated code is given --------------*- C++ -*-===//
//
// The layout is part of the interface of cached host code: a change of it, as
// of the code generator, must change kCodeVersion.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstddef>
#include <cstdint>

namespace neuron::simulator::compiled {

/// Part of the key of cached code.
inline constexpr uint32_t kCodeVersion = 7;

struct RowContext {
  uint8_t *const *tensors; ///< in the order of Segment::tensors
  uint8_t *sbuf;           ///< row of partition p at sbuf + p * sbufPitch
  int64_t sbufPitch;       ///< 0: one row for all, one after the other
  const int64_t *counters; ///< of the loops around the segment
  int64_t budget;          ///< elements until `poll` is called
  /// Returns not 0 if the run must end; else sets a new budget.
  int64_t (*poll)(RowContext *context);
  /// Runs instruction `index` of the segment on partition p; returns not 0 if
  /// the run must end.
  int64_t (*step)(RowContext *context, int64_t index, const int64_t *counters,
                  int64_t partition);
  int64_t fault; ///< 1 + index of an instruction that divided by zero
};

/// Code of a segment for partitions [begin, end); returns not 0 if it ended
/// early, by poll, step or fault.
using SegmentCode = int64_t (*)(RowContext *context, int64_t begin,
                                int64_t end);

} // namespace neuron::simulator::compiled

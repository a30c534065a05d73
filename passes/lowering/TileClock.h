//===- TileClock.h - the device time of selected steps ----------*- C++ -*-===//
//
// The simulator's clock in small, for instruction selection: runs the steps of
// a row kernel over a few tiles of rows, on engines that take their
// instructions in order, and says how long all tiles take. Costs are those of
// compiler/target; what the clock leaves out is what does not depend on the
// selection (launch, descriptors, chunks of rows longer than SBUF).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Cost.h"
#include "passes/lowering/Selection.h"

namespace neuron::lowering {

/// Buffers of the tiles that DMA reads or writes in a loop over rows.
inline constexpr int64_t kMovedBuffers = 2;

class TileClock {
public:
  TileClock(const target::Target &target, const KernelSpace &space)
      : target(target), space(space) {}

  /// Picoseconds.
  int64_t timeOf(const Selected &selected) const;

private:
  const target::Target &target;
  const KernelSpace &space;
};

/// Something as wide as the row streams through the step.
bool isWide(const Step &step, const KernelSpace &space);

/// What the cost of a step depends on, as target::workOf says of the
/// instruction that it becomes.
target::Work workOf(const Step &step, const KernelSpace &space);

} // namespace neuron::lowering

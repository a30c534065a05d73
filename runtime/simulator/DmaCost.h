//===- DmaCost.h - what a DMA costs the DMA engines -------------*- C++ -*-===//
//
// A partition's elements move as descriptors, one for each run of bytes that is
// contiguous in HBM. A DMA engine serves eight partitions. GpSimd makes the
// descriptors of gathers and scatters while they move: an element with an index
// of its own has a descriptor of its own.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "runtime/program/Program.h"

namespace neuron::simulator {

class DmaCost {
public:
  DmaCost(const target::Target &target, const program::Instruction &dma);

  /// Picoseconds that one partition takes of its DMA engine.
  int64_t partitionTime(int64_t firstColumn) const;
  /// All bytes that move.
  int64_t bytes() const { return parts * elems * elementBytes; }
  int64_t partitions() const { return parts; }

private:
  int64_t descriptorTime(int64_t elements) const;

  const target::Target &target;
  int64_t parts, elems, elementBytes;
  int64_t run = 1;      ///< columns that are contiguous in HBM
  int64_t software = 0; ///< of each descriptor that GpSimd makes
};

} // namespace neuron::simulator

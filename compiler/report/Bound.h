//===- Bound.h - the least time that a kernel can take ----------*- C++ -*-===//
//
// From its work and the target's parameters alone, never from instructions:
// no kernel that does this work with the known instructions can be faster in
// the simulator's model. Start-up times and latencies are left out.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/report/Work.h"
#include "compiler/target/Target.h"

namespace neuron::report {

/// In picoseconds; engines and DMA run beside each other.
struct Bound {
  double hbm = 0;          ///< each byte moves once
  double tensor = 0;       ///< the array at its peak
  double vectorScalar = 0; ///< the best split between the two
  double gpsimd = 0;       ///< what no other engine computes

  double time() const;
};

Bound boundOf(const Work &work, const target::Target &target);

} // namespace neuron::report

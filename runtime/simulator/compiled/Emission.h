//===- Emission.h - all segments of a program as an object file -*- C++ -*-===//
#pragma once
#include "runtime/simulator/compiled/Plan.h"
#include <string>

namespace neuron::simulator::compiled {

/// The function of each segment of a plan. Segments that differ in their
/// tensors alone share one.
struct Functions {
  std::vector<std::string> names;
  static constexpr size_t kNone = ~size_t(0);
  std::vector<size_t> ofSegment; ///< index into names, or kNone
};

/// The names of a plan's functions; the same for the same program.
Functions functionsOf(const Plan &plan, const program::Program &program);

/// Makes an object file that defines the functions.
Result<std::string> emitObject(const Plan &plan,
                               const program::Program &program,
                               const Functions &functions);

/// Sets what KernelPlan says of SBUF, and which segments are moves. To be
/// called before the others.
void analyseSbuf(Plan &plan);

} // namespace neuron::simulator::compiled

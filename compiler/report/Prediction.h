//===- Prediction.h - the simulator's time of each kernel -------*- C++ -*-===//
#pragma once
#include "compiler/target/Target.h"
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"
#include <string>
#include <vector>

namespace neuron::report {

/// Predicted, in picoseconds.
struct KernelTime {
  int64_t time = 0;        ///< from the barrier before it to its own
  std::string limit = "-"; ///< the busiest unit, or "latency"
  double share = 0;        ///< of the time in which that unit is busy
};

struct Prediction {
  std::vector<KernelTime> kernels; ///< those of the program, in order
  int64_t total = 0;               ///< of an execution, launch included
};

/// `program` must have passed program::verify. Fails if it never ends.
Result<Prediction> predict(const program::Program &program,
                           const target::Target &target);

} // namespace neuron::report

//===- Work.h - what a kernel has to do -------------------------*- C++ -*-===//
//
// Found where kernels are lowered (passes/lowering/DescribeWork.h), and what
// the bound of a roofline is computed from. No MLIR.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <string>

namespace neuron::report {

struct Work {
#define NEURON_WORK(field, meaning) int64_t field = 0;
#include "compiler/report/Work.def"
};

/// A kernel of the program, in its place in the order.
struct KernelWork {
  std::string name;
  bool known = false; ///< no, of a kernel that was written as instructions
  Work work;
  std::string line; ///< the user's, "file:line"; empty if unknown
};

} // namespace neuron::report

//===- KernelBuilder.h - writes the kernels of a grouping -------*- C++ -*-===//
//
// Replaces a function's ops by one neuron.kernel for each group. Inside, every
// value is brought into line with the kernel's shape: reductions keep their
// dimensions and reshapes vanish, unless the user's own shapes are in line
// already. Reshapes stay at the inputs and, outside, at the results.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "passes/fusion/Grouping.h"

namespace neuron::fusion {

/// Builds all kernels before the function's return and erases what they
/// replace. `partitions`: rows that an elementwise kernel should have at least.
void buildKernels(mlir::func::FuncOp func, const Grouping &grouping,
                  const Views &views, int64_t partitions);

} // namespace neuron::fusion

//===- Table.h - the roofline of a program's kernels as text ----*- C++ -*-===//
#pragma once
#include "compiler/report/Prediction.h"
#include "compiler/report/Work.h"
#include "compiler/target/Target.h"

namespace neuron::report {

/// A program for one target. `works` and `prediction.kernels` are of the same
/// kernels.
struct Roofline {
  const target::Target *target = nullptr;
  std::vector<KernelWork> works;
  Prediction prediction;
};

/// A line for each kernel, and their sum.
std::string tableOf(const Roofline &roofline);

/// Bound and prediction of each target side by side, a line for each kernel;
/// where targets have other kernels, a table for each target.
std::string tableOf(const std::vector<Roofline> &targets);

} // namespace neuron::report

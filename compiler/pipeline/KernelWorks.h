//===- KernelWorks.h - what the kernels of a program have to do -*- C++ -*-===//
#pragma once
#include "compiler/report/Work.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace neuron::pipeline {

/// Of each nisa.kernel and nisa.repeat, in the order of the program's kernels.
std::vector<report::KernelWork> worksOf(mlir::func::FuncOp function);

/// The innermost "file:line" of a location that is not in torch or in this
/// project's own Python; empty if there is none.
std::string userLineOf(mlir::Location location);

} // namespace neuron::pipeline

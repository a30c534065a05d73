//===- EmitProgram.h - nisa to a device program -----------------*- C++ -*-===//
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/program/Program.h"

namespace neuron::pipeline {

/// The device program of a scheduled function: variables, kernels, locations.
/// Fails with errors on ops that say something a program cannot.
llvm::FailureOr<program::Program> emitProgram(mlir::func::FuncOp function,
                                              llvm::StringRef target);

} // namespace neuron::pipeline

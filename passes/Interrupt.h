//===- Interrupt.h - whether long work may go on ----------------*- C++ -*-===//
//
// A pass whose work is long asks from time to time. Whoever runs passes may set
// a handler of actions in the context (MLIR's ActionTracing) that says no by
// not running an action: passes and patterns then end by themselves.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace neuron {

/// False: end the pass as failed. It need not say why; whoever stopped it
/// knows.
bool mayGoOn(mlir::MLIRContext *context);

} // namespace neuron

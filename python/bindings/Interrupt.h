//===- Interrupt.h - Ctrl-C while the GIL is released -----------*- C++ -*-===//
#pragma once
#include "runtime/hardware/Library.h"

namespace neuron::python {

/// Has the user pressed Ctrl-C? The exception is then set on this thread, to be
/// raised when the work has ended. Signals are handled by the main thread only;
/// on others the answer is no.
bool isInterrupted();

/// Throws the exception that is set, as PyTorch's own code passes Python's
/// exceptions on.
void raiseInterrupt();

/// Has the library ask during executions.
void installInterrupt(const hardware::Library &library);

} // namespace neuron::python

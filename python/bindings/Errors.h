//===- Errors.h - our Python exceptions from C++ ----------------*- C++ -*-===//
#pragma once
#include <string>

namespace neuron::python {

/// Raise NEFFCompilationError or NEFFExecutionError. The GIL must be held.
[[noreturn]] void throwCompilationError(const std::string &message);
[[noreturn]] void throwExecutionError(const std::string &message);

} // namespace neuron::python

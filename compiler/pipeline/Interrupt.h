//===- Interrupt.h - ends a compilation early -------------------*- C++ -*-===//
#pragma once
#include "mlir/IR/MLIRContext.h"
#include <chrono>
#include <functional>

namespace neuron::pipeline {

/// While it lives, `asked` is called several times a second by whatever works
/// in the context. Once it has said true, passes and patterns are skipped, so
/// that a pass manager returns soon; what it leaves is of no use.
class Interrupt {
public:
  using Asked = std::function<bool()>;

  Interrupt(mlir::MLIRContext &context, const Asked &asked);
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// Asks, if it was not asked a moment ago.
  bool happened();

private:
  mlir::MLIRContext &context;
  const Asked &asked;
  std::chrono::steady_clock::time_point last;
  bool stopped = false;
};

} // namespace neuron::pipeline

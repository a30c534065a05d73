//===- Interrupt.cpp - ends a compilation early ---------------------------===//
#include "compiler/pipeline/Interrupt.h"
#include "mlir/IR/Action.h"

using namespace neuron::pipeline;

/// Between two questions to the caller, who may have to take a lock.
static constexpr auto kInterval = std::chrono::milliseconds(50);

Interrupt::Interrupt(mlir::MLIRContext &context, const Asked &asked)
    : context(context), asked(asked), last(std::chrono::steady_clock::now()) {
  if (!asked)
    return;
  context.registerActionHandler(
      [this](llvm::function_ref<void()> work, const mlir::tracing::Action &) {
        if (!happened())
          work();
      });
}

Interrupt::~Interrupt() {
  if (asked)
    context.registerActionHandler(nullptr);
}

bool Interrupt::happened() {
  if (!asked || stopped)
    return stopped;
  auto now = std::chrono::steady_clock::now();
  if (now - last < kInterval)
    return false;
  last = now;
  return stopped = asked();
}

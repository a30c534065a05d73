//===- Interrupt.cpp - whether long work may go on ------------------------===//
#include "passes/Interrupt.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace neuron {

namespace {

/// Of which a pass does many.
struct PieceOfWork : mlir::tracing::ActionImpl<PieceOfWork> {
  using ActionImpl::ActionImpl;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PieceOfWork)
  static constexpr llvm::StringLiteral tag = "neuron-piece-of-work";
};

} // namespace

bool mayGoOn(mlir::MLIRContext *context) {
  bool isRun = false;
  context->executeAction<PieceOfWork>([&] { isRun = true; }, {});
  return isRun;
}

} // namespace neuron

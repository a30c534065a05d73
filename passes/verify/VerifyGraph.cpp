//===- VerifyGraph.cpp - what may stand in the graph ----------------------===//
//
// Passes.td lists the rules. What single ops must obey is checked by their own
// verifiers and assumed here.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/verify/Passes.h"

namespace neuron::verify {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "passes/verify/Passes.h.inc"
} // namespace neuron::verify

using namespace mlir;
using namespace neuron::ir;

namespace {

bool isGraphOp(Operation *op) {
  return isa<func::ReturnOp>(op) ||
         (isa_and_nonnull<NeuronDialect>(op->getDialect()) &&
          !isa<KernelOp>(op));
}

/// Whether some part of the location names a place.
bool isKnown(Location loc) {
  return loc
      ->walk([](Location part) {
        bool isPlace = !isa<UnknownLoc, FusedLoc, CallSiteLoc>(part);
        return isPlace ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult checkTypes(func::FuncOp func, TypeRange types, StringRef what) {
  for (auto [i, type] : llvm::enumerate(types))
    if (!isTensor(type))
      return func.emitOpError("G2: ")
             << what << " #" << i << " must be a static tensor of rank 0 to 16 "
             << "of an element type of the neuron dialect, got " << type;
  return success();
}

LogicalResult checkFunction(func::FuncOp func) {
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitOpError("G2: function must have one block, got ")
           << func.getBody().getBlocks().size();
  if (failed(checkTypes(func, func.getArgumentTypes(), "argument")) ||
      failed(checkTypes(func, func.getResultTypes(), "result")))
    return failure();
  if (!isKnown(func.getLoc()))
    return func.emitOpError("G3: has no location");
  for (Operation &op : func.getBody().front()) {
    if (!isGraphOp(&op))
      return op.emitOpError("G1: only operations of the neuron dialect, except "
                            "kernels, stand in a function of the graph");
    if (!isa<ConstantOp>(op) && !isKnown(op.getLoc()))
      return op.emitOpError("G3: has no location");
  }
  return success();
}

struct VerifyGraphPass final
    : neuron::verify::impl::VerifyGraphBase<VerifyGraphPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(checkFunction(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

//===- RaiseNamedOps.cpp - composites become named ops --------------------===//
//
// Walks the ops in program order, so that inner composites are found before
// what is around them. Raise.h lists the families, Facts.h what they are
// recognised from. With eager rounding, composites in f16 and bf16 stay as they
// are, because a named op rounds only once.
//
//===----------------------------------------------------------------------===//
#include "passes/graph/Passes.h"
#include "passes/graph/Raise.h"

namespace neuron::graph {
#define GEN_PASS_DEF_RAISENAMEDOPS
#include "passes/graph/Passes.h.inc"
} // namespace neuron::graph

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::graph;

namespace {

constexpr auto families = {raiseActivation, raiseSoftmax, raiseNorm};

bool roundsBetween(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  return element.isF16() || element.isBF16();
}

struct RaiseNamedOpsPass final
    : neuron::graph::impl::RaiseNamedOpsBase<RaiseNamedOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      for (Operation &op : block)
        if (isa<ElementwiseOpInterface>(op))
          raise(&op);
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
    }
  }

  void raise(Operation *root) {
    if (rounding == RoundingMode::Eager && roundsBetween(root))
      return;
    OpBuilder builder(root);
    for (auto family : families) {
      if (Value named = family(root, builder)) {
        root->getResult(0).replaceAllUsesWith(named);
        return;
      }
    }
  }
};

} // namespace

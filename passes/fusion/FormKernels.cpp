//===- FormKernels.cpp - partitions a function into row kernels -----------===//
//
// Passes.td says what comes out. Views.h decides which views are copied,
// Grouping.h which ops make one kernel, KernelBuilder.h writes the kernels.
// Assumes static shapes and one block. Does not recompute a value in two
// kernels.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Remarks.h"
#include "passes/fusion/KernelBuilder.h"
#include "passes/fusion/Passes.h"
#include "llvm/Support/raw_ostream.h"

namespace neuron::fusion {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/fusion/Passes.h.inc"
} // namespace neuron::fusion

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

namespace {

std::string text(Location loc) {
  std::string result;
  llvm::raw_string_ostream(result) << loc;
  return result;
}

void remarkCuts(const Grouping &grouping) {
  for (const Cut &cut : grouping.cuts())
    remark::missed(cut.reader->getLoc(),
                   remark::RemarkOpts::name("NotFused").category("fusion"))
        << ("not fused with " + cut.producer->getName().getStringRef() +
            " at " + text(cut.producer->getLoc()) + ": " + cut.reason)
               .str();
}

void remarkKernel(KernelOp kernel) {
  auto bytes = [](TypeRange types) {
    int64_t sum = 0;
    for (Type type : types) {
      auto tensor = cast<RankedTensorType>(type);
      sum += tensor.getNumElements() *
             llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
    }
    return std::to_string(sum);
  };
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Kernel").category("fusion"))
      << ("kernel " + kernel.getSym() + ": " +
          llvm::Twine(kernel.getBody().front().getOperations().size() - 1) +
          " ops, reads " + bytes(kernel.getInputs().getTypes()) +
          " bytes, writes " + bytes(kernel.getOutputs().getTypes()) + " bytes")
             .str();
}

void eraseDead(func::FuncOp func) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult checkInput(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("kernels are formed from a function of one block");
  for (Operation &op : func.getBody().front())
    if (!isa<ElementwiseOpInterface, ReductionOpInterface, NamedOpInterface,
             MatmulOp, MemoryReaderOpInterface, ViewOpInterface, ConstantOp,
             IotaOp, ConcatOp, RandomOp, func::ReturnOp>(op))
      return op.emitOpError("has no place in a row kernel");
  return success();
}

struct FormKernelsPass final
    : neuron::fusion::impl::FormKernelsBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isDeclaration())
      return;
    if (failed(checkInput(func)))
      return signalPassFailure();
    eraseDead(func);
    Views views(func);
    Grouping grouping(func, views, sbufBytes);
    if (getContext().getRemarkEngine())
      remarkCuts(grouping);
    buildKernels(func, grouping, views, partitions);
    if (getContext().getRemarkEngine())
      func.walk(remarkKernel);
  }
};

} // namespace

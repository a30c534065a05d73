//===- MaterializeOutputs.cpp - a kernel behind every result
//-------------------===//
//
// A kernel can write its result straight into the function's result if the way
// there is reshapes and permutations that strides can turn round, and if it
// goes to one result only. All else is copied by a kernel that loads and
// stores.
//
// A result that takes the place of an input (neuron.aliases_input) is written
// by its own kernel if nothing can read the input after it was overwritten: no
// later kernel, and in the kernel itself only the same tile, before it is
// stored. Else it is copied there behind everything else.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/Passes.h"
#include "passes/lowering/StridedLayout.h"
#include "llvm/ADT/DenseSet.h"

namespace neuron::lowering {
#define GEN_PASS_DEF_MATERIALIZEOUTPUTS
#include "passes/lowering/Passes.h.inc"
} // namespace neuron::lowering

using namespace mlir;
using namespace neuron;

namespace {

struct MaterializeOutputs final
    : neuron::lowering::impl::MaterializeOutputsBase<MaterializeOutputs> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    auto returned =
        cast<func::ReturnOp>(function.getBody().front().getTerminator());
    DenseSet<Value> written;
    OpBuilder b(returned);
    SmallVector<OpOperand *> inPlace;
    for (OpOperand &operand : returned->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      if (function.getResultAttr(index, "neuron.aliases_input")) {
        inPlace.push_back(&operand);
        continue;
      }
      auto strides = function.getResultAttrOfType<DenseI64ArrayAttr>(
          index, "neuron.strides");
      Value source = writtenInPlace(operand.get(), strides);
      if (source && written.insert(source).second)
        continue;
      operand.set(copy(operand.get(), b));
    }
    // Last, behind all that may read the inputs.
    for (OpOperand *operand : inPlace) {
      auto input = function.getResultAttrOfType<IntegerAttr>(
          operand->getOperandNumber(), "neuron.aliases_input");
      Value argument = function.getArgument(input.getInt());
      if (mayOverwrite(operand->get(), argument) &&
          written.insert(operand->get()).second)
        continue;
      operand->set(copy(operand->get(), b));
    }
  }

  static bool mayOverwrite(Value result, Value argument) {
    auto kernel = result.getDefiningOp<ir::KernelOp>();
    if (!kernel || !kernel.getShape())
      return false;
    ArrayRef<int64_t> shape = *kernel.getShape();
    auto isFull = [&](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape() == shape;
    };
    if (!isFull(result) || !isFull(argument))
      return false;
    for (Operation *user : argument.getUsers())
      if (user != kernel &&
          (!isa<ir::KernelOp>(user) || !user->isBeforeInBlock(kernel)))
        return false;
    Block &body = kernel.getBody().front();
    for (auto [inner, outer] :
         llvm::zip(body.getArguments(), kernel.getInputs()))
      if (outer == argument &&
          llvm::any_of(inner.getUsers(), [](Operation *user) {
            return isa<ir::ViewOpInterface, ir::YieldOp>(user);
          }))
        return false;
    // A statistic of the row may make the lowering read it again, in phases.
    return llvm::none_of(body, [](Operation &op) {
      return isa<ir::ReductionOpInterface, ir::NamedOpInterface>(op);
    });
  }

  /// The kernel result that can be stored as `value` wants to lie, or null.
  static Value writtenInPlace(Value value, DenseI64ArrayAttr strides) {
    auto layout = lowering::StridedLayout::of(value.getType(), strides);
    while (Operation *op = value.getDefiningOp()) {
      if (isa<ir::KernelOp>(op))
        return value;
      auto inner = lowering::unviewed(layout, op);
      if (!inner)
        return {};
      layout = *inner;
      value = op->getOperand(0);
    }
    return {};
  }

  static Value copy(Value value, OpBuilder &b) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> rows, columns;
    int64_t rank = type.getRank();
    for (int64_t i = 0; i < rank; ++i)
      (i + 1 == rank ? columns : rows).push_back(i);
    auto kernel = ir::KernelOp::create(
        b, value.getLoc(), TypeRange{type}, ValueRange{value},
        b.getStringAttr("copy"), b.getDenseI64ArrayAttr(type.getShape()),
        b.getDenseI64ArrayAttr(rows), b.getDenseI64ArrayAttr(columns));
    Block &body = kernel.getBody().emplaceBlock();
    Value argument = body.addArgument(type, value.getLoc());
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    ir::YieldOp::create(inner, value.getLoc(), ValueRange{argument});
    return kernel.getResult(0);
  }
};

} // namespace

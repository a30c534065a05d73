//===- MaterializeOutputs.cpp - a kernel behind every result --------------===//
//
// A kernel can write its result straight into the function's result, or into
// its part of a concat, if the way there is reshapes and permutations that
// strides can turn round. What goes to several such places is yielded once for
// each. All else (arguments, constants, other views) is copied by a kernel that
// loads and stores.
//
// A result that takes the place of an input (neuron.aliases_input) is written
// by its own kernel if nothing can read the input after it was overwritten: no
// later kernel, and in the kernel itself only the same tile, before it is
// stored. Else it is copied there behind everything else.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/IRMapping.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/ScatterDest.h"
#include "passes/lowering/StridedLayout.h"
#include "llvm/ADT/DenseMap.h"

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
    DenseSet<Operation *> inPlaceScatters;
    DenseSet<OpOperand *> scatterOperands;
    // What scatters into an input has its place; other results copy it.
    for (OpOperand &operand : returned->getOpOperands())
      if (ir::ScatterOp scatter = inPlaceScatter(function, operand);
          scatter && inPlaceScatters.insert(scatter).second) {
        scatterOperands.insert(&operand);
        places.try_emplace(lowering::rootOf(operand.get()));
      }
    lowering::ownDestinations(function.getBody().front(), inPlaceScatters);
    SmallVector<OpOperand *> inPlace;
    for (OpOperand &operand : returned->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      if (function.getResultAttr(index, "neuron.aliases_input")) {
        inPlace.push_back(&operand);
        continue;
      }
      auto strides = function.getResultAttrOfType<DenseI64ArrayAttr>(
          index, "neuron.strides");
      place(operand,
            lowering::StridedLayout::of(operand.get().getType(), strides));
    }
    placeParts(function.getBody().front());
    // Last, behind all that may read the inputs.
    OpBuilder b(returned);
    for (OpOperand *operand : inPlace) {
      auto input = function.getResultAttrOfType<IntegerAttr>(
          operand->getOperandNumber(), "neuron.aliases_input");
      Value argument = function.getArgument(input.getInt());
      if (scatterOperands.contains(operand) ||
          (mayOverwrite(operand->get(), argument) &&
           places.try_emplace(operand->get()).second))
        continue;
      operand->set(lowering::createCopy(b, operand->get()));
    }
    places.clear();
  }

  /// The operands of concats, outer concats first: those say where the inner
  /// ones lie.
  void placeParts(Block &block) {
    SmallVector<ir::ConcatOp> concats(block.getOps<ir::ConcatOp>());
    for (ir::ConcatOp concat : llvm::reverse(concats)) {
      lowering::StridedLayout layout =
          places
              .try_emplace(concat.getResult(), lowering::StridedLayout::dense(
                                                   concat.getType().getShape()))
              .first->second;
      for (auto [operand, part] :
           llvm::zip(concat->getOpOperands(), partsOf(layout, concat)))
        place(operand, part);
    }
  }

  /// Sees to it that a kernel or a concat writes the operand as `layout` says,
  /// and for this use alone.
  void place(OpOperand &operand, const lowering::StridedLayout &layout) {
    std::optional<lowering::Written> written =
        lowering::writtenFor(operand.get(), layout);
    Operation *writer = written ? written->value.getDefiningOp() : nullptr;
    if (isa_and_nonnull<ir::KernelOp, ir::ConcatOp>(writer)) {
      // Others may see it through views that need it dense.
      bool isFree = written->layout.isDense() ||
                    !isReadElsewhere(operand, written->value);
      if (isFree && places.try_emplace(written->value, written->layout).second)
        return;
      auto kernel = dyn_cast<ir::KernelOp>(writer);
      if (kernel && !lowering::scatterOf(written->value)) {
        Value again = yieldAgain(kernel, cast<OpResult>(written->value));
        places[again] = written->layout;
        operand.set(viewsAgain(operand.get(), again, operand.getOwner()));
        return;
      }
    }
    OpBuilder b(operand.getOwner());
    operand.set(lowering::createCopy(b, operand.get()));
    places[operand.get()] = layout;
  }

  /// Whether anything but the operand sees what is written.
  static bool isReadElsewhere(OpOperand &operand, Value written) {
    Value value = operand.get();
    while (value.hasOneUse() && value != written)
      value = value.getDefiningOp()->getOperand(0);
    return !value.hasOneUse();
  }

  /// One more result of the kernel with the elements of `result`, which changes
  /// its identity.
  Value yieldAgain(ir::KernelOp &kernel, OpResult result) {
    auto yield = cast<ir::YieldOp>(kernel.getBody().front().getTerminator());
    unsigned index = result.getResultNumber();
    yield.getValuesMutable().append(yield.getValues()[index]);
    SmallVector<Type> types(kernel.getOutputs().getTypes());
    types.push_back(result.getType());
    OpBuilder b(kernel);
    auto made = ir::KernelOp::create(
        b, kernel.getLoc(), types, kernel.getInputs(), kernel.getSymAttr(),
        kernel.getShapeAttr(), kernel.getRowDimsAttr(),
        kernel.getColumnDimsAttr());
    made.getBody().takeBody(kernel.getBody());
    for (auto [before, after] :
         llvm::zip(kernel.getOutputs(), made.getOutputs())) {
      if (auto place = places.find(before); place != places.end()) {
        lowering::StridedLayout layout = std::move(place->second);
        places.erase(place);
        places[after] = std::move(layout);
      }
      before.replaceAllUsesWith(after);
    }
    kernel.erase();
    kernel = made;
    return made.getOutputs().back();
  }

  /// The views through which `value` sees what is written, of `again` instead.
  static Value viewsAgain(Value value, Value again, Operation *before) {
    SmallVector<Operation *> chain;
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<ir::ViewOpInterface>(op))
        break;
      chain.push_back(op);
      value = op->getOperand(0);
    }
    OpBuilder b(before);
    for (Operation *op : llvm::reverse(chain)) {
      IRMapping mapping;
      mapping.map(op->getOperand(0), again);
      again = b.clone(*op, mapping)->getResult(0);
    }
    return again;
  }

  /// The scatter that updates the input whose place a result takes, if it is
  /// one.
  static ir::ScatterOp inPlaceScatter(func::FuncOp function,
                                      OpOperand &operand) {
    unsigned index = operand.getOperandNumber();
    auto input = function.getResultAttrOfType<IntegerAttr>(
        index, "neuron.aliases_input");
    if (!input)
      return {};
    BlockArgument argument = function.getArgument(input.getInt());
    auto layoutOf = [](Value value, DenseI64ArrayAttr strides) {
      return lowering::StridedLayout::of(value.getType(), strides);
    };
    auto result =
        layoutOf(operand.get(), function.getResultAttrOfType<DenseI64ArrayAttr>(
                                    index, "neuron.strides"));
    auto own = layoutOf(argument, function.getArgAttrOfType<DenseI64ArrayAttr>(
                                      input.getInt(), "neuron.strides"));
    if (!lowering::scattersInPlace(operand.get(), result, argument, own))
      return {};
    return lowering::scatterOf(lowering::rootOf(operand.get()));
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
          llvm::any_of(inner.getUses(), [](OpOperand &use) {
            return isa<ir::ViewOpInterface, ir::YieldOp>(use.getOwner()) ||
                   ir::isReadInMemory(use);
          }))
        return false;
    // A statistic of the row may make the lowering read it again, in phases.
    return llvm::none_of(body, [](Operation &op) {
      return isa<ir::ReductionOpInterface, ir::NamedOpInterface, ir::MatmulOp>(
          op);
    });
  }

  /// Where what kernels and concats write has to lie; empty where that is an
  /// argument's own place.
  DenseMap<Value, lowering::StridedLayout> places;
};

} // namespace

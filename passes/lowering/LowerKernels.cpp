//===- LowerKernels.cpp - neuron.kernel to nisa.kernel
//-------------------------===//
//
// Builds a function whose arguments are HBM variables: those of the tensors it
// had, then one for each result. Between kernels, values are scratch variables;
// views of them cost nothing.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/Passes.h"
#include "passes/lowering/RowKernel.h"

namespace neuron::lowering {
#define GEN_PASS_DEF_LOWERKERNELS
#include "passes/lowering/Passes.h.inc"
} // namespace neuron::lowering

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

namespace {

StridedLayout layoutOf(Value tensor, DictionaryAttr attributes) {
  return StridedLayout::of(
      tensor.getType(),
      attributes ? attributes.getAs<DenseI64ArrayAttr>("neuron.strides")
                 : DenseI64ArrayAttr());
}

MemRefType variableType(RankedTensorType type) {
  return nisa::memrefType(type.getShape(), type.getElementType(),
                          nisa::MemorySpace::HBM);
}

struct LowerKernels final
    : neuron::lowering::impl::LowerKernelsBase<LowerKernels> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (failed(lower(function)))
      signalPassFailure();
  }

  LogicalResult lower(func::FuncOp function) {
    Block &block = function.getBody().front();
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    unsigned inputs = function.getNumArguments();
    for (unsigned i = 0; i < inputs; ++i) {
      auto type = cast<RankedTensorType>(function.getArgument(i).getType());
      types.push_back(variableType(type));
      attributes.push_back(described(function.getArgAttrDict(i), "input"));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto type = cast<RankedTensorType>(function.getResultTypes()[i]);
      types.push_back(variableType(type));
      attributes.push_back(described(function.getResultAttrDict(i), "output"));
    }

    SmallVector<DictionaryAttr> resultAttributes;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      resultAttributes.push_back(function.getResultAttrDict(i));
    SmallVector<StridedLayout> inputLayouts;
    for (unsigned i = 0; i < inputs; ++i)
      inputLayouts.push_back(
          layoutOf(block.getArgument(i), function.getArgAttrDict(i)));
    // The tensors stay, aside, until everything that names them is lowered.
    Region tensors;
    tensors.takeBody(function.getBody());
    OpBuilder b(function.getContext());
    for (unsigned i = function.getNumResults(); i-- > 0;)
      function.setResultAttrs(i, DictionaryAttr());
    function.setFunctionType(b.getFunctionType(types, {}));
    Block *entry = function.addEntryBlock();
    function.setAllArgAttrs(attributes);
    b.setInsertionPointToEnd(entry);

    DenseMap<Value, HbmValue> places;
    for (unsigned i = 0; i < inputs; ++i)
      places[block.getArgument(i)] = {entry->getArgument(i), inputLayouts[i]};
    auto returned = cast<func::ReturnOp>(block.getTerminator());
    for (auto [i, value] : llvm::enumerate(returned.getOperands()))
      if (failed(placeResult(value, entry->getArgument(inputs + i),
                             layoutOf(value, resultAttributes[i]), places)))
        return failure();

    for (Operation &op : block.without_terminator())
      if (failed(lowerOp(&op, places, b)))
        return failure();
    func::ReturnOp::create(b, returned.getLoc());
    return success();
  }

  DictionaryAttr described(DictionaryAttr attributes, StringRef kind) {
    NamedAttrList list(attributes);
    MLIRContext *context = &getContext();
    list.set("neuron.kind", StringAttr::get(context, kind));
    return list.getDictionary(context);
  }

  /// Results are written in place by the kernel that makes them: the layout is
  /// handed back through the views between.
  LogicalResult placeResult(Value value, Value variable, StridedLayout layout,
                            DenseMap<Value, HbmValue> &places) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<ir::KernelOp>(op))
        break;
      std::optional<StridedLayout> inner = unviewed(layout, op);
      if (!inner)
        return op->emitOpError("L10: is returned, but no kernel writes it; run "
                               "neuron-materialize-outputs first");
      layout = *inner;
      value = op->getOperand(0);
    }
    if (isa<BlockArgument>(value) || places.contains(value))
      return emitError(value.getLoc()) << "L10: is returned, but no kernel "
                                          "writes it for this result; run "
                                          "neuron-materialize-outputs first";
    places[value] = {variable, layout};
    return success();
  }

  LogicalResult lowerOp(Operation *op, DenseMap<Value, HbmValue> &places,
                        OpBuilder &b) {
    if (auto kernel = dyn_cast<ir::KernelOp>(op))
      return lowerKernel(kernel, places, b);
    if (isa<ir::ViewOpInterface>(op)) {
      auto input = places.find(op->getOperand(0));
      if (input == places.end())
        return op->emitOpError("L11: views a value that has no place in HBM");
      HbmValue place = input->second;
      std::optional<StridedLayout> layout = viewed(place.layout, op);
      if (!layout)
        return op->emitOpError("L9: strides cannot say this view");
      places[op->getResult(0)] = {place.variable, *layout};
      return success();
    }
    if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      auto type = cast<RankedTensorType>(constant.getType());
      Value variable = nisa::ConstantOp::create(
          b, op->getLoc(), variableType(type), constant.getValue());
      places[op->getResult(0)] = {variable,
                                  StridedLayout::dense(type.getShape())};
      return success();
    }
    return op->emitOpError("L12: stands outside of a kernel");
  }

  LogicalResult lowerKernel(ir::KernelOp kernel,
                            DenseMap<Value, HbmValue> &places, OpBuilder &b) {
    KernelMemory memory;
    for (auto [argument, input] : llvm::zip(
             kernel.getBody().front().getArguments(), kernel.getInputs())) {
      auto place = places.find(input);
      if (place == places.end())
        return kernel.emitOpError(
            "L11: reads a value that has no place in HBM");
      memory.read[argument] = place->second;
    }
    for (Value result : kernel.getResults()) {
      auto place = places.find(result);
      if (place == places.end()) {
        auto type = cast<RankedTensorType>(result.getType());
        Value scratch =
            nisa::ScratchOp::create(b, kernel.getLoc(), variableType(type));
        place = places
                    .try_emplace(
                        result, HbmValue{scratch,
                                         StridedLayout::dense(type.getShape())})
                    .first;
      }
      memory.written.push_back(place->second);
    }
    FailureOr<KernelSpace> space = KernelSpace::compute(kernel);
    if (failed(space))
      return failure();
    FailureOr<Selected> selected = select(kernel, *space);
    if (failed(selected))
      return failure();
    return emitRowKernel(kernel, *space, *selected, memory,
                         {partitions, sbufBytes}, b);
  }
};

} // namespace

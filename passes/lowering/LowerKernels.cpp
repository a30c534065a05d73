//===- LowerKernels.cpp - neuron.kernel to nisa.kernel --------------------===//
//
// Builds a function whose arguments are HBM variables: those of the tensors it
// had, then one for each result. Between kernels, values are scratch variables;
// views of them cost nothing. A concat is one variable, of which each operand's
// kernel writes a part.
//
//===----------------------------------------------------------------------===//
#include "passes/fusion/Chain.h"
#include "passes/lowering/DescribeWork.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/SameKernels.h"
#include "passes/lowering/ScatterDest.h"

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

  const target::Target *costs = nullptr;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    Result<const target::Target *> found = target::find(target);
    if (!found) {
      function.emitError() << found.message();
      return signalPassFailure();
    }
    costs = *found;
    if (failed(lower(function)))
      return signalPassFailure();
    known.nameApart(function.getBody().front());
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

    if (failed(placeConcats(block, places, b)))
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
    std::optional<Written> written = writtenFor(value, std::move(layout));
    Operation *writer = written ? written->value.getDefiningOp() : nullptr;
    if (!isa_and_nonnull<ir::KernelOp, ir::ConcatOp>(writer) ||
        !places.try_emplace(written->value, HbmValue{variable, written->layout})
             .second)
      return emitError(value.getLoc())
             << "L10: is returned or a part of a concat, but no kernel writes "
                "it for this use alone; run neuron-materialize-outputs first";
    // A scatter writes where its destination lies.
    if (ir::ScatterOp scatter = scatterOf(written->value)) {
      Value dest = destOperand(scatter).get();
      // Of one that updates an input, they are the same memory.
      if (isa<BlockArgument>(dest))
        return success();
      std::optional<StridedLayout> own = written->layout.reshaped(
          cast<RankedTensorType>(dest.getType()).getShape());
      if (!own)
        return scatter.emitOpError(
            "L9: its destination cannot lie as its result does");
      return placeResult(dest, variable, *own, places);
    }
    return success();
  }

  /// A concat lies where its result has to, or in a variable of its own; its
  /// operands are written into their parts of it. Outer concats first.
  LogicalResult placeConcats(Block &block, DenseMap<Value, HbmValue> &places,
                             OpBuilder &b) {
    SmallVector<ir::ConcatOp> concats(block.getOps<ir::ConcatOp>());
    for (ir::ConcatOp concat : llvm::reverse(concats)) {
      HbmValue place = placeOf(concat.getResult(), places, b);
      for (auto [operand, part] :
           llvm::zip(concat.getInputs(), partsOf(place.layout, concat)))
        if (failed(placeResult(operand, place.variable, part, places)))
          return failure();
    }
    return success();
  }

  /// The place of what is written; a scratch variable if none is set.
  static HbmValue placeOf(Value value, DenseMap<Value, HbmValue> &places,
                          OpBuilder &b) {
    HbmValue &place = places[value];
    if (!place.variable) {
      auto type = cast<RankedTensorType>(value.getType());
      place = {nisa::ScratchOp::create(b, value.getLoc(), variableType(type)),
               StridedLayout::dense(type.getShape())};
    }
    return place;
  }

  LogicalResult lowerOp(Operation *op, DenseMap<Value, HbmValue> &places,
                        OpBuilder &b) {
    if (auto kernel = dyn_cast<ir::KernelOp>(op))
      return lowerKernel(kernel, places, b);
    if (isa<ir::ConcatOp>(op))
      return success(); // placed; its kernels write it
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

  /// The kernel's reads and writes. Results that nothing has placed go to a
  /// variable of their own.
  LogicalResult place(ir::KernelOp kernel, DenseMap<Value, HbmValue> &places,
                      OpBuilder &b) {
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
      ir::ScatterOp scatter = scatterOf(result);
      if (scatter && !places.contains(result)) {
        HbmValue dest = places.lookup(destOperand(scatter).get());
        auto shape = cast<RankedTensorType>(result.getType()).getShape();
        std::optional<StridedLayout> layout = dest.layout.reshaped(shape);
        if (!dest.variable || !layout)
          return scatter.emitOpError("L13: has no destination of its own; run "
                                     "neuron-materialize-outputs first");
        places[result] = {dest.variable, *layout};
      }
      memory.written.push_back(placeOf(result, places, b));
    }
    pending.push_back({kernel, std::move(memory)});
    return success();
  }

  /// A kernel waits for those that are chained to it.
  static bool hasChainedSuccessor(ir::KernelOp kernel) {
    Operation *next = kernel->getNextNode();
    while (isa_and_nonnull<ir::ReshapeOp>(next))
      next = next->getNextNode();
    return isa_and_nonnull<ir::KernelOp>(next) &&
           next->hasAttr(fusion::kChainedAttr);
  }

  LogicalResult lowerKernel(ir::KernelOp kernel,
                            DenseMap<Value, HbmValue> &places, OpBuilder &b) {
    if (failed(place(kernel, places, b)))
      return failure();
    if (hasChainedSuccessor(kernel))
      return success();
    std::vector<PlacedKernel> chain = std::exchange(pending, {});
    std::optional<KernelSignature> signature = signatureOf(chain);
    if (!signature || !known.repeat(*signature, chain, b)) {
      emitted.clear();
      if (failed(selectAndEmit(chain, b)))
        return failure();
      if (signature)
        known.add(std::move(*signature), emitted);
    }
    if (chain.size() > 1)
      eraseUnused(chain);
    return success();
  }

  LogicalResult selectAndEmit(ArrayRef<PlacedKernel> chain, OpBuilder &b) {
    std::vector<StageInput> stages;
    for (const PlacedKernel &placed : chain) {
      FailureOr<KernelSpace> space = KernelSpace::compute(placed.kernel);
      if (failed(space))
        return failure();
      FailureOr<Selected> selected = select(placed.kernel, *space, *costs);
      if (failed(selected))
        return failure();
      stages.push_back(
          {placed.kernel, *space, std::move(*selected), placed.memory, {}});
    }
    return emitStages(stages, b);
  }

  /// As one kernel, if their tiles fit SBUF together; else the first goes
  /// alone.
  LogicalResult emitStages(ArrayRef<StageInput> stages, OpBuilder &b) {
    TileBudget budget{partitions, sbufBytes, productColumns, costs};
    if (stages.size() > 1) {
      std::vector<StageInput> chain = stages.vec();
      bool linked = linkStages(chain);
      DictionaryAttr noted = linked ? workIfAsked(chain) : DictionaryAttr();
      FailureOr<bool> fits = linked ? emitChain(chain, budget, b) : false;
      if (failed(fits))
        return failure();
      if (*fits) {
        wasEmitted(stages.size(), noted, b);
        return success();
      }
    }
    DictionaryAttr noted = workIfAsked(stages.front());
    if (failed(emitRowKernel(stages.front(), budget, b)))
      return failure();
    wasEmitted(1, noted, b);
    return stages.size() == 1 ? success() : emitStages(stages.drop_front(), b);
  }

  DictionaryAttr workIfAsked(ArrayRef<StageInput> stages) {
    return work ? workAttr(&getContext(), describeWork(stages))
                : DictionaryAttr();
  }

  void wasEmitted(size_t stages, DictionaryAttr noted, OpBuilder &b) {
    auto kernel = cast<nisa::KernelOp>(b.getBlock()->back());
    if (noted)
      kernel->setAttr(kWorkAttr, noted);
    emitted.push_back({kernel, stages});
  }

  /// What stays on chip of a chain. False if the kernels can only follow each
  /// other: other passes have changed their rows, or one writes over an input
  /// that another may read.
  bool linkStages(std::vector<StageInput> &stages) {
    for (size_t i = 0; i < stages.size(); ++i) {
      for (const HbmValue &place : stages[i].memory.written)
        if (isInput(place.variable))
          return false;
      if (indexesMade(stages[i]))
        return false;
      if (i == 0)
        continue;
      StageInput &from = stages[i - 1], &to = stages[i];
      SmallVector<fusion::ChainLink> links =
          fusion::chainLinks(from.kernel, to.kernel);
      if (links.empty())
        return false;
      SmallVector<unsigned> onChip;
      for (fusion::ChainLink link : links) {
        to.memory.onChip[link.product.getLhs()] =
            from.selected.yielded[link.result];
        if (fusion::isReadOnlyBy(from.kernel.getResult(link.result), to.kernel))
          from.memory.written[link.result].variable = {};
        if (!from.memory.written[link.result].variable)
          onChip.push_back(link.result);
      }
      from.dead = findDeadColumns(from.kernel, onChip, partitions);
    }
    return true;
  }

  /// Whether the kernel scatters, or gathers what a kernel has made: any rows,
  /// not the tile that the loops have come to.
  static bool indexesMade(const StageInput &stage) {
    ir::KernelOp kernel = stage.kernel;
    return llvm::any_of(stage.selected.steps, [&](const Step &step) {
      if (!step.indexed || isa<ir::ScatterOp>(step.indexed))
        return step.indexed != nullptr;
      auto table = dyn_cast<BlockArgument>(rootOf(step.indexed->getOperand(0)));
      return table && rootOf(kernel.getInputs()[table.getArgNumber()])
                          .getDefiningOp<ir::KernelOp>();
    });
  }

  /// Whether an output is written into an input's memory.
  bool isInput(Value variable) {
    auto argument = dyn_cast<BlockArgument>(variable);
    return argument && getOperation().getArgAttr(argument.getArgNumber(),
                                                 "neuron.aliases_input");
  }

  /// The variables of what stays on chip.
  static void eraseUnused(ArrayRef<PlacedKernel> chain) {
    for (const PlacedKernel &placed : chain)
      for (const HbmValue &place : placed.memory.written)
        if (auto scratch = place.variable.getDefiningOp<nisa::ScratchOp>();
            scratch && scratch->use_empty())
          scratch->erase();
  }

  std::vector<PlacedKernel> pending; ///< of the chain that is being gathered
  SmallVector<SameKernels::Emitted> emitted; ///< of the chain being lowered
  SameKernels known;
};

} // namespace

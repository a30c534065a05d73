//===- EmitProgram.cpp - nisa to a device program -------------------------===//
//
// One op, one instruction: everything is said by the ops and their attributes,
// nothing is decided here. Locations become ids: the text of the op's location.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/EmitProgram.h"
#include "compiler/pipeline/ConstantBytes.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/program/Opcodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::program;

namespace {

class Emitter {
public:
  Emitter(func::FuncOp function, StringRef target) : function(function) {
    result.target = target.str();
    result.locations.push_back("<unknown>");
  }

  FailureOr<Program> run() {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      addArgument(i);
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(emitTopLevel(&op)))
        return failure();
    return std::move(result);
  }

private:
  //===--------------------------------------------------------------------===//
  // Variables
  //===--------------------------------------------------------------------===//

  uint32_t addTensor(Value variable, Tensor tensor) {
    uint32_t index = result.tensors.size();
    variables[variable] = index;
    result.tensors.push_back(std::move(tensor));
    return index;
  }

  static Tensor describe(Value variable, TensorKind kind, std::string name,
                         DenseI64ArrayAttr strides) {
    auto type = cast<MemRefType>(variable.getType());
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.kind = kind;
    tensor.dtype = *nisa::dtypeOf(type.getElementType());
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.strides.resize(tensor.shape.size());
    int64_t dense = 1;
    for (size_t i = tensor.shape.size(); i-- > 0;) {
      tensor.strides[i] = strides ? strides[i] : dense;
      dense *= tensor.shape[i];
    }
    tensor.span = 1;
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      tensor.span = tensor.shape[i] == 0 ? 0
                                         : tensor.span + (tensor.shape[i] - 1) *
                                                             tensor.strides[i];
    return tensor;
  }

  void addArgument(unsigned index) {
    DictionaryAttr attributes = function.getArgAttrDict(index);
    auto get = [&](StringRef name) {
      return attributes ? attributes.get(name) : Attribute();
    };
    auto kind = dyn_cast_or_null<StringAttr>(get("neuron.kind"));
    auto name = dyn_cast_or_null<StringAttr>(get("neuron.name"));
    bool isOutput = kind && kind.getValue() == "output";
    Tensor tensor =
        describe(function.getArgument(index),
                 isOutput ? TensorKind::Output : TensorKind::Input,
                 name ? name.getValue().str()
                      : (isOutput ? "output" : "input") + std::to_string(index),
                 dyn_cast_or_null<DenseI64ArrayAttr>(get("neuron.strides")));
    // Inputs come first, so that their numbers are those of the arguments.
    if (auto input = dyn_cast_or_null<IntegerAttr>(get("neuron.aliases_input")))
      tensor.aliasedInput = int32_t(input.getInt());
    addTensor(function.getArgument(index), std::move(tensor));
  }

  LogicalResult emitTopLevel(Operation *op) {
    if (auto scratch = dyn_cast<nisa::ScratchOp>(op)) {
      addTensor(scratch.getHbm(),
                describe(scratch.getHbm(), TensorKind::Scratch,
                         "scratch" + std::to_string(result.tensors.size()),
                         {}));
      return success();
    }
    if (auto constant = dyn_cast<nisa::ConstantOp>(op))
      return addConstant(constant);
    if (auto repeat = dyn_cast<nisa::RepeatOp>(op))
      return emitRepeat(repeat);
    auto kernel = dyn_cast<nisa::KernelOp>(op);
    if (!kernel)
      return op->emitOpError("X1: has no place in a device program");
    auto [first, isNew] = emitted.try_emplace(
        kernel.getSym(), std::pair(kernel, result.kernels.size()));
    if (!isNew)
      first->second.first = nullptr; // the name says no longer which
    result.kernels.push_back({kernel.getSym().str(), {}});
    return emitBlock(kernel.getBody().front(), result.kernels.back().body);
  }

  /// A copy of the kernel's instructions, with other variables and locations.
  LogicalResult emitRepeat(nisa::RepeatOp repeat) {
    auto found = emitted.find(repeat.getKernel());
    if (found == emitted.end())
      return repeat.emitOpError("X4: repeats '")
             << repeat.getKernel() << "', which is no kernel before it";
    auto [kernel, index] = found->second;
    if (!kernel)
      return repeat.emitOpError("X4: repeats '")
             << repeat.getKernel() << "', which several kernels before it are";
    Kernel copy{repeat.getSym().str(), result.kernels[index].body};
    Replacement replacement;
    for (auto [from, to] : llvm::zip(repeat.getFrom(), repeat.getTo()))
      replacement.tensors[variables.lookup(from)] = variables.lookup(to);
    auto from = dyn_cast<FusedLocWith<ArrayAttr>>(kernel->getLoc());
    auto to = dyn_cast<FusedLocWith<ArrayAttr>>(repeat->getLoc());
    if (from && to && from.getMetadata().size() == to.getMetadata().size())
      for (auto [one, other] : llvm::zip(from.getMetadata(), to.getMetadata()))
        replacement.locations[one] = other;
    replace(kernel.getBody().front(), copy.body, replacement);
    result.kernels.push_back(std::move(copy));
    return success();
  }

  struct Replacement {
    DenseMap<uint32_t, uint32_t> tensors;
    DenseMap<Attribute, Attribute> locations;
    DenseMap<uint32_t, uint32_t>
        ids; ///< of locations, as far as they are known
  };

  /// In what was emitted from the block.
  void replace(Block &block, std::vector<Node> &nodes,
               Replacement &replacement) {
    size_t next = 0;
    for (Operation &op : block) {
      if (!hasNode(&op))
        continue;
      Node &node = nodes[next++];
      if (auto *loop = std::get_if<Loop>(&node)) {
        replace(cast<nisa::LoopOp>(op).getBody().front(), loop->body,
                replacement);
        continue;
      }
      auto *instruction = std::get_if<Instruction>(&node);
      uint32_t &id = instruction ? instruction->location
                                 : std::get<Barrier>(node).location;
      auto [known, isNew] = replacement.ids.try_emplace(id);
      if (isNew)
        known->second = idOf(textOf(op.getLoc(), &replacement.locations));
      id = known->second;
      if (!instruction || !instruction->isDma())
        continue;
      auto tensor = replacement.tensors.find(instruction->hbm.tensor);
      if (tensor != replacement.tensors.end())
        instruction->hbm.tensor = tensor->second;
    }
  }

  /// Whether an op of a block becomes a node of the program.
  static bool hasNode(Operation *op) {
    return !isa<nisa::AllocOp, nisa::SubtileOp, nisa::ImmediateOp,
                nisa::ConstantOp>(op);
  }

  LogicalResult addConstant(nisa::ConstantOp op) {
    Tensor tensor =
        describe(op.getHbm(), TensorKind::Constant,
                 "constant" + std::to_string(result.tensors.size()), {});
    FailureOr<std::vector<uint8_t>> bytes =
        pipeline::bytesOf(cast<ElementsAttr>(op.getValue()));
    if (failed(bytes))
      return op.emitOpError("X2: its elements cannot be stored");
    tensor.data = std::move(*bytes);
    addTensor(op.getHbm(), std::move(tensor));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Structure
  //===--------------------------------------------------------------------===//

  LogicalResult emitBlock(Block &block, std::vector<Node> &nodes) {
    for (Operation &op : block) {
      if (auto constant = dyn_cast<nisa::ConstantOp>(op))
        if (failed(addConstant(constant)))
          return failure();
      if (!hasNode(&op))
        continue;
      if (auto loop = dyn_cast<nisa::LoopOp>(op)) {
        Loop emitted;
        emitted.count = loop.getCount();
        if (failed(emitBlock(loop.getBody().front(), emitted.body)))
          return failure();
        nodes.push_back(std::move(emitted));
        continue;
      }
      if (isa<nisa::BarrierOp>(op)) {
        nodes.push_back(Barrier{locationOf(&op)});
        continue;
      }
      FailureOr<Instruction> instruction = emitInstruction(&op);
      if (failed(instruction))
        return failure();
      nodes.push_back(std::move(*instruction));
    }
    return success();
  }

  uint32_t locationOf(Operation *op) { return idOf(textOf(op->getLoc())); }

  uint32_t idOf(const std::string &text) {
    if (text.empty())
      return 0;
    auto [entry, isNew] =
        locations.try_emplace(text, uint32_t(result.locations.size()));
    if (isNew)
      result.locations.push_back(text);
    return entry->second;
  }

  using Replaced = DenseMap<Attribute, Attribute>;

  /// The ids of a location, joined; files and lines are left to the graph.
  static std::string textOf(Location location,
                            const Replaced *replaced = nullptr) {
    SmallVector<std::string> ids;
    collectIds(location, replaced, ids);
    return llvm::join(ids, "+");
  }

  static void collectIds(Location location, const Replaced *replaced,
                         SmallVector<std::string> &ids) {
    if (auto fused = dyn_cast<FusedLoc>(location)) {
      for (Location part : fused.getLocations())
        collectIds(part, replaced, ids);
      return;
    }
    if (replaced)
      if (Attribute other = replaced->lookup(location))
        location = Location(cast<LocationAttr>(other));
    std::string id;
    if (auto name = dyn_cast<NameLoc>(location))
      id = name.getName().str();
    if (auto call = dyn_cast<CallSiteLoc>(location))
      id = textOf(call.getCaller()) + "/" + textOf(call.getCallee());
    if (!id.empty() && !llvm::is_contained(ids, id))
      ids.push_back(id);
  }

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  static Affine affineOf(ArrayRef<int64_t> values) {
    Affine affine;
    if (!values.empty())
      affine.base = values.front();
    for (size_t i = 1; i < values.size(); ++i)
      affine.coefficients[i - 1] = values[i];
    return affine;
  }

  /// `elements`: how many the instruction goes through; a tile of one element
  /// is repeated, unless the operand is one that is read once a partition.
  FailureOr<Operand> operandOf(Operation *op, Value value, int64_t elements) {
    Operand operand;
    if (auto immediate = value.getDefiningOp<nisa::ImmediateOp>()) {
      operand.kind = Operand::Kind::Immediate;
      operand.dtype = *nisa::dtypeOf(immediate.getType());
      Attribute number = immediate.getValue();
      APInt bits = isa<FloatAttr>(number)
                       ? cast<FloatAttr>(number).getValue().bitcastToAPInt()
                       : cast<IntegerAttr>(number).getValue();
      operand.bits = bits.getZExtValue();
      return operand;
    }
    nisa::AllocOp alloc = nisa::viewOf(value).alloc;
    std::optional<int64_t> address = nisa::addressOf(value);
    if (!address)
      return op->emitOpError("X3: operates on a tile that has no place");
    auto type = cast<MemRefType>(value.getType());
    int64_t free = nisa::freeElements(value);
    operand.kind = Operand::Kind::Tile;
    operand.dtype = *nisa::dtypeOf(type.getElementType());
    operand.offset = uint32_t(*address);
    operand.elems = uint32_t(elements);
    operand.stride = free == 1 && elements > 1 ? 0 : 1;
    operand.buffers = uint16_t(alloc.getBuffers());
    operand.pitch = uint32_t(alloc.getPitch().value_or(0));
    return operand;
  }

  static int64_t widest(nisa::InstructionOpInterface op) {
    int64_t elements = 1;
    auto widen = [&](Value value) {
      if (isa<MemRefType>(value.getType()))
        elements = std::max(elements, nisa::freeElements(value));
    };
    llvm::for_each(op.getSrcs(), widen);
    llvm::for_each(op.getOuts(), widen);
    return elements;
  }

  /// Whether all elements of a row have one index.
  static bool isRowIndex(Opcode opcode, unsigned index, Value value) {
    bool isIndex = (opcode == Opcode::DmaGather && index == 0) ||
                   (opcode == Opcode::DmaScatter && index == 1);
    return isIndex && nisa::freeElements(value) == 1;
  }

  static bool reduces(Opcode opcode) {
    return opcode == Opcode::TensorReduce || opcode == Opcode::GpsimdReduce;
  }

  FailureOr<Instruction> emitInstruction(Operation *op) {
    auto interface = dyn_cast<nisa::InstructionOpInterface>(op);
    if (!interface)
      return op->emitOpError("X1: has no place in a device program");
    Instruction instruction;
    Opcode opcode = interface.getOpcode();
    instruction.opcode = opcode;
    instruction.engine = static_cast<Unit>(interface.getEngine());
    instruction.parts = uint16_t(interface.getParts());
    instruction.location = locationOf(op);
    if (ArrayAttr names = interface.getFnNames())
      for (auto [i, name] :
           llvm::enumerate(names.getAsValueRange<StringAttr>()))
        instruction.fn[i] =
            *fnFromName(std::string_view(name.data(), name.size()));
    if (failed(setOperands(interface, instruction)))
      return failure();
    setSchedule(op, instruction);
    setDetails(op, instruction);
    return instruction;
  }

  LogicalResult setOperands(nisa::InstructionOpInterface op,
                            Instruction &instruction) {
    Opcode opcode = instruction.opcode;
    auto elementsFor = [&, elements = widest(op)](Value value, bool isOne) {
      if (crossesPartitions(opcode))
        return nisa::freeElements(value);
      return isOne ? int64_t(1) : elements;
    };
    for (auto [i, value] : llvm::enumerate(op.getSrcs())) {
      FailureOr<Operand> operand =
          operandOf(op, value,
                    elementsFor(value, isScalarOperand(opcode, i) ||
                                           isRowIndex(opcode, i, value)));
      if (failed(operand))
        return failure();
      instruction.src[i] = *operand;
    }
    auto outs = op.getOuts();
    bool hasAcc = op->hasAttr("has_acc");
    for (auto [i, value] : llvm::enumerate(outs)) {
      bool isAcc = hasAcc ? i + 1 == outs.size() : i == 1;
      bool isOne = (isAcc && opcode != Opcode::GpsimdSort) || reduces(opcode);
      FailureOr<Operand> operand =
          operandOf(op, value, elementsFor(value, isOne));
      if (failed(operand))
        return failure();
      (isAcc ? instruction.acc : instruction.dst) = *operand;
    }
    return success();
  }

  static void setSchedule(Operation *op, Instruction &instruction) {
    instruction.signal = op->hasAttr("signal");
    auto waits = op->getAttrOfType<ArrayAttr>("wait");
    if (!waits)
      return;
    for (auto wait : waits.getAsRange<nisa::WaitAttr>()) {
      Wait emitted;
      emitted.semaphore = static_cast<Unit>(wait.getUnit());
      emitted.value.base = wait.getBase();
      for (auto [i, coefficient] : llvm::enumerate(wait.getCoefficients()))
        emitted.value.coefficients[i] = coefficient;
      instruction.waits.push_back(emitted);
    }
  }

  template <typename Dma> void setWindow(Dma op, Instruction &instruction) {
    instruction.queue = program::queue(op.getQueue());
    HbmAccess &hbm = instruction.hbm;
    hbm.tensor = variables.lookup(op.getHbm());
    hbm.offset = op.getHbmOffset();
    hbm.rowSizes = op.getRowSizes().vec();
    hbm.rowStrides = op.getRowStrides().vec();
    hbm.colSizes = op.getColSizes().vec();
    hbm.colStrides = op.getColStrides().vec();
    hbm.row = affineOf(op.getRow());
    hbm.column = affineOf(op.getColumn());
  }

  template <typename Dma> void setIndex(Dma op, Instruction &instruction) {
    instruction.hbm.indexStride = op.getIndexStride();
    instruction.hbm.indexBound = op.getIndexBound();
  }

  void setDetails(Operation *op, Instruction &instruction) {
    if (auto load = dyn_cast<nisa::DmaLoadOp>(op))
      setWindow(load, instruction);
    if (auto copy = dyn_cast<nisa::TensorCopyOp>(op); copy && copy.getBits())
      instruction.src[0].dtype = instruction.dst.dtype;
    if (auto store = dyn_cast<nisa::DmaStoreOp>(op))
      setWindow(store, instruction);
    if (auto gather = dyn_cast<nisa::DmaGatherOp>(op)) {
      setWindow(gather, instruction);
      setIndex(gather, instruction);
    }
    if (auto scatter = dyn_cast<nisa::DmaScatterOp>(op)) {
      setWindow(scatter, instruction);
      setIndex(scatter, instruction);
    }
    if (auto reverse = op->getAttrOfType<DenseBoolArrayAttr>("reverse"))
      for (auto [i, value] : llvm::enumerate(reverse.asArrayRef()))
        instruction.reverse[i] = value;
    if (auto compute = op->getAttrOfType<TypeAttr>("compute"))
      instruction.compute = *nisa::dtypeOf(compute.getValue());
    if (op->hasAttr("accumulate"))
      instruction.accumulate = Accumulate::Yes;
    if (auto index = op->getAttrOfType<DenseI64ArrayAttr>("index"))
      instruction.index = affineOf(index.asArrayRef());
    if (auto iota = dyn_cast<nisa::IotaOp>(op)) {
      instruction.rowStep = iota.getRowStep();
      instruction.step = iota.getStep();
    }
    if (auto random = dyn_cast<nisa::GpsimdRandomOp>(op)) {
      instruction.rowStep = random.getRowStep();
      instruction.step = random.getStep();
    }
    if (auto reduce = op->getAttrOfType<StringAttr>("reduce"))
      instruction.reduce = reductionOf(reduce.getValue());
    if (op->hasAttr("descending"))
      instruction.reverse[0] = true;
  }

  static Instruction::Reduce reductionOf(StringRef name) {
    using Reduce = Instruction::Reduce;
    static const llvm::StringMap<Reduce> table = {
        {"sum", Reduce::Sum},
        {"prod", Reduce::Prod},
        {"max", Reduce::Max},
        {"min", Reduce::Min},
        {"any", Reduce::Any},
        {"all", Reduce::All},
        {"argmax", Reduce::ArgMax},
        {"argmin", Reduce::ArgMin},
        {"logaddexp", Reduce::LogAddExp}};
    return table.lookup(name);
  }

  func::FuncOp function;
  Program result;
  DenseMap<Value, uint32_t> variables;
  llvm::StringMap<uint32_t> locations;
  /// Kernels by name, and where they stand in the program.
  llvm::StringMap<std::pair<nisa::KernelOp, size_t>> emitted;
};

} // namespace

FailureOr<Program> pipeline::emitProgram(func::FuncOp function,
                                         StringRef target) {
  return Emitter(function, target).run();
}

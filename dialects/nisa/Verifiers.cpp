//===- Verifiers.cpp - rules of instructions ------------------------------===//
//
// I1 to I6 hold for every instruction; what an opcode wants of its operands is
// a row of the table below. The rest is in TensorVerifiers.cpp.
//
//===----------------------------------------------------------------------===//
#include "dialects/nisa/Nisa.h"
#include "runtime/program/Opcodes.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::nisa;
using program::Fn;
using program::Opcode;

namespace {

/// What an opcode wants. Which engines run it: runtime/program/Opcodes.h.
struct Shape {
  Opcode opcode;
  uint8_t minSrcs, maxSrcs;
  uint8_t minOuts, maxOuts;
  uint8_t minFns, maxFns;
  enum FnRule : uint8_t { NoFn, VectorAlu, VectorReduce, ScalarFn, AnyFn } rule;
};

constexpr Shape kShapes[] = {
    {Opcode::DmaLoad, 0, 0, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::DmaStore, 1, 1, 0, 0, 0, 0, Shape::NoFn},
    {Opcode::Memset, 1, 1, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::TensorCopy, 1, 1, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::TensorTensor, 2, 2, 1, 1, 1, 1, Shape::VectorAlu},
    {Opcode::TensorScalar, 2, 3, 1, 1, 1, 2, Shape::VectorAlu},
    {Opcode::ScalarTensorTensor, 3, 3, 1, 1, 2, 2, Shape::VectorAlu},
    {Opcode::TensorReduce, 1, 1, 1, 1, 1, 1, Shape::VectorReduce},
    {Opcode::Activation, 1, 3, 1, 2, 1, 1, Shape::ScalarFn},
    {Opcode::Reciprocal, 1, 1, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::Select, 3, 3, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::Iota, 0, 0, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::GpsimdElementwise, 1, 3, 1, 1, 1, 1, Shape::AnyFn},
    {Opcode::GpsimdReduce, 1, 1, 1, 2, 0, 0, Shape::NoFn},
    {Opcode::Matmul, 2, 2, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::Transpose, 1, 1, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::DmaGather, 1, 1, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::DmaScatter, 2, 2, 0, 0, 0, 0, Shape::NoFn},
    {Opcode::GpsimdScan, 1, 1, 1, 2, 0, 0, Shape::NoFn},
    {Opcode::GpsimdSort, 1, 1, 1, 2, 0, 0, Shape::NoFn},
    {Opcode::GpsimdRandom, 1, 1, 1, 1, 0, 0, Shape::NoFn},
    {Opcode::TensorTensorScan, 3, 3, 1, 1, 2, 2, Shape::VectorAlu},
};

LogicalResult verifyFunctions(Operation *op, const Shape &shape,
                              ArrayAttr names) {
  size_t count = names ? names.size() : 0;
  if (count < shape.minFns || count > shape.maxFns)
    return op->emitOpError("I4: wants ")
           << unsigned(shape.minFns) << " to " << unsigned(shape.maxFns)
           << " functions, has " << count;
  for (size_t i = 0; i < count; ++i) {
    StringRef name = cast<StringAttr>(names[i]).getValue();
    std::optional<Fn> fn = program::fnFromName(name.str());
    if (!fn)
      return op->emitOpError("I4: no function '") << name << "'";
    bool legal = true;
    if (shape.rule == Shape::VectorAlu)
      legal = program::runsOnVector(*fn) && program::info(*fn).arity == 2;
    else if (shape.rule == Shape::VectorReduce)
      legal = *fn == Fn::add || *fn == Fn::hw_max || *fn == Fn::hw_min;
    else if (shape.rule == Shape::ScalarFn)
      legal = program::runsOnScalar(*fn);
    if (!legal)
      return op->emitOpError("I4: function '")
             << name << "' does not run on this engine";
  }
  return success();
}

/// `elements`: what the instruction goes through; 0: it does not compare them.
LogicalResult verifyTile(Operation *op, Value value, int64_t parts,
                         int64_t elements) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return success();
  if (!nisa::isIn(value, MemorySpace::SBUF) &&
      !nisa::isIn(value, MemorySpace::PSUM))
    return op->emitOpError("I3: operates on tiles in SBUF or PSUM, not on ")
           << type;
  if (!dtypeOf(type.getElementType()))
    return op->emitOpError("I5: no element type ") << type.getElementType();
  if (type.getRank() < 2 || type.getDimSize(0) < parts)
    return op->emitOpError("I2: touches ")
           << parts << " partitions, tile is " << type;
  int64_t free = freeElements(value);
  if (elements != 0 && free != 1 && free != elements)
    return op->emitOpError("I6: free size ") << free << " beside " << elements;
  return success();
}

} // namespace

LogicalResult nisa::verifyInstruction(Operation *op) {
  auto instruction = cast<InstructionOpInterface>(op);
  const Shape &shape = kShapes[unsigned(instruction.getOpcode())];
  assert(shape.opcode == instruction.getOpcode());
  if (!program::mayRun(static_cast<program::Unit>(instruction.getEngine()),
                       instruction.getOpcode()))
    return op->emitOpError("I1: does not run on engine ")
           << stringifyEngine(instruction.getEngine());
  int64_t parts = instruction.getParts();
  if (parts < 1 || parts > 128)
    return op->emitOpError("I2: parts must be 1 to 128, not ") << parts;
  size_t srcs = instruction.getSrcs().size();
  size_t outs = instruction.getOuts().size();
  if (srcs < shape.minSrcs || srcs > shape.maxSrcs || outs < shape.minOuts ||
      outs > shape.maxOuts)
    return op->emitOpError("I5: wrong number of operands");
  if (failed(verifyFunctions(op, shape, instruction.getFnNames())))
    return failure();
  int64_t elements = 1;
  auto widen = [&](Value value) {
    if (isa<MemRefType>(value.getType()))
      elements = std::max(elements, freeElements(value));
  };
  llvm::for_each(instruction.getSrcs(), widen);
  llvm::for_each(instruction.getOuts(), widen);
  bool crosses = program::crossesPartitions(instruction.getOpcode());
  if (crosses)
    elements = 0;
  for (auto [i, value] : llvm::enumerate(instruction.getSrcs())) {
    if (failed(verifyTile(op, value, parts, elements)))
      return failure();
    if (program::isScalarOperand(shape.opcode, i) &&
        isa<MemRefType>(value.getType()) && freeElements(value) != 1)
      return op->emitOpError("I6: source ")
             << i << " is one element, not " << freeElements(value);
  }
  for (Value value : instruction.getOuts())
    if (failed(verifyTile(op, value, crosses ? 1 : parts, elements)))
      return failure();
  return verifyTensorEngine(instruction);
}

LogicalResult RepeatOp::verify() {
  llvm::SmallDenseSet<Value> seen;
  for (Value variable : getFrom())
    if (!seen.insert(variable).second)
      return emitOpError("S9: replaces a variable twice");
  return success();
}

LogicalResult LoopOp::verify() {
  if (getCount() < 1)
    return emitOpError("S1: count must be positive, not ") << getCount();
  unsigned depth = 0;
  for (Operation *op = *this; op; op = op->getParentOp())
    depth += isa<LoopOp>(op);
  if (depth > program::kMaxLoopDepth)
    return emitOpError("S2: loops nest deeper than ")
           << unsigned(program::kMaxLoopDepth);
  return success();
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getTile().getType());
  if (!nisa::isIn(getTile(), MemorySpace::SBUF) &&
      !nisa::isIn(getTile(), MemorySpace::PSUM))
    return emitOpError("S3: allocates tiles in SBUF or PSUM, not ") << type;
  if (type.getRank() < 2 || type.getDimSize(0) > 128)
    return emitOpError("S4: a tile has a partition dimension of at most 128 "
                       "and a free one");
  if (getBuffers() > 1 && getOffset() && !getPitch())
    return emitOpError("S5: several buffers want a pitch");
  return success();
}

LogicalResult SubtileOp::verify() {
  auto alloc = getTile().getDefiningOp<AllocOp>();
  if (!alloc)
    return emitOpError("S6: is a part of a tile that nisa.alloc makes");
  auto begin = int64_t(getBegin()), size = int64_t(getSize());
  int64_t elements = freeElements(getTile());
  if (begin < 0 || size < 1 || begin > elements - size)
    return emitOpError("S7: elements [")
           << begin << ", " << begin + size << ") of a tile of " << elements;
  auto tile = cast<MemRefType>(getTile().getType());
  auto view = cast<MemRefType>(getView().getType());
  auto expected =
      MemRefType::get({tile.getDimSize(0), size}, tile.getElementType(),
                      MemRefLayoutAttrInterface(), tile.getMemorySpace());
  if (view != expected)
    return emitOpError("S8: is ") << expected << ", not " << view;
  return success();
}

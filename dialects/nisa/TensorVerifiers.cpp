//===- TensorVerifiers.cpp - rules of PSUM and the Tensor engine ----------===//
#include "compiler/target/Target.h"
#include "dialects/nisa/Nisa.h"
#include "runtime/program/Opcodes.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::nisa;
using program::Opcode;

namespace {

bool isInPsum(Value value) { return isIn(value, MemorySpace::PSUM); }

Type elementOf(Value tile) {
  return cast<MemRefType>(tile.getType()).getElementType();
}

LogicalResult verifyReach(InstructionOpInterface op) {
  Engine engine = op.getEngine();
  bool isDma = isa<DmaLoadOp, DmaStoreOp>(op);
  bool mayReach =
      !isDma && (engine == Engine::Vector || engine == Engine::Scalar);
  bool onTensor = engine == Engine::Tensor;
  for (Value source : op.getSrcs())
    if (isInPsum(source) && !mayReach)
      return op->emitOpError("I7: cannot read PSUM");
  for (Value out : op.getOuts()) {
    if (isInPsum(out) && !mayReach && !onTensor)
      return op->emitOpError("I7: cannot write PSUM");
    if (!isInPsum(out) && onTensor)
      return op->emitOpError("I7: the Tensor engine writes to PSUM only");
  }
  return success();
}

LogicalResult verifyStreams(InstructionOpInterface op) {
  auto streams = llvm::count_if(op.getSrcs(), [](Value source) {
    return isInPsum(source) && freeElements(source) > 1;
  });
  if (streams > 1)
    return op->emitOpError("I8: only one streamed source may be in PSUM");
  return success();
}

/// The sizes of an [M x N] result that has `rows` and `columns`.
LogicalResult verifyOut(InstructionOpInterface op, int64_t rows,
                        int64_t columns) {
  Value out = op.getOuts().front();
  auto type = cast<MemRefType>(out.getType());
  if (type.getDimSize(0) < rows || freeElements(out) != columns)
    return op->emitOpError("I9: makes ")
           << rows << " x " << columns << " elements, out is " << type;
  auto [alloc, begin] = viewOf(out);
  int64_t bytes = program::bytesOf(*dtypeOf(elementOf(out)));
  int64_t bank = target::defaultTarget().psumBankBytes;
  if (begin * bytes / bank != ((begin + columns) * bytes - 1) / bank)
    return op->emitOpError("I11: out spans banks of PSUM");
  return success();
}

LogicalResult verifyMatmul(InstructionOpInterface op) {
  const target::Target &target = target::defaultTarget();
  Value stationary = op.getSrcs()[0], moving = op.getSrcs()[1];
  Type type = elementOf(stationary);
  if (type != elementOf(moving) ||
      !(type.isF32() || type.isBF16() || type.isF16()) ||
      !elementOf(op.getOuts().front()).isF32())
    return op->emitOpError(
        "I10: multiplies two of f32, bf16 or f16 and makes f32");
  int64_t rows = freeElements(stationary), columns = freeElements(moving);
  if (rows > target.stationaryColumns || columns > target.movingColumns)
    return op->emitOpError("I9: stationary and moving operand have at most ")
           << int64_t(target.stationaryColumns) << " and "
           << int64_t(target.movingColumns) << " free elements, not " << rows
           << " and " << columns;
  return verifyOut(op, rows, columns);
}

LogicalResult verifyTranspose(InstructionOpInterface op) {
  Value source = op.getSrcs()[0];
  unsigned bytes = program::bytesOf(*dtypeOf(elementOf(source)));
  if (elementOf(source) != elementOf(op.getOuts().front()) ||
      (bytes != 2 && bytes != 4))
    return op->emitOpError("I10: keeps a type of two or four bytes");
  int64_t rows = freeElements(source);
  if (rows > target::defaultTarget().stationaryColumns)
    return op->emitOpError("I9: transposes at most 128 free elements, not ")
           << rows;
  return verifyOut(op, rows, op.getParts());
}

} // namespace

LogicalResult nisa::verifyTensorEngine(InstructionOpInterface op) {
  if (failed(verifyReach(op)) || failed(verifyStreams(op)))
    return failure();
  if (op.getOpcode() == Opcode::Matmul)
    return verifyMatmul(op);
  if (op.getOpcode() == Opcode::Transpose)
    return verifyTranspose(op);
  return success();
}

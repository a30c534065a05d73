//===- EmitInstruction.cpp - the effect of one instruction ----------------===//
#include "runtime/simulator/compiled/SegmentEmitter.h"
#include "runtime/simulator/semantics/Apply.h"
#include "runtime/simulator/semantics/Semantics.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

Value SegmentEmitter::plain(Value value) {
  if (!value.bytes)
    return value;
  llvm::Value *zero = llvm::Constant::getNullValue(value.reg->getType());
  return {builder.CreateICmpNE(value.reg, zero), value.dtype, true, false};
}

/// Equal types keep the bits.
Value SegmentEmitter::hardwareCast(Value value, DType to) {
  if (value.dtype == to)
    return value;
  value = plain(value);
  bool exact = value.exact;
  llvm::Value *reg = emitHardwareCast(value.dtype, to, value.reg, exact);
  return {reg, to, exact};
}

Value SegmentEmitter::torchCast(Value value, DType to) {
  value = plain(value);
  bool exact = value.exact;
  llvm::Value *reg = emitTorchCast(value.dtype, to, value.reg, exact);
  return {reg, to, exact};
}

llvm::Value *SegmentEmitter::exactBits(const Value &value) {
  return value.exact ? value.reg : emitCanonical(value.dtype, value.reg);
}

Value SegmentEmitter::immediateOf(const Operand &operand) {
  llvm::Type *element = registerType(operand.dtype, context);
  if (operand.dtype == DType::F32)
    return {
        emitConstant(std::bit_cast<float>(static_cast<uint32_t>(operand.bits)),
                     element),
        operand.dtype, true};
  if (operand.dtype == DType::F64)
    return {emitConstant(std::bit_cast<double>(operand.bits), element),
            operand.dtype, true};
  uint64_t bits =
      operand.dtype == DType::Bool ? operand.bits != 0 : operand.bits;
  return {emitConstant(bits, element), operand.dtype, true};
}

/// What the single operand of a slot holds, as a plain value.
Value SegmentEmitter::singleOperand(Index index, Slot slot) {
  const InstructionFacts &fact = flow[index];
  const Operand &tile = *readBy(*fact.it, slot);
  Index source = fact.source[static_cast<unsigned>(slot)];
  switch (schedule.read(index, slot)) {
  case Read::Register:
  case Read::Scalar: {
    bool isAcc = flow[source].it->acc.isTile() &&
                 flow[source].it->acc.offset == tile.offset &&
                 !(flow[source].it->dst.isTile() &&
                   flow[source].it->dst.offset == tile.offset);
    return scalars.at({source, isAcc});
  }
  case Read::Image:
    return loadElements(hbmPointer(source), tile.dtype, 1);
  case Read::Memory:
    break;
  }
  return loadElements(sbufPointer(tile, *fact.block), tile.dtype, 1);
}

Value SegmentEmitter::operand(Index index, Slot slot, const Step &step) {
  const InstructionFacts &fact = flow[index];
  auto slotNumber = static_cast<unsigned>(slot);
  const Operand &operand = fact.it->src[slotNumber];
  Key key{index, slotNumber};
  if (operand.isImmediate())
    return immediateOf(operand);
  if (auto known = hoisted.find(key); known != hoisted.end())
    return known->second;
  if (EmitScope::get().width == 1)
    return singleOperand(index, slot);
  Index source = fact.source[slotNumber];
  switch (schedule.read(index, slot)) {
  case Read::Register:
    return registers.at({source, 0});
  case Read::Image: {
    if (auto known = images.find(source); known != images.end())
      return known->second;
    llvm::Value *pointer =
        elementPointer(pointers.at(key), operand.dtype, step.column);
    return images[source] = loadElements(pointer, operand.dtype, step.count);
  }
  default: {
    llvm::Value *pointer =
        elementPointer(pointers.at(key), operand.dtype, step.column);
    return loadElements(pointer, operand.dtype, step.count);
  }
  }
}

/// The operand in the type that its instruction wants it in.
Value SegmentEmitter::operandAs(Index index, Slot slot, DType dtype,
                                const Step &step) {
  Value value = operand(index, slot, step);
  bool isGpsimd = flow[index].it->engine == Unit::GpSimd &&
                  (flow[index].it->opcode == Opcode::GpsimdElementwise ||
                   flow[index].it->opcode == Opcode::GpsimdReduce);
  return isGpsimd ? torchCast(value, dtype) : hardwareCast(value, dtype);
}

Value SegmentEmitter::apply(Fn fn, DType compute,
                            std::initializer_list<Value> operands) {
  llvm::Value *regs[3] = {};
  size_t i = 0;
  bool exact = true;
  bool keeps = semantics::keepsBits(fn);
  for (const Value &operand : operands) {
    regs[i++] = plain(operand).reg;
    exact &= operand.exact;
  }
  if (keeps && !exact) {
    // One operand's NaNs are kept as they are, so the other's must be final.
    i = 0;
    for (const Value &operand : operands)
      regs[i++] = exactBits(plain(operand));
    exact = true;
  }
  DType result = semantics::resultType(fn, compute);
  llvm::Value *reg = emitFunction(fn, compute)(regs);
  return {reg, result, keeps ? exact : !program::isFloat(result)};
}

/// The bits of one or the other, also those of a bool.
Value SegmentEmitter::selectBits(Value condition, Value a, Value b) {
  auto asBytes = [&](Value &value) {
    llvm::Type *type = EmitScope::get().typeOf(builder.getInt8Ty());
    if (value.dtype == DType::Bool && !value.bytes)
      value = {builder.CreateZExt(value.reg, type), DType::Bool, true, true};
  };
  if (a.bytes || b.bytes)
    asBytes(a), asBytes(b);
  return {
      builder.CreateSelect(plain(condition).reg, exactBits(a), exactBits(b)),
      a.dtype, true, a.bytes};
}

Value SegmentEmitter::activationInput(Index index, const Step &step) {
  const Instruction &it = *flow[index].it;
  Value x = operandAs(index, Slot::Src0, DType::F32, step);
  if (it.src[1].kind != Operand::Kind::None)
    x = apply(Fn::mul, DType::F32,
              {x, operandAs(index, Slot::Src1, DType::F32, step)});
  if (it.src[2].kind != Operand::Kind::None)
    x = apply(Fn::add, DType::F32,
              {x, operandAs(index, Slot::Src2, DType::F32, step)});
  return x;
}

Value SegmentEmitter::iota(Index index, const Step &step) {
  const Instruction &it = *flow[index].it;
  llvm::Value *first = builder.CreateAdd(
      valueOf(it.index),
      builder.CreateMul(partition, builder.getInt64(it.rowStep)));
  unsigned width = EmitScope::get().width;
  if (width > 1) {
    first = builder.CreateAdd(
        first, builder.CreateMul(step.column, builder.getInt64(it.step)));
    first = builder.CreateVectorSplat(width, first);
    std::vector<llvm::Constant *> lanes;
    for (unsigned i = 0; i < width; ++i)
      lanes.push_back(builder.getInt64(static_cast<uint64_t>(it.step) * i));
    first = builder.CreateAdd(first, llvm::ConstantVector::get(lanes));
  }
  return torchCast({first, DType::I64, true}, it.dst.dtype);
}

/// The result of an instruction that is no reduction, in dst's type.
Value SegmentEmitter::elementwise(Index index, const Step &step) {
  const Instruction &it = *flow[index].it;
  auto fp32 = [&](Slot slot) {
    return operandAs(index, slot, DType::F32, step);
  };
  switch (it.opcode) {
  case Opcode::Memset:
  case Opcode::DmaStore:
    return operand(index, Slot::Src0, step);
  case Opcode::TensorCopy:
    return operandAs(index, Slot::Src0, it.dst.dtype, step);
  case Opcode::TensorTensor:
    return hardwareCast(
        apply(it.fn[0], DType::F32, {fp32(Slot::Src0), fp32(Slot::Src1)}),
        it.dst.dtype);
  case Opcode::TensorScalar:
  case Opcode::ScalarTensorTensor: {
    Value a = fp32(Slot::Src0), b = fp32(Slot::Src1);
    if (it.reverse[0])
      std::swap(a, b);
    Value inner = apply(it.fn[0], DType::F32, {a, b});
    if (it.src[2].kind != Operand::Kind::None) {
      inner = hardwareCast(inner, DType::F32);
      Value c = fp32(Slot::Src2);
      if (it.reverse[1])
        std::swap(inner, c);
      inner = apply(it.fn[1], DType::F32, {inner, c});
    }
    return hardwareCast(inner, it.dst.dtype);
  }
  case Opcode::Reciprocal:
    return hardwareCast(apply(Fn::reciprocal, DType::F32, {fp32(Slot::Src0)}),
                        it.dst.dtype);
  case Opcode::Select:
    return selectBits(operand(index, Slot::Src0, step),
                      operandAs(index, Slot::Src1, it.dst.dtype, step),
                      operandAs(index, Slot::Src2, it.dst.dtype, step));
  case Opcode::Iota:
    return iota(index, step);
  case Opcode::GpsimdElementwise: {
    Fn fn = it.fn[0];
    auto in = [&](unsigned i) {
      return operandAs(index, Slot(i),
                       semantics::operandType(fn, i, it.compute), step);
    };
    Value result;
    switch (info(fn).arity) {
    case 1:
      result = apply(fn, it.compute, {in(0)});
      break;
    case 2:
      result = apply(fn, it.compute, {in(0), in(1)});
      break;
    default:
      result = apply(fn, it.compute, {in(0), in(1), in(2)});
    }
    return torchCast(result, it.dst.dtype);
  }
  default:
    assert(false && "not elementwise");
    return {};
  }
}

void SegmentEmitter::defineDst(Index index, Value value, const Step &step) {
  const InstructionFacts &fact = flow[index];
  if (EmitScope::get().width == 1)
    scalars[{index, 0}] = value;
  else
    registers[{index, 0}] = value;
  if (!schedule.needsMemory(index))
    return;
  llvm::Value *pointer = EmitScope::get().width == 1
                             ? sbufPointer(fact.it->dst, *fact.block)
                             : elementPointer(pointers.at({index, kNumSlots}),
                                              fact.it->dst.dtype, step.column);
  storeElements(pointer, value, step.count);
}

/// One step of one member of a group; reductions go to their lanes.
void SegmentEmitter::emitMember(Index index, std::vector<Lanes> *lanes,
                                const Step &step) {
  const Instruction &it = *flow[index].it;
  EmitScope &scope = EmitScope::get();
  scope.divisionByZero = nullptr;
  auto lanesOf = [&]() -> Lanes & {
    return *std::find_if(lanes->begin(), lanes->end(),
                         [&](const Lanes &l) { return l.index == index; });
  };
  switch (it.opcode) {
  case Opcode::DmaLoad: {
    bool isRow = scope.width > 1;
    DType dtype = it.dst.dtype;
    if (!isRow) {
      defineDst(index, loadElements(hbmPointer(index), dtype, 1), step);
      return;
    }
    auto splat = hoisted.find({index, 0u});
    if (splat != hoisted.end())
      defineDst(index, splat->second, step);
    else
      defineDst(index,
                loadElements(elementPointer(pointers.at({index, 0u}), dtype,
                                            step.column),
                             dtype, step.count),
                step);
    return;
  }
  case Opcode::DmaStore: {
    Value value = elementwise(index, step);
    llvm::Value *pointer = scope.width == 1
                               ? hbmPointer(index)
                               : elementPointer(pointers.at({index, kNumSlots}),
                                                value.dtype, step.column);
    storeElements(pointer, value, step.count);
    return;
  }
  case Opcode::TensorReduce:
    accumulate(lanesOf(), step,
               operandAs(index, Slot::Src0, DType::F32, step).reg);
    break;
  case Opcode::GpsimdReduce:
    accumulate(lanesOf(), step,
               plain(operandAs(index, Slot::Src0, it.compute, step)).reg);
    break;
  case Opcode::Activation: {
    Value result = apply(it.fn[0], DType::F32, {activationInput(index, step)});
    if (it.dst.isTile())
      defineDst(index, hardwareCast(result, it.dst.dtype), step);
    if (it.acc.isTile())
      accumulate(lanesOf(), step, result.reg);
    break;
  }
  default:
    defineDst(index, elementwise(index, step), step);
    break;
  }
  if (!scope.divisionByZero)
    return;
  llvm::Value *any = scope.divisionByZero;
  if (scope.width > 1)
    any = builder.CreateOrReduce(any);
  auto known = std::find_if(divisions.begin(), divisions.end(),
                            [&](auto &d) { return d.first == index; });
  llvm::Value *flag = known->second;
  llvm::Value *old = builder.CreateLoad(builder.getInt8Ty(), flag);
  builder.CreateStore(
      builder.CreateOr(old, builder.CreateZExt(any, builder.getInt8Ty())),
      flag);
}

} // namespace neuron::simulator::compiled

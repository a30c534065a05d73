//===- EmitGroup.cpp - the loop of a group --------------------------------===//
//
// A vector group of n columns runs n / width steps, and one more with the rest.
// A reduction has 64 lanes; column c goes to lane c % 64. In a short body the
// lanes are registers, and a trip of the loop makes the steps for all of them;
// in a long one they are memory. More columns than a block of a reduction have
// a loop over blocks around it, and lanes of all blocks in memory.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/compiled/RowContext.h"
#include "runtime/simulator/compiled/SegmentEmitter.h"
#include "runtime/simulator/semantics/Semantics.h"

namespace neuron::simulator::compiled {
using namespace program;
using semantics::Reduction;

namespace {

constexpr unsigned kLanes = kReductionLanes;
/// A body of more operations is emitted once, with lanes in memory.
constexpr unsigned kUnrollSize = 60;

bool accumulatesOnto(const Instruction &it) {
  return it.accumulate == Accumulate::Yes;
}

bool hasAcc(const Instruction &it) {
  return it.opcode == Opcode::Activation && it.acc.isTile();
}

/// Whether an instruction of the vector group can divide an integer.
bool mayDivide(const Instruction &it) {
  return it.opcode == Opcode::GpsimdElementwise &&
         !program::isFloat(it.compute) && info(it.fn[0]).cost == FnCost::Divide;
}

} // namespace

void SegmentEmitter::emitGroup(const Group &group) {
  registers.clear();
  hoisted.clear();
  pointers.clear();
  images.clear();
  divisions.clear();
  for (Index index : group.members)
    if (mayDivide(*flow[index].it)) {
      llvm::AllocaInst *flag = emitAlloca(builder.getInt8Ty(), "by_zero");
      builder.CreateStore(builder.getInt8(0), flag);
      divisions.push_back({index, flag});
    }
  if (group.kind == Group::Kind::Scalar)
    emitScalarGroup(group);
  else
    emitVectorGroup(group);
  finishGroup();
}

/// Ends the run if an instruction of the group divided by zero.
void SegmentEmitter::finishGroup() {
  for (auto [index, flag] : divisions) {
    llvm::Value *any = builder.CreateICmpNE(
        builder.CreateLoad(builder.getInt8Ty(), flag), builder.getInt8(0));
    llvm::Value *fault = builder.CreateConstGEP1_64(
        builder.getInt8Ty(), contextArgument, offsetof(RowContext, fault));
    builder.CreateStore(
        builder.CreateSelect(any, builder.getInt64(index + 1),
                             builder.CreateLoad(builder.getInt64Ty(), fault)),
        fault);
    emitReturnIf(any);
  }
}

void SegmentEmitter::emitScalarGroup(const Group &group) {
  EmitScope scope(builder, 1);
  Step step{builder.getInt64(0), 0, 1};
  for (Index index : group.members) {
    const Instruction &it = *flow[index].it;
    bool reduces = it.opcode == Opcode::TensorReduce ||
                   it.opcode == Opcode::GpsimdReduce || hasAcc(it);
    std::vector<Lanes> lanes;
    if (reduces)
      hoist(index), lanes.push_back(makeLanes(index));
    emitMember(index, &lanes, step);
    if (reduces)
      finishReduction(lanes.front());
  }
}

SegmentEmitter::Lanes SegmentEmitter::makeLanes(Index index) {
  const Instruction &it = *flow[index].it;
  Lanes lanes{index, Reduction::Sum, DType::F32, nullptr, {}};
  if (it.opcode == Opcode::TensorReduce)
    lanes.reduction = *semantics::reductionOf(it.fn[0]);
  if (it.opcode == Opcode::GpsimdReduce) {
    lanes.reduction = semantics::reductionOf(it.reduce);
    lanes.compute = it.compute;
  }
  unsigned width = EmitScope::get().width;
  llvm::Value *identity = emitIdentity(lanes.reduction, lanes.compute)();
  lanes.regs.assign(width == 1 ? 1 : kLanes / width, identity);
  return lanes;
}

/// Computes before the loop what does not change in it.
void SegmentEmitter::hoist(Index index) {
  const InstructionFacts &fact = flow[index];
  const Instruction &it = *fact.it;
  unsigned width = EmitScope::get().width;
  for (unsigned s = 0; s < 3; ++s) {
    const Operand *tile = readBy(it, Slot(s));
    if (!tile)
      continue;
    Read read = schedule.read(index, Slot(s));
    Index source = fact.source[s];
    bool isSplatImage =
        read == Read::Image && simpleColumnStride(flow[source].it->hbm) == 0;
    if (isSingle(*tile) || isSplatImage) {
      if (width == 1)
        continue;
      Value value;
      {
        EmitScope single(builder, 1);
        value = isSplatImage ? loadElements(hbmPointer(source), tile->dtype, 1)
                             : singleOperand(index, Slot(s));
      }
      value.reg = builder.CreateVectorSplat(width, value.reg);
      hoisted[{index, s}] = value;
    } else if (read == Read::Image) {
      pointers[{index, s}] = hbmPointer(source);
    } else if (read == Read::Memory) {
      pointers[{index, s}] = sbufPointer(*tile, *fact.block);
    }
  }
  if (width == 1)
    return;
  if (it.opcode == Opcode::DmaLoad) {
    if (simpleColumnStride(it.hbm) == 0) {
      Value value;
      {
        EmitScope single(builder, 1);
        value = loadElements(hbmPointer(index), it.dst.dtype, 1);
      }
      value.reg = builder.CreateVectorSplat(width, value.reg);
      hoisted[{index, 0u}] = value;
    } else {
      pointers[{index, 0u}] = hbmPointer(index);
    }
  }
  if (it.opcode == Opcode::DmaStore)
    pointers[{index, kNumSlots}] = hbmPointer(index);
  else if (it.dst.isTile() && schedule.needsMemory(index))
    pointers[{index, kNumSlots}] = sbufPointer(it.dst, *fact.block);
}

void SegmentEmitter::emitVectorGroup(const Group &group) {
  EmitScope scope(builder, vectorWidth);
  std::vector<Lanes> lanes;
  for (Index index : group.members) {
    const Instruction &it = *flow[index].it;
    hoist(index);
    if (it.opcode == Opcode::TensorReduce ||
        it.opcode == Opcode::GpsimdReduce || hasAcc(it))
      lanes.push_back(makeLanes(index));
  }
  emitSteps(group, lanes);
  for (Lanes &reduction : lanes)
    finishReduction(reduction);
}

void SegmentEmitter::emitSteps(const Group &group, std::vector<Lanes> &lanes) {
  llvm::Value *zero = builder.getInt64(0);
  if (lanes.empty() || group.elems <= kReductionBlock)
    return emitColumns(group, lanes, zero, group.elems);
  for (Lanes &total : lanes)
    putInMemory(total);
  auto emitBlock = [&](llvm::Value *begin, int64_t count) {
    std::vector<Lanes> block;
    for (const Lanes &total : lanes)
      block.push_back(makeLanes(total.index));
    emitColumns(group, block, begin, count);
    for (size_t i = 0; i < lanes.size(); ++i)
      addBlock(lanes[i], block[i]);
  };
  int64_t rest = group.elems % kReductionBlock, whole = group.elems - rest;
  emitCountedLoop(
      zero, builder.getInt64(whole), kReductionBlock,
      [&](llvm::Value *begin) { emitBlock(begin, kReductionBlock); });
  if (rest)
    emitBlock(builder.getInt64(whole), rest);
}

/// The lanes of a block onto those of all blocks before it.
void SegmentEmitter::addBlock(Lanes &total, const Lanes &block) {
  unsigned width = EmitScope::get().width;
  EmitCombine combine = emitCombine(total.reduction, total.compute);
  auto load = [&](llvm::Value *memory, unsigned i) {
    return plain(loadElements(elementPointer(memory, total.compute,
                                             builder.getInt64(i * width)),
                              total.compute, width))
        .reg;
  };
  for (unsigned i = 0; i < kLanes / width; ++i) {
    llvm::Value *part = block.memory ? load(block.memory, i) : block.regs[i];
    storeElements(elementPointer(total.memory, total.compute,
                                 builder.getInt64(i * width)),
                  {combine(load(total.memory, i), part), total.compute}, width);
  }
}

/// The columns [first, first + columns); `first` is one of lane 0.
void SegmentEmitter::emitColumns(const Group &group, std::vector<Lanes> &lanes,
                                 llvm::Value *first, int64_t columns) {
  unsigned width = vectorWidth, size = 0;
  for (Index index : group.members)
    size += emittedSize(*flow[index].it);
  auto steps = static_cast<unsigned>(columns / width);
  auto rest = static_cast<unsigned>(columns % width);
  auto at = [&](int64_t column) {
    return builder.CreateAdd(first, builder.getInt64(column));
  };
  bool isShort = size <= kUnrollSize;

  // How many steps a trip of the loop makes.
  unsigned perTrip = 1;
  if (!lanes.empty() && (isShort || steps <= 1))
    perTrip = kLanes / width;
  else if (lanes.empty())
    while (perTrip < 4 && steps % (perTrip * 2) == 0 &&
           size * perTrip * 2 <= kUnrollSize)
      perTrip *= 2;
  bool lanesInMemory = !lanes.empty() && perTrip == 1;
  if (lanesInMemory)
    for (Lanes &reduction : lanes)
      putInMemory(reduction);

  unsigned trips = steps / perTrip;
  int64_t columnsPerTrip = int64_t(perTrip) * width;
  auto emitTrip = [&](llvm::Value *column, unsigned count) {
    for (unsigned s = 0; s < count; ++s)
      emitStep(
          group, lanes,
          {builder.CreateAdd(column, builder.getInt64(s * width)), s, width});
  };
  if (trips == 1) {
    emitTrip(first, perTrip);
  } else if (trips > 1) {
    emitLoopWithLanes(first, at(trips * columnsPerTrip), columnsPerTrip, lanes,
                      [&](llvm::Value *column) { emitTrip(column, perTrip); });
  }
  unsigned left = steps % perTrip;
  emitTrip(at(trips * columnsPerTrip), left);
  if (rest)
    emitStep(group, lanes, {at(int64_t(steps) * width), left, rest});
}

/// A loop over columns that carries the lanes which are in registers.
void SegmentEmitter::emitLoopWithLanes(
    llvm::Value *begin, llvm::Value *end, int64_t stepColumns,
    std::vector<Lanes> &lanes, const std::function<void(llvm::Value *)> &body) {
  std::vector<llvm::Value **> carried;
  for (Lanes &reduction : lanes)
    if (!reduction.memory)
      for (llvm::Value *&reg : reduction.regs)
        carried.push_back(&reg);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "columns", function);
  auto *after = llvm::BasicBlock::Create(context, "after_columns", function);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *column = builder.CreatePHI(builder.getInt64Ty(), 2, "column");
  column->addIncoming(begin, before);
  std::vector<llvm::PHINode *> phis;
  for (llvm::Value **reg : carried) {
    llvm::PHINode *phi = builder.CreatePHI((*reg)->getType(), 2);
    phi->addIncoming(*reg, before);
    *reg = phi;
    phis.push_back(phi);
  }
  body(column);
  llvm::BasicBlock *last = builder.GetInsertBlock();
  for (size_t i = 0; i < phis.size(); ++i)
    phis[i]->addIncoming(*carried[i], last);
  llvm::Value *next = builder.CreateAdd(column, builder.getInt64(stepColumns));
  column->addIncoming(next, last);
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), loop, after);
  builder.SetInsertPoint(after);
}

void SegmentEmitter::emitStep(const Group &group, std::vector<Lanes> &lanes,
                              const Step &step) {
  EmitScope &scope = EmitScope::get();
  registers.clear();
  images.clear();
  scope.mask = nullptr;
  if (step.count < scope.width) {
    std::vector<llvm::Constant *> mask;
    for (unsigned i = 0; i < scope.width; ++i)
      mask.push_back(builder.getInt1(i < step.count));
    scope.mask = llvm::ConstantVector::get(mask);
  }
  for (Index index : group.members)
    emitMember(index, &lanes, step);
  scope.mask = nullptr;
}

void SegmentEmitter::putInMemory(Lanes &lanes) {
  EmitScope &scope = EmitScope::get();
  llvm::Type *type =
      llvm::ArrayType::get(memoryType(lanes.compute, context), kLanes);
  llvm::AllocaInst *memory = emitAlloca(type, "lanes");
  memory->setAlignment(llvm::Align(64));
  lanes.memory = memory;
  for (unsigned i = 0; i < kLanes / scope.width; ++i)
    storeElements(elementPointer(memory, lanes.compute,
                                 builder.getInt64(i * scope.width)),
                  {lanes.regs[i], lanes.compute}, scope.width);
}

void SegmentEmitter::accumulate(Lanes &lanes, const Step &step,
                                llvm::Value *x) {
  EmitScope &scope = EmitScope::get();
  EmitCombine combine = emitCombine(lanes.reduction, lanes.compute);
  auto combined = [&](llvm::Value *old) {
    llvm::Value *next = combine(old, x);
    return scope.mask ? builder.CreateSelect(scope.mask, next, old) : next;
  };
  if (!lanes.memory) {
    llvm::Value *&reg = lanes.regs[step.laneVector];
    reg = combined(reg);
    return;
  }
  llvm::Value *lane = builder.CreateAnd(step.column, kLanes - 1);
  llvm::Value *pointer = elementPointer(lanes.memory, lanes.compute, lane);
  Value old = plain(loadElements(pointer, lanes.compute, scope.width));
  storeElements(pointer, {combined(old.reg), lanes.compute}, scope.width);
}

/// The tree over the lanes, as a plain value.
llvm::Value *SegmentEmitter::reduceLanes(Lanes &lanes) {
  EmitScope &scope = EmitScope::get();
  EmitCombine combine = emitCombine(lanes.reduction, lanes.compute);
  unsigned width = scope.width;
  if (width == 1) // the other lanes hold the identity
    return combine(lanes.regs[0],
                   emitIdentity(lanes.reduction, lanes.compute)());
  std::vector<llvm::Value *> &regs = lanes.regs;
  if (lanes.memory)
    for (unsigned i = 0; i < regs.size(); ++i)
      regs[i] = plain(loadElements(elementPointer(lanes.memory, lanes.compute,
                                                  builder.getInt64(i * width)),
                                   lanes.compute, width))
                    .reg;
  for (size_t s = regs.size() / 2; s; s /= 2)
    for (size_t i = 0; i < s; ++i)
      regs[i] = combine(regs[i], regs[i + s]);
  llvm::Value *last = regs[0];
  for (unsigned s = width / 2; s; s /= 2) {
    std::vector<int> upper(width, 0);
    for (unsigned i = 0; i < width; ++i)
      upper[i] = static_cast<int>((i + s) % width);
    last = combine(last, builder.CreateShuffleVector(last, upper));
  }
  return builder.CreateExtractElement(last, builder.getInt64(0));
}

void SegmentEmitter::finishReduction(Lanes &lanes) {
  llvm::Value *reduced = reduceLanes(lanes);
  EmitScope single(builder, 1);
  const InstructionFacts &fact = flow[lanes.index];
  const Instruction &it = *fact.it;
  bool intoAcc = it.opcode == Opcode::Activation;
  bool isGpsimd = it.opcode == Opcode::GpsimdReduce;
  const Operand &tile = intoAcc ? it.acc : it.dst;
  auto cast = [&](Value value, DType to) {
    return isGpsimd ? torchCast(value, to) : hardwareCast(value, to);
  };
  if (accumulatesOnto(it)) {
    Value old =
        singleOperand(lanes.index, intoAcc ? Slot::OldAcc : Slot::OldDst);
    reduced = emitCombine(lanes.reduction,
                          lanes.compute)(cast(old, lanes.compute).reg, reduced);
  }
  Value result = cast({reduced, lanes.compute, false}, tile.dtype);
  scalars[{lanes.index, intoAcc}] = result;
  if (schedule.needsMemory(lanes.index))
    storeElements(sbufPointer(tile, *fact.block), result, 1);
}

} // namespace neuron::simulator::compiled

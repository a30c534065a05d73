//===- SegmentEmitter.cpp - a segment as LLVM IR --------------------------===//
#include "runtime/simulator/compiled/SegmentEmitter.h"
#include "runtime/simulator/compiled/RowContext.h"

namespace neuron::simulator::compiled {
using namespace program;

SegmentEmitter::SegmentEmitter(llvm::Module &module, const Program &program,
                               const Segment &segment, const Dataflow &flow,
                               Schedule &schedule, unsigned vectorBits,
                               bool keepsSbuf)
    : module(module), context(module.getContext()), builder(context),
      program(program), segment(segment), flow(flow), schedule(schedule),
      vectorWidth(vectorBits / 16), keepsSbuf(keepsSbuf) {}

llvm::Value *SegmentEmitter::contextField(size_t offset, llvm::Type *type) {
  return builder.CreateLoad(
      type,
      builder.CreateConstGEP1_64(builder.getInt8Ty(), contextArgument, offset));
}

/// In the entry block, wherever the builder stands.
llvm::AllocaInst *SegmentEmitter::emitAlloca(llvm::Type *type,
                                             const char *name) {
  llvm::BasicBlock &entry = function->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

void SegmentEmitter::prepare(const Block &block) {
  groups[&block] = schedule.groupsOf(block);
  for (const Item &item : block.items)
    if (item.body)
      prepare(*item.body);
}

llvm::Function *SegmentEmitter::emit(const std::string &name) {
  prepare(segment.body);
  auto *type = llvm::FunctionType::get(
      builder.getInt64Ty(),
      {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt64Ty()}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name,
                                    module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  contextArgument = function->getArg(0);
  firstPartition = function->getArg(1);
  endPartition = function->getArg(2);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  stopped = llvm::BasicBlock::Create(context, "stopped", function);
  countersMemory = emitAlloca(
      llvm::ArrayType::get(builder.getInt64Ty(), kMaxLoopDepth), "counters");
  llvm::Value *outer =
      contextField(offsetof(RowContext, counters), builder.getPtrTy());
  for (unsigned i = 0; i < kMaxLoopDepth; ++i) {
    bool isOuter = i < segment.body.depth;
    llvm::Value *counter = builder.getInt64(0);
    if (isOuter)
      counter = builder.CreateLoad(
          builder.getInt64Ty(),
          builder.CreateConstGEP1_64(builder.getInt64Ty(), outer, i));
    counters.push_back(counter);
    builder.CreateStore(
        counters[i],
        builder.CreateConstGEP1_64(builder.getInt64Ty(), countersMemory, i));
  }
  if (canRunLoopByLoop())
    emitTopLevelByLoops();
  else
    emitPartitions(segment.body);
  builder.CreateRet(builder.getInt64(0));
  builder.SetInsertPoint(stopped);
  builder.CreateRet(builder.getInt64(1));
  return function;
}

void SegmentEmitter::emitReturnIf(llvm::Value *condition) {
  auto *next = llvm::BasicBlock::Create(context, "go_on", function);
  builder.CreateCondBr(condition, stopped, next);
  builder.SetInsertPoint(next);
}

void SegmentEmitter::emitCountedLoop(
    llvm::Value *begin, llvm::Value *end, int64_t step,
    const std::function<void(llvm::Value *)> &body) {
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "loop", function);
  auto *after = llvm::BasicBlock::Create(context, "after", function);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *i = builder.CreatePHI(builder.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  body(i);
  llvm::Value *next = builder.CreateAdd(i, builder.getInt64(step));
  i->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), loop, after);
  builder.SetInsertPoint(after);
}

//===----------------------------------------------------------------------===//
// Loops and partitions
//===----------------------------------------------------------------------===//

/// Elements of one pass, without inner loops: those poll themselves.
int64_t SegmentEmitter::costOf(const Block &block) const {
  int64_t cost = 16;
  for (const Item &item : block.items)
    if (item.instruction)
      cost += elementsOf(*item.instruction);
  return cost;
}

void SegmentEmitter::emitPoll(int64_t cost) {
  llvm::Value *field = builder.CreateConstGEP1_64(
      builder.getInt8Ty(), contextArgument, offsetof(RowContext, budget));
  llvm::Value *budget = builder.CreateSub(
      builder.CreateLoad(builder.getInt64Ty(), field), builder.getInt64(cost));
  builder.CreateStore(budget, field);
  auto *ask = llvm::BasicBlock::Create(context, "ask", function);
  auto *next = llvm::BasicBlock::Create(context, "polled", function);
  builder.CreateCondBr(builder.CreateICmpSLT(budget, builder.getInt64(0)), ask,
                       next);
  builder.SetInsertPoint(ask);
  auto *type = llvm::FunctionType::get(builder.getInt64Ty(),
                                       {builder.getPtrTy()}, false);
  llvm::Value *answer = builder.CreateCall(
      type, contextField(offsetof(RowContext, poll), builder.getPtrTy()),
      {contextArgument});
  builder.CreateCondBr(builder.CreateICmpNE(answer, builder.getInt64(0)),
                       stopped, next);
  builder.SetInsertPoint(next);
}

void SegmentEmitter::emitPartitions(const Block &block) {
  llvm::Value *sbuf =
      contextField(offsetof(RowContext, sbuf), builder.getPtrTy());
  llvm::Value *pitch =
      contextField(offsetof(RowContext, sbufPitch), builder.getInt64Ty());
  emitCountedLoop(firstPartition, endPartition, 1, [&](llvm::Value *p) {
    partition = p;
    sbufRow = builder.CreateGEP(builder.getInt8Ty(), sbuf,
                                builder.CreateMul(p, pitch));
    emitPoll(costOf(block));
    emitBlock(block);
  });
  partition = sbufRow = nullptr;
}

void SegmentEmitter::emitLoop(const Item &loop,
                              const std::function<void()> &body) {
  unsigned depth = loop.body->depth - 1;
  emitCountedLoop(builder.getInt64(0), builder.getInt64(loop.count), 1,
                  [&](llvm::Value *i) {
                    counters[depth] = i;
                    builder.CreateStore(
                        i, builder.CreateConstGEP1_64(builder.getInt64Ty(),
                                                      countersMemory, depth));
                    emitPoll(costOf(*loop.body));
                    body();
                  });
  counters[depth] = builder.getInt64(0);
}

/// Whether partitions can be the inner loop of the segment's loops: rows that
/// are neighbours in HBM then follow each other. What is outside of the loops
/// must be the same for all partitions, and nothing but that may enter or pass
/// through an iteration.
bool SegmentEmitter::canRunLoopByLoop() const {
  bool hasLoop = false;
  for (const Item &item : segment.body.items) {
    if (item.body) {
      hasLoop = true;
      if (!flow.hasOwnValues(*item.body))
        return false;
      continue;
    }
    if (!flow[static_cast<Index>(item.number - segment.firstNumber)].isUniform)
      return false;
  }
  return hasLoop && !keepsSbuf;
}

void SegmentEmitter::emitTopLevelByLoops() {
  partition = firstPartition;
  sbufRow = contextField(offsetof(RowContext, sbuf), builder.getPtrTy());
  for (const Group &group : groups.at(&segment.body)) {
    if (group.kind == Group::Kind::Loop) {
      llvm::Value *outerPartition = partition, *outerRow = sbufRow;
      emitLoop(*group.loop, [&] { emitPartitions(*group.loop->body); });
      partition = outerPartition, sbufRow = outerRow;
      continue;
    }
    emitGuarded({&group, 1});
  }
}

/// Consecutive groups of equal parts, behind one test of the partition.
void SegmentEmitter::emitGuarded(llvm::ArrayRef<Group> some) {
  unsigned parts = some.front().parts;
  llvm::BasicBlock *after = nullptr;
  if (parts < segment.parts) {
    auto *inside = llvm::BasicBlock::Create(context, "inside", function);
    after = llvm::BasicBlock::Create(context, "outside", function);
    builder.CreateCondBr(
        builder.CreateICmpSLT(partition, builder.getInt64(parts)), inside,
        after);
    builder.SetInsertPoint(inside);
  }
  for (const Group &group : some) {
    if (group.kind == Group::Kind::Step)
      emitStepCall(group.members.front());
    else
      emitGroup(group);
  }
  if (after) {
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }
}

void SegmentEmitter::emitBlock(const Block &block) {
  llvm::ArrayRef<Group> rest = groups.at(&block);
  while (!rest.empty()) {
    if (rest.front().kind == Group::Kind::Loop) {
      const Item &loop = *rest.front().loop;
      emitLoop(loop, [&] { emitBlock(*loop.body); });
      rest = rest.drop_front();
      continue;
    }
    auto some = rest.take_while([&](const Group &group) {
      return group.kind != Group::Kind::Loop &&
             group.parts == rest.front().parts;
    });
    emitGuarded(some);
    rest = rest.drop_front(some.size());
  }
}

void SegmentEmitter::emitStepCall(Index index) {
  auto *type =
      llvm::FunctionType::get(builder.getInt64Ty(),
                              {builder.getPtrTy(), builder.getInt64Ty(),
                               builder.getPtrTy(), builder.getInt64Ty()},
                              false);
  llvm::Value *stop = builder.CreateCall(
      type, contextField(offsetof(RowContext, step), builder.getPtrTy()),
      {contextArgument, builder.getInt64(index), countersMemory, partition});
  emitReturnIf(builder.CreateICmpNE(stop, builder.getInt64(0)));
}

} // namespace neuron::simulator::compiled

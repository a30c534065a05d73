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
  if (auto all = stretches())
    emitStretches(*all);
  else
    emitPartitions(costOf(segment.body), [&] { emitBlock(segment.body); });
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

void SegmentEmitter::emitPartitions(int64_t cost,
                                    const std::function<void()> &body) {
  llvm::Value *sbuf =
      contextField(offsetof(RowContext, sbuf), builder.getPtrTy());
  llvm::Value *pitch =
      contextField(offsetof(RowContext, sbufPitch), builder.getInt64Ty());
  emitCountedLoop(firstPartition, endPartition, 1, [&](llvm::Value *p) {
    partition = p;
    sbufRow = builder.CreateGEP(builder.getInt8Ty(), sbuf,
                                builder.CreateMul(p, pitch));
    emitPoll(cost);
    body();
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

/// The segment's own block as stretches that can each have a loop over the
/// partitions: a loop, or the groups between two. Nothing if a value passes
/// from one to another, unless it is the same for all partitions. Rows that are
/// neighbours in HBM then follow each other.
std::optional<std::vector<SegmentEmitter::Stretch>>
SegmentEmitter::stretches() const {
  llvm::ArrayRef<Group> rest = groups.at(&segment.body);
  std::vector<Stretch> result;
  std::vector<int> stretchOf(flow.size(), -1);
  auto add = [&](Index index) {
    stretchOf[index] = static_cast<int>(result.size()) - 1;
    result.back().isUniform &= flow[index].isUniform;
  };
  bool hasLoop = false;
  while (!rest.empty()) {
    result.emplace_back();
    Stretch &stretch = result.back();
    if (const Item *loop = rest.front().loop) {
      hasLoop = true;
      stretch = {loop, {}, false};
      forEachItem(*loop->body, [&](const Block &, const Item &item) {
        if (item.instruction)
          add(static_cast<Index>(item.number - segment.firstNumber));
      });
      rest = rest.drop_front();
      continue;
    }
    stretch.groups =
        rest.take_while([](const Group &group) { return !group.loop; });
    for (const Group &group : stretch.groups)
      for (Index index : group.members)
        add(index);
    rest = rest.drop_front(stretch.groups.size());
  }
  if (!hasLoop || keepsSbuf)
    return std::nullopt;
  for (Index i = 0; i < flow.size(); ++i)
    for (unsigned s = 0; s < kNumSlots; ++s) {
      if (schedule.isDropped(i) || !readBy(*flow[i].it, Slot(s)) ||
          schedule.read(i, Slot(s)) == Read::Image)
        continue;
      Index source = flow[i].source[s];
      if (source == kUnknown)
        return std::nullopt;
      int from = stretchOf[source], to = stretchOf[i];
      if (from == to)
        continue;
      if (from < 0 || !result[from].isUniform)
        return std::nullopt;
      // The next partition reads it again, so this one must not overwrite it.
      ByteRange range = bytesOf(*readBy(*flow[i].it, Slot(s)));
      for (Index j = 0; j < flow.size(); ++j)
        for (const Operand *written : {&flow[j].it->dst, &flow[j].it->acc})
          if (stretchOf[j] == to && written->isTile() &&
              bytesOf(*written).overlaps(range))
            return std::nullopt;
    }
  return result;
}

void SegmentEmitter::emitStretches(const std::vector<Stretch> &all) {
  llvm::Value *row =
      contextField(offsetof(RowContext, sbuf), builder.getPtrTy());
  for (const Stretch &stretch : all) {
    if (stretch.loop) {
      const Block &body = *stretch.loop->body;
      emitLoop(*stretch.loop,
               [&] { emitPartitions(costOf(body), [&] { emitBlock(body); }); });
    } else if (stretch.isUniform) {
      partition = firstPartition, sbufRow = row;
      emitGroups(stretch.groups);
    } else {
      emitPartitions(costOf(segment.body), [&] { emitGroups(stretch.groups); });
    }
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
  while (!some.empty()) {
    if (some.front().kind != Group::Kind::Step) {
      emitGroup(some.front());
      some = some.drop_front();
      continue;
    }
    // Neighbours in the program: what is beyond the limit may be thousands.
    Index first = some.front().members.front(), end = first;
    while (!some.empty() && some.front().kind == Group::Kind::Step &&
           some.front().members.front() == end) {
      ++end;
      some = some.drop_front();
    }
    emitStepCalls(first, end);
  }
  if (after) {
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }
}

void SegmentEmitter::emitGroups(llvm::ArrayRef<Group> rest) {
  while (!rest.empty()) {
    if (const Item *loop = rest.front().loop) {
      emitLoop(*loop, [&] { emitBlock(*loop->body); });
      rest = rest.drop_front();
      continue;
    }
    auto some = rest.take_while([&](const Group &group) {
      return !group.loop && group.parts == rest.front().parts;
    });
    emitGuarded(some);
    rest = rest.drop_front(some.size());
  }
}

void SegmentEmitter::emitBlock(const Block &block) {
  emitGroups(groups.at(&block));
}

void SegmentEmitter::emitStepCalls(Index first, Index end) {
  auto *type =
      llvm::FunctionType::get(builder.getInt64Ty(),
                              {builder.getPtrTy(), builder.getInt64Ty(),
                               builder.getPtrTy(), builder.getInt64Ty()},
                              false);
  auto call = [&](llvm::Value *index) {
    llvm::Value *stop = builder.CreateCall(
        type, contextField(offsetof(RowContext, step), builder.getPtrTy()),
        {contextArgument, index, countersMemory, partition});
    emitReturnIf(builder.CreateICmpNE(stop, builder.getInt64(0)));
  };
  if (end - first == 1)
    call(builder.getInt64(first));
  else
    emitCountedLoop(builder.getInt64(first), builder.getInt64(end), 1, call);
}

} // namespace neuron::simulator::compiled

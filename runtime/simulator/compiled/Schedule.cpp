//===- Schedule.cpp - which instructions share a loop ---------------------===//
#include "runtime/simulator/compiled/Schedule.h"
#include "runtime/simulator/compiled/EmitFunctions.h"
#include "runtime/simulator/compiled/HbmConflict.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// Groups among which an instruction looks for its place.
constexpr size_t kMaxRun = 64;

bool isReduction(const Instruction &it) {
  return it.opcode == Opcode::TensorReduce || it.opcode == Opcode::GpsimdReduce;
}

bool isArg(const Instruction &it) {
  using Reduce = Instruction::Reduce;
  return it.opcode == Opcode::GpsimdReduce &&
         (it.reduce == Reduce::ArgMax || it.reduce == Reduce::ArgMin);
}

/// What goes through a row by a program of its own.
bool isRowProgram(const Instruction &it) {
  return it.opcode == Opcode::GpsimdScan || it.opcode == Opcode::GpsimdSort ||
         it.opcode == Opcode::GpsimdRandom ||
         it.opcode == Opcode::TensorTensorScan;
}

/// The functions of an instruction, and what they compute in.
template <typename Visit>
void forEachFunction(const Instruction &it, Visit visit) {
  switch (it.opcode) {
  case Opcode::TensorTensor:
  case Opcode::Activation:
    visit(it.fn[0], DType::F32);
    break;
  case Opcode::TensorScalar:
  case Opcode::ScalarTensorTensor:
    visit(it.fn[0], DType::F32);
    if (it.src[2].kind != Operand::Kind::None)
      visit(it.fn[1], DType::F32);
    break;
  case Opcode::GpsimdElementwise:
    visit(it.fn[0], it.compute);
    break;
  default:
    break;
  }
}

bool isStrided(const Operand &operand) {
  return operand.isTile() && operand.elems > 1 && operand.stride > 1;
}

bool overlap(const Operand &a, const Operand &b) {
  return bytesOf(a).overlaps(bytesOf(b));
}

bool areSameElements(const Operand &a, const Operand &b, bool sameBlock) {
  bool sameRotation = a.buffers == b.buffers &&
                      (a.buffers == 1 || (sameBlock && a.pitch == b.pitch));
  return sameRotation && a.offset == b.offset && a.elems == b.elems &&
         program::bytesOf(a.dtype) == program::bytesOf(b.dtype) &&
         (a.stride == b.stride || a.elems == 1);
}

} // namespace

std::optional<int64_t> simpleColumnStride(const HbmAccess &access) {
  std::optional<int64_t> stride;
  int64_t size = 1;
  for (size_t i = access.colSizes.size(); i-- > 0;) {
    if (access.colSizes[i] == 1)
      continue;
    if (stride && access.colStrides[i] != size * *stride)
      return std::nullopt;
    if (!stride)
      stride = access.colStrides[i];
    size *= access.colSizes[i];
  }
  int64_t result = stride.value_or(0);
  return result == 0 || result == 1 ? std::optional(result) : std::nullopt;
}

unsigned emittedSize(const Instruction &it) {
  unsigned size = 8;
  forEachFunction(it, [&](Fn fn, DType compute) {
    static constexpr unsigned kSizes[] = {2, 2, 12, 50}; // by FnCost
    size += kSizes[static_cast<unsigned>(info(fn).cost)] *
            (program::bytesOf(compute) == 8 ? 2 : 1);
  });
  return size;
}

Schedule::Schedule(const Plan &plan, const Program &program,
                   const Segment &segment, const Dataflow &flow, unsigned limit)
    : plan(plan), program(program), segment(segment), flow(flow),
      storedMemory(program.tensors.size()), decisions(flow.size()) {
  unsigned size = 0;
  for (Index i = 0; i < flow.size(); ++i) {
    const Instruction &it = *flow[i].it;
    if (it.writesHbm())
      storedMemory[plan.memoryOf[it.hbm.tensor]] = true;
    size += emittedSize(it);
    decisions[i].isStep = size > limit || mustStep(it);
    decisions[i].needsMemory =
        flow[i].mayBeReadFromMemory || decisions[i].isStep;
  }
  for (Index i = 0; i < flow.size(); ++i)
    if (decisions[i].isStep)
      for (Index source : flow[i].source)
        if (source != kUnknown)
          decisions[source].needsMemory = true;
  for (Index i = 0; i < flow.size(); ++i) {
    Decision &decision = decisions[i];
    decision.isImage = !decision.isStep && canBeImage(*flow[i].it);
    decision.isDropped = decision.isImage && !decision.needsMemory;
  }
}

bool Schedule::mustStep(const Instruction &it) const {
  if (isArg(it) || it.isIndexed() || isRowProgram(it) || isStrided(it.dst) ||
      isStrided(it.src[0]) || isStrided(it.src[1]) || isStrided(it.src[2]))
    return true;
  if (it.isDma() && elementsOf(it) > 1 && !simpleColumnStride(it.hbm))
    return true;
  bool isCalled = false;
  forEachFunction(it, [&](Fn fn, DType compute) {
    isCalled |= emitFunction(fn, compute) == nullptr;
  });
  return isCalled;
}

bool Schedule::canBeImage(const Instruction &it) const {
  return it.opcode == Opcode::DmaLoad &&
         !storedMemory[plan.memoryOf[it.hbm.tensor]];
}

Schedule::Order Schedule::hbmOrder(const Instruction &i,
                                   const Instruction &j) const {
  if (!i.isDma() || !j.isDma() || (i.readsHbm() && j.readsHbm()) ||
      plan.memoryOf[i.hbm.tensor] != plan.memoryOf[j.hbm.tensor] ||
      haveDistinctColumns(i, j))
    return Order::Any;
  return Order::Later;
}

Schedule::Order Schedule::sbufOrder(Index i, Index j) const {
  const Instruction &first = *flow[i].it, &second = *flow[j].it;
  bool sameBlock = flow[i].block == flow[j].block;
  Order order = Order::Any;
  auto raise = [&](bool sameElements) {
    order = std::max(order, sameElements ? Order::SameColumn : Order::Later);
  };
  auto forEachRead = [&](const Instruction &it, auto visit) {
    for (unsigned s = 0; s < kNumSlots; ++s)
      if (const Operand *tile = readBy(it, Slot(s)))
        visit(s, *tile);
  };
  for (const Operand *written : {&first.dst, &first.acc}) {
    if (!written->isTile())
      continue;
    bool afterLoop = isReduction(first) || written == &first.acc;
    forEachRead(second, [&](unsigned slot, const Operand &tile) {
      if (!overlap(*written, tile))
        return;
      Index source = flow[j].source[slot];
      if (source == i)
        raise(!afterLoop);
      else if (source == kUnknown)
        raise(false);
    });
    if (!decisions[i].needsMemory)
      continue;
    for (const Operand *next : {&second.dst, &second.acc})
      if (next->isTile() && overlap(*written, *next))
        raise(!afterLoop && areSameElements(*written, *next, sameBlock));
  }
  forEachRead(first, [&](unsigned slot, const Operand &tile) {
    if (decisions[i].reads[slot] != Read::Memory && !decisions[i].isStep)
      return;
    for (const Operand *next : {&second.dst, &second.acc})
      if (next->isTile() && overlap(tile, *next))
        raise(!isSingle(tile) && !isReduction(second) &&
              areSameElements(tile, *next, sameBlock));
  });
  return order;
}

Schedule::Order Schedule::orderOf(Index i, Index j) const {
  return std::max(sbufOrder(i, j), hbmOrder(*flow[i].it, *flow[j].it));
}

void Schedule::decideReads(Index j) {
  Decision &decision = decisions[j];
  for (unsigned s = 0; s < kNumSlots; ++s) {
    Index source = flow[j].source[s];
    if (!readBy(*flow[j].it, Slot(s)) || source == kUnknown || decision.isStep)
      continue;
    Decision &from = decisions[source];
    const Instruction &maker = *flow[source].it;
    bool isScalar = isSingle(*readBy(*flow[j].it, Slot(s)));
    if (from.isImage)
      decision.reads[s] = Read::Image;
    else if (from.group == decision.group)
      decision.reads[s] = Read::Register;
    else if (isScalar && !from.isStep && maker.parts >= segment.parts)
      decision.reads[s] = Read::Scalar;
    else
      from.needsMemory = true;
  }
}

void Schedule::place(Index j, std::vector<Group> &groups, size_t runStart,
                     int base) {
  const Instruction &it = *flow[j].it;
  Group wanted{.elems = elementsOf(it), .parts = it.parts};
  wanted.kind = decisions[j].isStep ? Group::Kind::Step
                : wanted.elems == 1 ? Group::Kind::Scalar
                                    : Group::Kind::Vector;
  size_t earliest = runStart;
  for (size_t g = runStart; g < groups.size(); ++g)
    for (Index i : groups[g].members) {
      Order order = orderOf(i, j);
      if (order != Order::Any)
        earliest = std::max(earliest, g + (order == Order::Later));
    }
  size_t chosen = groups.size();
  if (wanted.kind != Group::Kind::Step)
    for (size_t g = earliest; g < groups.size(); ++g)
      if (groups[g].kind == wanted.kind && groups[g].elems == wanted.elems &&
          groups[g].parts == wanted.parts) {
        chosen = g;
        break;
      }
  if (chosen == groups.size())
    groups.push_back(wanted);
  groups[chosen].members.push_back(j);
  decisions[j].group = base + static_cast<int>(chosen);
  decideReads(j);
}

std::vector<Group> Schedule::groupsOf(const Block &block) {
  std::vector<Group> groups;
  size_t runStart = 0;
  int base = nextGroup;
  for (const Item &item : block.items) {
    if (item.body) {
      groups.push_back({.kind = Group::Kind::Loop, .loop = &item});
      runStart = groups.size();
      continue;
    }
    Index index = static_cast<Index>(item.number - segment.firstNumber);
    // Placing looks at all pairs of a run.
    if (groups.size() - runStart > kMaxRun)
      runStart = groups.size();
    if (!decisions[index].isDropped)
      place(index, groups, runStart, base);
  }
  nextGroup += static_cast<int>(groups.size());
  return groups;
}

} // namespace neuron::simulator::compiled

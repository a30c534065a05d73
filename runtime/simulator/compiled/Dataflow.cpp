//===- Dataflow.cpp - which instruction made a tile's value ---------------===//
#include "runtime/simulator/compiled/Dataflow.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// How many items a search looks at before it gives up: programs may be long.
constexpr int kSearchLimit = 512;

template <typename Visit>
void forEachWrite(const Instruction &it, Visit visit) {
  if (it.dst.isTile())
    visit(it.dst);
  if (it.acc.isTile())
    visit(it.acc);
}

bool writesInto(const Item &item, const ByteRange &range) {
  bool found = false;
  auto look = [&](const Instruction &it) {
    forEachWrite(it, [&](const Operand &tile) {
      found |= bytesOf(tile).overlaps(range);
    });
  };
  if (item.instruction)
    look(*item.instruction);
  else
    forEachItem(*item.body, [&](const Block &, const Item &inner) {
      if (inner.instruction)
        look(*inner.instruction);
    });
  return found;
}

/// Whether what `written` holds is what `read` asks for, in one iteration of
/// the block that both rotate in.
bool isExactly(const Operand &written, const Operand &read, bool sameBlock) {
  bool sameElements = isSingle(read)
                          ? written.elems == 1
                          : written.elems == read.elems &&
                                written.stride == 1 && read.stride == 1;
  bool sameRotation =
      written.buffers == read.buffers &&
      (read.buffers == 1 || (sameBlock && written.pitch == read.pitch));
  return sameElements && sameRotation && written.offset == read.offset &&
         written.dtype == read.dtype;
}

} // namespace

const Operand *readBy(const Instruction &it, Slot slot) {
  const Operand *operand = nullptr;
  bool accumulates = it.accumulate == Accumulate::Yes;
  switch (slot) {
  case Slot::Src0:
  case Slot::Src1:
  case Slot::Src2:
    operand = &it.src[static_cast<unsigned>(slot)];
    break;
  case Slot::OldDst:
    operand = accumulates && it.opcode != Opcode::Activation &&
                      it.opcode != Opcode::GpsimdScan
                  ? &it.dst
                  : nullptr;
    break;
  case Slot::OldAcc:
    operand = accumulates ? &it.acc : nullptr;
    break;
  }
  return operand && operand->isTile() ? operand : nullptr;
}

ByteRange bytesOf(const Operand &tile) {
  int64_t bytes = program::bytesOf(tile.dtype);
  int64_t reach = (int64_t(tile.elems) - 1) * tile.stride + 1;
  return {tile.offset, int64_t(tile.offset) + reach * bytes +
                           int64_t(tile.buffers - 1) * tile.pitch};
}

Dataflow::Dataflow(const Segment &segment) : firstNumber(segment.firstNumber) {
  forEachItem(segment.body, [&](const Block &block, const Item &item) {
    if (!item.instruction)
      return;
    InstructionFacts &fact = facts.emplace_back();
    fact.it = item.instruction;
    fact.block = &block;
    fact.position = static_cast<size_t>(&item - block.items.data());
    forEachWrite(*item.instruction, [&](const Operand &tile) {
      allWrites.push_back(bytesOf(tile));
    });
  });
  // In the order of the text, so that uniformity is known of what comes before.
  for (Index i = 0; i < size(); ++i) {
    InstructionFacts &fact = facts[i];
    for (unsigned s = 0; s < kNumSlots; ++s) {
      const Operand *tile = readBy(*fact.it, Slot(s));
      if (!tile)
        continue;
      fact.source[s] =
          resolve(*fact.block, fact.position, *tile, fact.it->parts);
      if (fact.source[s] == kUnknown)
        unresolvedReads.push_back(bytesOf(*tile));
    }
    fact.isUniform = isUniform(i);
  }
  addOutsideReads(unresolvedReads);
}

void Dataflow::addOutsideReads(const std::vector<ByteRange> &reads) {
  for (InstructionFacts &fact : facts)
    forEachWrite(*fact.it, [&](const Operand &tile) {
      ByteRange range = bytesOf(tile);
      for (const ByteRange &read : reads)
        fact.mayBeReadFromMemory |= range.overlaps(read);
    });
}

Index Dataflow::resolve(const Block &block, size_t position,
                        const Operand &tile, unsigned parts) const {
  ByteRange range = bytesOf(tile);
  const Block *at = &block;
  for (int steps = 0;;) {
    while (position-- > 0) {
      const Item &item = at->items[position];
      if (++steps > kSearchLimit)
        return kUnknown;
      if (!writesInto(item, range))
        continue;
      if (!item.instruction || item.instruction->parts < parts)
        return kUnknown;
      // What overlaps must be one write, and exactly the tile.
      int overlapping = 0, exact = 0;
      forEachWrite(*item.instruction, [&](const Operand &written) {
        overlapping += bytesOf(written).overlaps(range);
        exact += isExactly(written, tile, at == &block);
      });
      return overlapping == 1 && exact == 1
                 ? static_cast<Index>(item.number - firstNumber)
                 : kUnknown;
    }
    if (!at->parent)
      return kUnknown;
    // Another iteration must not have written it either.
    for (const Item &item : at->items)
      if (++steps > kSearchLimit || writesInto(item, range))
        return kUnknown;
    position = at->indexInParent;
    at = at->parent;
  }
}

bool Dataflow::isUniform(Index index) const {
  const InstructionFacts &fact = facts[index];
  const Instruction &it = *fact.it;
  if (it.writesHbm() || it.opcode == Opcode::DmaGather ||
      (it.opcode == Opcode::GpsimdRandom && it.rowStep != 0) ||
      (it.opcode == Opcode::Iota && it.rowStep != 0))
    return false;
  if (it.opcode == Opcode::DmaLoad)
    for (size_t i = 0; i < it.hbm.rowSizes.size(); ++i)
      if (it.hbm.rowSizes[i] > 1 && it.hbm.rowStrides[i] != 0)
        return false;
  for (unsigned s = 0; s < kNumSlots; ++s)
    if (readBy(it, Slot(s)) &&
        (fact.source[s] == kUnknown || !facts[fact.source[s]].isUniform))
      return false;
  return true;
}

} // namespace neuron::simulator::compiled

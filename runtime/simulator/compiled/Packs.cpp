//===- Packs.cpp - operands of matmuls that stay packed -------------------===//
#include "runtime/simulator/compiled/Packs.h"
#include "runtime/simulator/compiled/Dataflow.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// Floats of the slots of a kernel: as much as the host's caches of the last
/// level, about. What is packed and falls out of them costs what packing costs.
constexpr size_t kMaxFloats = size_t(8) << 20;
/// To begin on a line of the cache.
constexpr size_t kAlignment = 16;

class Planner {
public:
  Planner(const Plan &plan, PackPlan &result) : plan(plan), result(result) {}

  void run(const KernelPlan &kernel) {
    found.clear();
    visit(kernel.phases);
    size_t firstSlot = result.slots.size(), floats = 0;
    for (Found *one : inOrder) {
      if (one->times < 2)
        continue;
      size_t size = one->isStationary
                        ? tensor::stationaryFloats(one->parts, one->tile.elems)
                        : tensor::movingFloats(one->parts, one->tile.elems);
      size = (size + kAlignment - 1) / kAlignment * kAlignment;
      if (floats + size > kMaxFloats)
        continue;
      int slot = static_cast<int>(result.slots.size());
      result.slots.push_back(
          {one->tile, one->parts, one->isStationary, floats});
      floats += size;
      for (auto [run, index] : one->users) {
        PackUse &use = result.uses[run][index];
        (one->isStationary ? use.stationary : use.moving) = slot;
      }
    }
    result.floats = std::max(result.floats, floats);
    inOrder.clear();
    for (size_t i = kernel.firstSegment; i < kernel.endSegment; ++i)
      for (size_t slot = firstSlot; slot < result.slots.size(); ++slot)
        if (writesInto(writesOf(i), bytesOf(result.slots[slot].tile)))
          result.endedBy[i].push_back(static_cast<int>(slot));
  }

private:
  struct Found {
    Operand tile;
    unsigned parts = 0;
    bool isStationary = false;
    unsigned times = 0; ///< that it is read, with its loops, up to a few
    std::vector<std::pair<size_t, size_t>> users; ///< run, instruction
  };
  using Ranges = std::vector<ByteRange>;

  static bool writesInto(const Ranges &writes, const ByteRange &range) {
    return std::any_of(
        writes.begin(), writes.end(),
        [&](const ByteRange &write) { return write.overlaps(range); });
  }

  const Ranges &writesOf(size_t segment) {
    auto [at, isNew] = written.try_emplace(segment);
    if (isNew)
      forEachItem(plan.segments[segment]->body,
                  [&](const Block &, const Item &item) {
                    if (!item.instruction)
                      return;
                    for (const Operand *tile :
                         {&item.instruction->dst, &item.instruction->acc})
                      if (tile->isTile() && !tile->isInPsum())
                        at->second.push_back(bytesOf(*tile));
                  });
    return at->second;
  }

  /// Returns what the phases write to.
  Ranges visit(const std::vector<Phase> &phases, bool isLoop = false) {
    Ranges writes;
    for (const Phase &phase : phases) {
      Ranges own;
      if (phase.kind == Phase::Kind::Segment)
        own = writesOf(phase.index);
      else if (phase.kind == Phase::Kind::Loop)
        own = visit(phase.body, phase.count > 1);
      writes.insert(writes.end(), own.begin(), own.end());
    }
    for (const Phase &phase : phases)
      if (phase.kind == Phase::Kind::Tensor)
        addRun(phase.index, isLoop, writes);
    return writes;
  }

  /// Products read what is in SBUF, and never write there (P26).
  void addRun(size_t run, bool isLoop, const Ranges &writesOfLoop) {
    const auto &instructions = plan.tensorRuns[run].instructions;
    for (size_t i = 0; i < instructions.size(); ++i) {
      const Instruction &it = *instructions[i].instruction;
      if (it.opcode != Opcode::Matmul ||
          tensor::isUnpacked(it.src[0].elems, it.src[0].dtype))
        continue;
      for (bool isStationary : {true, false}) {
        const Operand &tile = it.src[isStationary ? 0 : 1];
        auto [at, isNew] = found.try_emplace(
            std::tuple(tile.offset, tile.elems, tile.buffers, tile.pitch,
                       tile.dtype, it.parts, isStationary));
        Found &one = at->second;
        if (isNew) {
          one.tile = tile, one.parts = it.parts;
          one.isStationary = isStationary;
          inOrder.push_back(&one);
        }
        bool stays = isLoop && tile.buffers == 1 &&
                     !writesInto(writesOfLoop, bytesOf(tile));
        one.times += stays ? 2 : 1;
        one.users.emplace_back(run, i);
      }
    }
  }

  const Plan &plan;
  PackPlan &result;
  std::map<
      std::tuple<uint32_t, uint32_t, uint16_t, uint32_t, DType, uint16_t, bool>,
      Found>
      found;
  std::vector<Found *> inOrder;
  std::map<size_t, Ranges> written; ///< by segment
};

} // namespace

PackPlan planPacks(const Plan &plan) {
  PackPlan result;
  for (const TensorRun &run : plan.tensorRuns)
    result.uses.emplace_back(run.instructions.size());
  result.endedBy.resize(plan.segments.size());
  for (const KernelPlan &kernel : plan.kernels)
    if (kernel.firstTensorRun != kernel.endTensorRun)
      Planner(plan, result).run(kernel);
  return result;
}

void Packs::need(int slot, const Executed &it, const tensor::OperandTile &tile,
                 Missing &missing) {
  if (slot == kNoSlot)
    return;
  const PackSlot &of = plan.slots[slot];
  uint32_t at = it.offsetOf(of.tile);
  if (heldAt[slot] == at)
    return;
  heldAt[slot] = at;
  missing.todo.push_back({tile, of.isStationary, memory + of.begin});
}

void Packs::Missing::pack(size_t index) const {
  const Todo &it = todo[index];
  (it.isStationary ? tensor::packStationary : tensor::packMoving)(
      it.tile, it.into, tensor::hostKernels());
}

Packs::Missing Packs::claim(size_t run,
                            std::span<const PackedProduct> products) {
  Missing missing;
  for (const PackedProduct &product : products) {
    const PackUse &use = plan.uses[run][product.index];
    need(use.stationary, product.it, product.stationary.tile, missing);
    need(use.moving, product.it, product.moving.tile, missing);
  }
  return missing;
}

tensor::PackedOperands Packs::get(size_t run, size_t index) const {
  auto floats = [&](int slot) {
    return slot == kNoSlot ? nullptr : memory + plan.slots[slot].begin;
  };
  const PackUse &use = plan.uses[run][index];
  return {floats(use.stationary), floats(use.moving)};
}

} // namespace neuron::simulator::compiled

//===- Liveness.cpp - bytes that will be read -----------------------------===//
//
// Backwards over the phases; loops until nothing is added. A tile that rotates
// over buffers means another buffer in each iteration of its loop: within an
// iteration it is told from others by its rotation, and at the loop's ends it
// is all of its buffers.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/compiled/Liveness.h"
#include "runtime/program/Opcodes.h"
#include "runtime/simulator/compiled/Dataflow.h"
#include <algorithm>
#include <map>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// Phases of a kernel beyond which the analysis would take too long.
constexpr size_t kMaxPhases = 4096;
/// Rounds of a loop; each adds what one more iteration reads.
constexpr int kMaxRounds = 8;

/// Bytes that are read. `loop`: which one the tile rotates in; null if in none.
struct Live {
  ByteRange range; ///< of the first buffer
  unsigned parts;  ///< partitions that are read
  const Phase *loop = nullptr;
  uint16_t buffers = 1;
  uint32_t pitch = 0;

  ByteRange span() const {
    return {range.begin, range.end + int64_t(buffers - 1) * pitch};
  }
};
using LiveSet = std::vector<Live>;

bool covers(const ByteRange &outer, const ByteRange &inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

std::vector<ByteRange> merged(std::vector<ByteRange> ranges) {
  std::sort(
      ranges.begin(), ranges.end(),
      [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> result;
  for (const ByteRange &range : ranges)
    if (!result.empty() && range.begin <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  return result;
}

std::vector<ByteRange> spansOf(const LiveSet &live) {
  std::vector<ByteRange> spans;
  for (const Live &one : live)
    spans.push_back(one.span());
  return merged(std::move(spans));
}

/// Those that do not rotate, merged; of those that do, one of a kind.
LiveSet compacted(const LiveSet &live) {
  std::map<unsigned, std::vector<ByteRange>> plain; // by parts
  LiveSet rotating;
  for (const Live &one : live) {
    bool isKnown =
        std::any_of(rotating.begin(), rotating.end(), [&](const Live &other) {
          return other.loop == one.loop && other.buffers == one.buffers &&
                 other.pitch == one.pitch && other.parts >= one.parts &&
                 covers(other.range, one.range);
        });
    if (one.buffers == 1)
      plain[one.parts].push_back(one.range);
    else if (!isKnown)
      rotating.push_back(one);
  }
  LiveSet result;
  for (auto &[parts, ranges] : plain)
    for (const ByteRange &range : merged(std::move(ranges)))
      result.push_back({range, parts});
  result.insert(result.end(), rotating.begin(), rotating.end());
  return result;
}

/// As another iteration sees it: any of the buffers.
LiveSet outside(const LiveSet &live) {
  LiveSet plain;
  for (const Live &one : live)
    plain.push_back({one.span(), one.parts});
  return compacted(plain);
}

bool equal(const LiveSet &a, const LiveSet &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Live &x, const Live &y) {
                      return x.range.begin == y.range.begin &&
                             x.range.end == y.range.end && x.parts == y.parts;
                    });
}

class Analysis {
public:
  Analysis(Plan &plan, unsigned parts) : plan(plan), parts(parts) {}

  /// Of what is live behind the phases, makes what is before them. False if a
  /// loop came to no end.
  bool visit(const std::vector<Phase> &phases, const Phase *loop,
             LiveSet &live) {
    for (size_t i = phases.size(); i-- > 0;) {
      const Phase &phase = phases[i];
      if (phase.kind == Phase::Kind::Loop) {
        if (!visitLoop(phase, live))
          return false;
      } else if (phase.kind == Phase::Kind::Tensor) {
        const auto &instructions = plan.tensorRuns[phase.index].instructions;
        for (size_t j = instructions.size(); j-- > 0;)
          pass(*instructions[j].instruction, loop, live);
      } else {
        visitSegment(*plan.segments[phase.index], loop, live);
      }
    }
    return true;
  }

private:
  bool visitLoop(const Phase &loop, LiveSet &live) {
    LiveSet behind = outside(live);
    for (int round = 0; round < kMaxRounds; ++round) {
      live = behind;
      if (!visit(loop.body, &loop, live))
        return false;
      live = outside(live);
      LiveSet next = live;
      next.insert(next.end(), behind.begin(), behind.end());
      next = compacted(next);
      if (loop.count == 1 || equal(next, behind))
        return true;
      behind = std::move(next);
    }
    return false;
  }

  void visitSegment(Segment &segment, const Phase *loop, LiveSet &live) {
    std::vector<ByteRange> all;
    if (segment.isMoves) {
      // In the middle of it more may be live than at its ends.
      all = spansOf(live);
      const auto &items = segment.body.items;
      for (size_t i = items.size(); i-- > 0;) {
        pass(*items[i].instruction, loop, live);
        for (const Live &one : live)
          all.push_back(one.span());
      }
    } else {
      for (const Item &item : segment.body.items)
        if (item.instruction)
          for (const Operand *tile :
               {&item.instruction->dst, &item.instruction->acc})
            kill(*tile, item.instruction->parts, loop, live);
      for (const ByteRange &range : segment.reads)
        live.push_back({range, parts});
    }
    live = compacted(live);
    for (const Live &one : live)
      all.push_back(one.span());
    segment.live = merged(std::move(all));
  }

  void pass(const Instruction &it, const Phase *loop, LiveSet &live) {
    kill(it.dst, dstPartsOf(it), loop, live);
    for (unsigned s = 0; s < kNumSlots; ++s)
      if (const Operand *tile = readBy(it, Slot(s)))
        add(*tile, readParts(it, Slot(s)), loop, live);
  }

  /// What a matmul accumulates onto has as many partitions as its result.
  static unsigned readParts(const Instruction &it, Slot slot) {
    return slot == Slot::OldDst ? dstPartsOf(it) : it.parts;
  }

  static void add(const Operand &tile, unsigned parts, const Phase *loop,
                  LiveSet &live) {
    if (tile.buffers == 1) {
      live.push_back({bytesOf(tile), parts});
      return;
    }
    Operand first = tile;
    first.buffers = 1;
    live.push_back({bytesOf(first), parts, loop, tile.buffers, tile.pitch});
  }

  void kill(const Operand &tile, unsigned writtenParts, const Phase *loop,
            LiveSet &live) const {
    if (!tile.isTile() || (tile.stride != 1 && tile.elems > 1))
      return;
    Operand first = tile;
    first.buffers = 1;
    ByteRange range = bytesOf(first);
    LiveSet left;
    for (const Live &one : live) {
      if (writtenParts < one.parts) {
        left.push_back(one);
      } else if (tile.buffers > 1) {
        bool isSame = one.buffers == tile.buffers && one.pitch == tile.pitch &&
                      one.loop == loop && covers(range, one.range);
        if (!isSame)
          left.push_back(one);
      } else if (one.buffers > 1 || !one.range.overlaps(range)) {
        if (!covers(range, one.span()))
          left.push_back(one);
      } else {
        if (one.range.begin < range.begin)
          left.push_back({{one.range.begin, range.begin}, one.parts});
        if (range.end < one.range.end)
          left.push_back({{range.end, one.range.end}, one.parts});
      }
    }
    live = std::move(left);
  }

  Plan &plan;
  unsigned parts; ///< the most that an instruction of the kernel has
};

size_t countOf(const std::vector<Phase> &phases) {
  size_t count = phases.size();
  for (const Phase &phase : phases)
    count += countOf(phase.body);
  return count;
}

} // namespace

bool isLive(const std::vector<ByteRange> &live, const ByteRange &range) {
  auto at = std::lower_bound(live.begin(), live.end(), range,
                             [](const ByteRange &one, const ByteRange &other) {
                               return one.end <= other.begin;
                             });
  return at != live.end() && at->overlaps(range);
}

void analyseLiveness(Plan &plan, KernelPlan &kernel) {
  if (kernel.firstTensorRun == kernel.endTensorRun ||
      countOf(kernel.phases) > kMaxPhases)
    return;
  unsigned parts = 0;
  for (size_t i = kernel.firstSegment; i < kernel.endSegment; ++i)
    parts = std::max(parts, plan.segments[i]->parts);
  for (size_t i = kernel.firstTensorRun; i < kernel.endTensorRun; ++i)
    for (const Executed &it : plan.tensorRuns[i].instructions)
      parts = std::max({parts, unsigned(it.instruction->parts),
                        dstPartsOf(*it.instruction)});
  LiveSet live;
  kernel.hasLiveness =
      Analysis(plan, parts).visit(kernel.phases, nullptr, live);
}

} // namespace neuron::simulator::compiled

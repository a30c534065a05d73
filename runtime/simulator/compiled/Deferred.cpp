//===- Deferred.cpp - moves that have not been made -----------------------===//
#include "runtime/simulator/compiled/Deferred.h"
#include "runtime/program/Opcodes.h"
#include "runtime/simulator/HbmWindow.h"
#include "runtime/simulator/Strided.h"
#include "runtime/simulator/compiled/Dataflow.h"
#include "runtime/simulator/compiled/Liveness.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;
using tensor::OperandTile;

namespace {

/// Columns of a turned tile that are made at a time.
constexpr unsigned kTurnUnit = 16;

/// `Unit` bytes at a time; the last ones begin where they end with the run.
template <int64_t Unit>
void copyUnits(uint8_t *to, const uint8_t *from, int64_t bytes) {
  for (int64_t at = 0; at < bytes - Unit; at += Unit)
    std::memcpy(to + at, from + at, Unit);
  std::memcpy(to + bytes - Unit, from + bytes - Unit, Unit);
}

/// A run of a convolution's window is some dozens of bytes: a call would take
/// longer.
void copyRun(uint8_t *to, const uint8_t *from, int64_t bytes) {
  if (bytes > 512)
    std::memcpy(to, from, bytes);
  else if (bytes >= 32)
    copyUnits<32>(to, from, bytes);
  else if (bytes >= 8)
    copyUnits<8>(to, from, bytes);
  else
    copyUnits<1>(to, from, bytes);
}

/// The window of a load.
class HbmRows final : public tensor::RowReader {
public:
  HbmRows(const Executed &it, const uint8_t *tensor)
      : window(it.instruction->hbm, it, elementsOf(*it.instruction)),
        tensor(tensor), bytes(program::bytesOf(it.instruction->dst.dtype)) {}

  const uint8_t *read(int64_t row, int64_t first, unsigned count,
                      uint8_t *scratch) const override {
    const uint8_t *inPlace = nullptr;
    window.forEachRun(row, first, first + count, [&](const HbmRun &run) {
      const uint8_t *from = tensor + run.offset * bytes;
      if (run.stride == 1 && run.count == count)
        inPlace = from;
      else if (run.stride == 1)
        copyRun(scratch + (run.firstColumn - first) * bytes, from,
                run.count * bytes);
      else
        moveElements(bytes, from, run.stride,
                     scratch + (run.firstColumn - first) * bytes, 1, run.count);
      return true;
    });
    return inPlace ? inPlace : scratch;
  }

private:
  HbmWindow window;
  const uint8_t *tensor;
  unsigned bytes;
};

/// Turned tiles whose columns follow each other, as one: its matrix has the
/// rows of all of theirs.
class Pieces final : public tensor::RowReader {
public:
  void add(OperandTile tile, std::shared_ptr<const tensor::RowReader> reader) {
    unsigned end = (pieces.empty() ? 0 : pieces.back().end) + tile.width;
    pieces.push_back({tile, std::move(reader), end});
  }
  unsigned width() const { return pieces.back().end; }

  const uint8_t *read(int64_t row, int64_t first, unsigned count,
                      uint8_t *scratch) const override {
    auto at = std::find_if(pieces.begin(), pieces.end(), [&](const Piece &one) {
      return row < int64_t(one.end);
    });
    int64_t begin = at->end - at->tile.width;
    return at->tile.read(static_cast<unsigned>(row - begin),
                         static_cast<unsigned>(first), count, scratch);
  }

private:
  struct Piece {
    OperandTile tile;
    std::shared_ptr<const tensor::RowReader> reader;
    unsigned end; ///< of its columns
  };
  std::vector<Piece> pieces;
};

bool covers(const ByteRange &outer, const ByteRange &inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

bool overlapsAny(const std::vector<ByteRange> &ranges, const ByteRange &range) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const ByteRange &other) {
    return other.overlaps(range);
  });
}

} // namespace

ByteRange Deferred::rangeOf(const Executed &it, const Operand &tile) {
  int64_t begin = it.offsetOf(tile), bytes = program::bytesOf(tile.dtype);
  return {begin, begin + ((int64_t(tile.elems) - 1) * tile.stride + 1) * bytes};
}

void Deferred::begin(const KernelPlan &next) {
  moves.clear();
  kernel = &next;
}

void Deferred::enter(const Segment &segment) {
  if (kernel->hasLiveness)
    std::erase_if(moves, [&](const Move &move) {
      return !isLive(segment.live, move.range);
    });
}

bool Deferred::isOperand(ByteRange range) const {
  return range.begin >= kPsumBase || overlapsAny(kernel->operands, range);
}

void Deferred::make(const Move &move) {
  uint8_t *to = sbuf + move.range.begin;
  const OperandTile &tile = move.from;
  if (!tile.isTurned) {
    share(tile.k, [&](unsigned begin, unsigned end) {
      OperandTile part = tile;
      part.row += begin, part.k = end - begin;
      tensor::copyTile(part, to + begin * pitch, pitch);
    });
    return;
  }
  share((tile.width + kTurnUnit - 1) / kTurnUnit,
        [&](unsigned begin, unsigned end) {
          begin *= kTurnUnit, end = std::min(end * kTurnUnit, tile.width);
          tensor::copyTile(tile.columns(begin, end),
                           to + begin * program::bytesOf(tile.dtype), pitch);
        });
}

template <typename Predicate> void Deferred::makeIf(Predicate isWanted) {
  std::erase_if(moves, [&](const Move &move) {
    if (!isWanted(move))
      return false;
    make(move);
    return true;
  });
}

void Deferred::beforeRead(ByteRange range) {
  makeIf([&](const Move &move) { return move.range.overlaps(range); });
}

void Deferred::beforeWrite(ByteRange range, unsigned parts, bool isAll) {
  makeIf([&](const Move &move) {
    return move.base.overlaps(range) ||
           (move.range.overlaps(range) &&
            !(isAll && parts >= move.from.k && covers(range, move.range)));
  });
  std::erase_if(moves,
                [&](const Move &move) { return move.range.overlaps(range); });
}

void Deferred::beforeStore(uint32_t tensor) {
  makeIf([&](const Move &move) {
    return move.reader && move.memory == plan.memoryOf[tensor];
  });
}

std::optional<Deferred::Move>
Deferred::find(ByteRange range, const Operand &tile, unsigned parts) {
  for (const Move &move : moves) {
    if (!move.range.overlaps(range))
      continue;
    int64_t bytes = program::bytesOf(tile.dtype),
            before = range.begin - move.range.begin;
    if (!covers(move.range, range) || move.from.dtype != tile.dtype ||
        before % bytes != 0 || move.from.k < parts ||
        (tile.stride != 1 && tile.elems > 1))
      break;
    Move part = move;
    auto first = static_cast<unsigned>(before / bytes);
    part.from = move.from.columns(first, first + tile.elems);
    part.from.k = parts;
    return part;
  }
  beforeRead(range);
  return std::nullopt;
}

std::optional<HeldOperand> Deferred::findPieces(ByteRange range,
                                                const Operand &tile,
                                                unsigned parts) const {
  auto pieces = std::make_shared<Pieces>();
  int64_t bytes = program::bytesOf(tile.dtype), at = range.begin;
  while (at < range.end) {
    auto found =
        std::find_if(moves.begin(), moves.end(), [&](const Move &move) {
          return move.range.begin <= at && at < move.range.end;
        });
    if (found == moves.end() || !found->from.isTurned ||
        found->from.dtype != tile.dtype || found->from.k < parts ||
        (at - found->range.begin) % bytes != 0)
      return std::nullopt;
    int64_t end = std::min(found->range.end, range.end);
    if ((end - at) % bytes != 0)
      return std::nullopt;
    pieces->add(found->from.columns(
                    static_cast<unsigned>((at - found->range.begin) / bytes),
                    static_cast<unsigned>((end - found->range.begin) / bytes)),
                found->reader);
    at = end;
  }
  OperandTile all{.data = nullptr,
                  .pitch = 0,
                  .k = parts,
                  .width = pieces->width(),
                  .dtype = tile.dtype,
                  .reader = pieces.get(),
                  .isTurned = true};
  return HeldOperand{all, pieces};
}

void Deferred::beforeSegment(const Segment &segment) {
  if (moves.empty())
    return;
  for (const ByteRange &range : segment.reads)
    beforeRead(range);
  for (const TileWrite &write : segment.writes)
    beforeWrite(write.range, write.parts, write.isAll);
  forEachItem(segment.body, [&](const Block &, const Item &item) {
    if (item.instruction && item.instruction->writesHbm())
      beforeStore(item.instruction->hbm.tensor);
  });
}

bool Deferred::takeMove(const Executed &executed) {
  const Instruction &it = *executed.instruction;
  if (it.writesHbm()) {
    beforeRead(rangeOf(executed, it.src[0]));
    beforeStore(it.hbm.tensor);
    return false;
  }
  ByteRange range = rangeOf(executed, it.dst);
  bool isPlain = it.dst.stride == 1 || it.dst.elems == 1;
  std::optional<Move> move;
  if (it.readsHbm()) {
    beforeWrite(range, it.parts, isPlain);
    if (!isPlain || !isOperand(range))
      return false;
    auto rows = std::make_shared<HbmRows>(executed, tensors[it.hbm.tensor]);
    move = Move{.range = range,
                .from = {.data = nullptr,
                         .pitch = 0,
                         .k = it.parts,
                         .width = it.dst.elems,
                         .dtype = it.dst.dtype,
                         .reader = rows.get()},
                .reader = rows,
                .base = {0, 0},
                .memory = plan.memoryOf[it.hbm.tensor]};
  } else {
    move = find(rangeOf(executed, it.src[0]), it.src[0], it.parts);
    // That it overwrites what it comes from makes the move of the source.
    bool isOnto = move && move->base.overlaps(range);
    beforeWrite(range, it.parts, isPlain);
    if (!move || isOnto)
      return false;
    move->range = range;
    if (!isPlain || !isOperand(range)) {
      make(*move);
      return true;
    }
  }
  moves.push_back(std::move(*move));
  return true;
}

void Deferred::takeTranspose(const Executed &executed) {
  const Instruction &it = *executed.instruction;
  const Operand &src = it.src[0];
  ByteRange source = rangeOf(executed, src);
  std::optional<Move> move = find(source, src, it.parts);
  if (!move)
    move = Move{.range = {0, 0},
                .from = tensor::operandTile(executed, src, sbuf, pitch),
                .reader = nullptr,
                .base = source,
                .memory = 0};
  move->range = rangeOf(executed, it.dst);
  move->from = tensor::transposed(move->from);
  beforeWrite(move->range, dstPartsOf(it), true);
  moves.push_back(std::move(*move));
}

HeldOperand Deferred::operand(const Executed &executed, unsigned source,
                              bool inPlace) {
  const Instruction &it = *executed.instruction;
  const Operand &tile = it.src[source];
  ByteRange range = rangeOf(executed, tile);
  if (inPlace) {
    beforeRead(range);
  } else {
    if (auto pieces = findPieces(range, tile, it.parts))
      return *pieces;
    if (auto move = find(range, tile, it.parts))
      return {move->from, move->reader};
  }
  return {tensor::operandTile(executed, tile, sbuf, pitch), nullptr};
}

void Deferred::beforeMatmul(const Executed &executed) {
  const Instruction &it = *executed.instruction;
  ByteRange range = rangeOf(executed, it.dst);
  if (it.accumulate == Accumulate::Yes)
    beforeRead(range);
  beforeWrite(range, dstPartsOf(it), true);
}

} // namespace neuron::simulator::compiled

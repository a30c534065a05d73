//===- Indexed.cpp - gathers and scatters, a row at a time ----------------===//
#include "runtime/simulator/Indexed.h"
#include "runtime/simulator/Strided.h"
#include "runtime/simulator/semantics/Combine.h"
#include "runtime/simulator/semantics/Semantics.h"

namespace neuron::simulator {
using namespace program;
using semantics::CastKind;

RowIndices::RowIndices(const Executed &dma, const uint8_t *row) {
  const Operand &tile = dma.instruction->indices();
  data = reinterpret_cast<const int64_t *>(row + dma.offsetOf(tile));
  stride = tile.elems == 1 ? 0 : tile.stride;
}

std::optional<int64_t> firstBadIndex(const Executed &dma, const uint8_t *row) {
  const Instruction &it = *dma.instruction;
  RowIndices indices(dma, row);
  int64_t count = indices.stride == 0 ? 1 : it.moved().elems;
  for (int64_t i = 0; i < count; ++i)
    if (int64_t index = indices.at(i); index < 0 || index >= it.hbm.indexBound)
      return index;
  return std::nullopt;
}

namespace {

/// element <- reduce(element, update), one after the other.
class Combiner {
public:
  explicit Combiner(const Instruction &it)
      : fromDType(
            semantics::rowCast(CastKind::Torch, it.moved().dtype, it.compute)),
        toDType(
            semantics::rowCast(CastKind::Torch, it.compute, it.moved().dtype)),
        scan(semantics::rowScan(it.reduce, it.compute)) {}

  void operator()(uint8_t *element, const uint8_t *update) const {
    uint64_t held, next, result;
    fromDType(element, 0, &held, 1);
    fromDType(update, 0, &next, 1);
    scan(&next, 0, &result, 1, true, &held);
    toDType(&result, 0, element, 1);
  }

private:
  semantics::RowCast fromDType, toDType;
  semantics::RowScan scan;
};

} // namespace

void moveIndexedRow(const Executed &dma, const HbmWindow &window,
                    unsigned partition, uint8_t *row, uint8_t *tensor) {
  const Instruction &it = *dma.instruction;
  const Operand &tile = it.moved();
  unsigned bytes = bytesOf(tile.dtype);
  uint8_t *inSbuf = row + dma.offsetOf(tile);
  bool combines = it.accumulate == Accumulate::Yes;
  std::optional<Combiner> combine;
  if (combines)
    combine.emplace(it);
  forEachIndexedRun(window, dma, partition, row, [&](const HbmRun &run) {
    uint8_t *hbm = tensor + run.offset * bytes;
    uint8_t *sbuf = inSbuf + run.firstColumn * tile.stride * bytes;
    if (combines)
      for (int64_t i = 0; i < run.count; ++i)
        (*combine)(hbm + i * run.stride * int64_t(bytes),
                   sbuf + i * tile.stride * int64_t(bytes));
    else if (it.readsHbm())
      moveElements(bytes, hbm, run.stride, sbuf, tile.stride, run.count);
    else
      moveElements(bytes, sbuf, tile.stride, hbm, run.stride, run.count);
    return true;
  });
}

} // namespace neuron::simulator

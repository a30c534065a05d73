//===- Moves.cpp - segments that only move bits ---------------------------===//
#include "runtime/simulator/compiled/Moves.h"
#include "runtime/simulator/Strided.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

void movePlainRow(const Executed &dma, const HbmWindow &window,
                  unsigned partition, uint8_t *row, uint8_t *tensor) {
  const Instruction &it = *dma.instruction;
  const Operand &tile = it.moved();
  unsigned bytes = bytesOf(tile.dtype);
  bool isLoad = it.readsHbm();
  row += dma.offsetOf(tile);
  window.forEachRun(partition, [&](const HbmRun &run) {
    uint8_t *inHbm = tensor + run.offset * bytes;
    uint8_t *inSbuf = row + run.firstColumn * tile.stride * bytes;
    if (isLoad)
      moveElements(bytes, inHbm, run.stride, inSbuf, tile.stride, run.count);
    else
      moveElements(bytes, inSbuf, tile.stride, inHbm, run.stride, run.count);
    return true;
  });
}

bool isMoves(const Segment &segment) {
  return std::all_of(
      segment.body.items.begin(), segment.body.items.end(),
      [](const Item &item) {
        if (!item.instruction)
          return false;
        const Instruction &it = *item.instruction;
        if (it.opcode == Opcode::TensorCopy)
          return it.src[0].isTile() && it.src[0].dtype == it.dst.dtype;
        return it.opcode == Opcode::DmaLoad || it.opcode == Opcode::DmaStore;
      });
}

void move(const Executed &executed, unsigned begin, unsigned end, uint8_t *sbuf,
          size_t pitch, std::span<uint8_t *const> tensors) {
  const Instruction &it = *executed.instruction;
  end = std::min<unsigned>(end, it.parts);
  if (!it.isDma()) {
    const Operand &src = it.src[0], &dst = it.dst;
    uint8_t *from = sbuf + executed.offsetOf(src),
            *to = sbuf + executed.offsetOf(dst);
    for (unsigned p = begin; p < end; ++p)
      moveElements(bytesOf(dst.dtype), from + p * pitch, src.stride,
                   to + p * pitch, dst.stride, simulator::elementsOf(it));
    return;
  }
  HbmWindow window(it.hbm, executed, simulator::elementsOf(it));
  for (unsigned p = begin; p < end; ++p)
    movePlainRow(executed, window, p, sbuf + p * pitch, tensors[it.hbm.tensor]);
}

} // namespace neuron::simulator::compiled

//===- Moves.cpp - segments that only move bits ---------------------------===//
#include "runtime/simulator/compiled/Moves.h"
#include "runtime/simulator/Strided.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

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

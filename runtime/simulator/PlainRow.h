//===- PlainRow.h - a partition's part of a DMA without indices -*- C++ -*-===//
#pragma once
#include "runtime/program/Streams.h"
#include "runtime/simulator/HbmWindow.h"
#include "runtime/simulator/Strided.h"

namespace neuron::simulator {

/// Moves what a load or a store has in one partition. `row`: where the
/// partition begins; `tensor`: where the variable does.
inline void movePlainRow(const program::Executed &dma, const HbmWindow &window,
                         unsigned partition, uint8_t *row, uint8_t *tensor) {
  const program::Instruction &it = *dma.instruction;
  const program::Operand &tile = it.moved();
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

} // namespace neuron::simulator

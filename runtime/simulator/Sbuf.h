//===- Sbuf.h - the state of a core's SBUF ------------------------*- C++
//-*-===//
#pragma once
#include "runtime/program/Streams.h"
#include "runtime/simulator/Zeroed.h"
#include <algorithm>

namespace neuron::simulator {

class Sbuf {
public:
  Sbuf(int64_t partitions, int64_t bytesPerPartition)
      : pitch((bytesPerPartition + 63) / 64 * 64), width(bytesPerPartition),
        bytes(partitions * pitch), written(bytesPerPartition) {}

  /// Where the tile begins in a partition.
  uint8_t *at(const program::Executed &it, const program::Operand &tile,
              unsigned partition) {
    return bytes.data() + partition * pitch + it.offsetOf(tile);
  }

  /// The first byte of a partition.
  uint8_t *row(unsigned partition) { return bytes.data() + partition * pitch; }

  /// Nothing is defined any more.
  void undefine() { std::fill_n(written.data(), width, uint8_t(0)); }

  /// Bytes [begin, end) of partitions [0, parts) are defined from now on. What
  /// is written at a byte is a prefix of the partitions, so a number will do.
  void define(size_t begin, size_t end, unsigned parts) {
    for (size_t i = begin; i < end; ++i)
      written[i] = std::max(written[i], static_cast<uint8_t>(parts));
  }
  unsigned definedParts(size_t byte) const { return written[byte]; }

private:
  size_t pitch, width;
  Zeroed<uint8_t> bytes;
  Zeroed<uint8_t> written; ///< partitions that are defined at a byte
};

} // namespace neuron::simulator

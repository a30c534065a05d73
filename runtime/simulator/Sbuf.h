//===- Sbuf.h - the state of a core's SBUF and PSUM -------------*- C++ -*-===//
//
// A partition's SBUF and PSUM are one row of host memory, at the addresses that
// programs use; what is between the two is never touched.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "runtime/program/Streams.h"
#include "runtime/simulator/Zeroed.h"
#include <algorithm>

namespace neuron::simulator {

/// Addresses of a partition.
inline int64_t addressesOf(const target::Target &target) {
  return program::kPsumBase + target.psumBytes;
}

/// From one row to the next: so that rows do not share sets of a host cache.
inline int64_t rowPitch(const target::Target &target) {
  return (addressesOf(target) + 63) / 64 * 64 + 64;
}

class Sbuf {
public:
  explicit Sbuf(const target::Target &target)
      : pitch(rowPitch(target)), width(addressesOf(target)),
        bytes(target.partitions * pitch), written(width) {}

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

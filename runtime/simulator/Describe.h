//===- Describe.h - instructions in messages --------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Print.h"
#include "runtime/program/Streams.h"

namespace neuron::simulator {

/// Bytes of a partition from a tile's first byte to its last.
inline uint32_t extentOf(const program::Operand &tile) {
  return ((tile.elems - 1) * tile.stride + 1) * bytesOf(tile.dtype);
}

/// "kernel 'k', instruction 3 [vector.tensor_tensor ... @ layer/add] in
/// iteration (1, 0)".
std::string describe(const program::Streams &streams,
                     const program::Executed &it);

/// The same for an instruction of which the iteration is not known.
std::string describe(const program::Streams &streams, uint32_t number);

/// Of a gather or scatter that met an index outside of its bound.
std::string describeBadIndex(const program::Streams &streams, uint32_t number,
                             int64_t index);

} // namespace neuron::simulator

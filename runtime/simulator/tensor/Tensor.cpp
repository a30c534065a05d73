//===- Tensor.cpp - the instructions of the Tensor engine -----------------===//
#include "runtime/simulator/tensor/Tensor.h"
#include "runtime/simulator/tensor/Matmul.h"
#include <algorithm>
#include <cstring>

namespace neuron::simulator::tensor {
using namespace program;

namespace {

/// Piece `part` of [0, size), in whole units.
struct Piece {
  unsigned begin, end;
  Piece(unsigned size, unsigned unit, unsigned part, unsigned parts) {
    unsigned units = (size + unit - 1) / unit;
    begin = std::min(size, units * part / parts * unit);
    end = std::min(size, units * (part + 1) / parts * unit);
  }
};

/// Columns [begin, end) of dst: those partitions of src. In blocks, so that the
/// rows on both sides stay in the cache.
template <typename T>
void transposeColumns(const uint8_t *src, uint8_t *dst, int64_t pitch,
                      unsigned rows, unsigned begin, unsigned end) {
  constexpr unsigned kBlock = 16;
  for (unsigned f0 = 0; f0 < rows; f0 += kBlock)
    for (unsigned p0 = begin; p0 < end; p0 += kBlock)
      for (unsigned p = p0; p < std::min(p0 + kBlock, end); ++p)
        for (unsigned f = f0; f < std::min(f0 + kBlock, rows); ++f)
          std::memcpy(dst + f * pitch + p * sizeof(T),
                      src + p * pitch + f * sizeof(T), sizeof(T));
}

} // namespace

void runPart(const Executed &executed, uint8_t *rows, int64_t pitch,
             unsigned part, unsigned parts) {
  const Instruction &it = *executed.instruction;
  auto at = [&](const Operand &tile) { return rows + executed.offsetOf(tile); };
  // Vectors of the widest kernel are whole in a piece.
  Piece columns(it.dst.elems, 16, part, parts);
  if (it.opcode == Opcode::Matmul) {
    multiply({.stationary = at(it.src[0]),
              .moving = at(it.src[1]),
              .dst = at(it.dst),
              .pitch = pitch,
              .k = it.parts,
              .m = it.src[0].elems,
              .n = it.dst.elems,
              .dtype = it.src[0].dtype,
              .accumulate = it.accumulate == Accumulate::Yes},
             columns.begin, columns.end);
    return;
  }
  auto transpose = bytesOf(it.dst.dtype) == 2 ? transposeColumns<uint16_t>
                                              : transposeColumns<uint32_t>;
  transpose(at(it.src[0]), at(it.dst), pitch, it.src[0].elems, columns.begin,
            columns.end);
}

void run(const Executed &it, uint8_t *rows, int64_t pitch) {
  runPart(it, rows, pitch, 0, 1);
}

} // namespace neuron::simulator::tensor

//===- Tensor.cpp - the instructions of the Tensor engine -----------------===//
#include "runtime/simulator/tensor/Tensor.h"
#include "runtime/simulator/tensor/TransposeSquare.h"
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

/// Columns [begin, end) of dst: those partitions of src. In squares; what is
/// left at the edges, element by element.
template <typename T>
void transposeColumns(const uint8_t *src, uint8_t *dst, int64_t pitch,
                      unsigned rows, unsigned begin, unsigned end) {
  constexpr unsigned kSide = Square<T>::kSide;
  unsigned wholeRows = rows / kSide * kSide;
  for (unsigned p0 = begin; p0 < end; p0 += kSide) {
    bool isWhole = p0 + kSide <= end;
    if (isWhole)
      for (unsigned f = 0; f < wholeRows; f += kSide)
        Square<T>::transpose(src + p0 * pitch + f * sizeof(T), pitch,
                             dst + f * pitch + p0 * sizeof(T), pitch);
    for (unsigned p = p0; p < std::min(p0 + kSide, end); ++p)
      for (unsigned f = isWhole ? wholeRows : 0; f < rows; ++f)
        std::memcpy(dst + f * pitch + p * sizeof(T),
                    src + p * pitch + f * sizeof(T), sizeof(T));
  }
}

} // namespace

void runPart(const Executed &executed, uint8_t *rows, int64_t pitch,
             unsigned part, unsigned parts, const PackedOperands &packed) {
  const Instruction &it = *executed.instruction;
  auto at = [&](const Operand &tile) { return rows + executed.offsetOf(tile); };
  // Panels are whole in a piece, and squares.
  Piece columns(it.dst.elems, std::max(16u, hostKernels().columns), part,
                parts);
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
             columns.begin, columns.end, packed);
    return;
  }
  auto transpose = bytesOf(it.dst.dtype) == 2 ? transposeColumns<uint16_t>
                                              : transposeColumns<uint32_t>;
  transpose(at(it.src[0]), at(it.dst), pitch, it.src[0].elems, columns.begin,
            columns.end);
}

OperandTile operandTile(const Executed &executed, const Operand &operand,
                        const uint8_t *rows, int64_t pitch) {
  return {rows + executed.offsetOf(operand), pitch, executed.instruction->parts,
          operand.elems, operand.dtype};
}

void run(const Executed &it, uint8_t *rows, int64_t pitch) {
  runPart(it, rows, pitch, 0, 1);
}

} // namespace neuron::simulator::tensor

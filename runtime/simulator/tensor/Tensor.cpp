//===- Tensor.cpp - the instructions of the Tensor engine -----------------===//
#include "runtime/simulator/tensor/Tensor.h"
#include <algorithm>

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

} // namespace

OperandTile operandTile(const Executed &executed, const Operand &operand,
                        const uint8_t *rows, int64_t pitch) {
  return {rows + executed.offsetOf(operand), pitch, executed.instruction->parts,
          operand.elems, operand.dtype};
}

OperandTile transposed(const OperandTile &tile) {
  OperandTile turned = tile;
  turned.isTurned = !tile.isTurned;
  std::swap(turned.k, turned.width);
  return turned;
}

void multiplyPart(const Executed &executed, const OperandTile &stationary,
                  const OperandTile &moving, const PackedOperands &packed,
                  uint8_t *rows, int64_t pitch, unsigned part, unsigned parts) {
  const Instruction &it = *executed.instruction;
  // Panels are whole in a piece.
  Piece columns(it.dst.elems, std::max(16u, hostKernels().columns), part,
                parts);
  multiply({.stationary = stationary,
            .moving = moving,
            .dst = rows + executed.offsetOf(it.dst),
            .pitch = pitch,
            .accumulate = it.accumulate == Accumulate::Yes},
           columns.begin, columns.end, packed);
}

void run(const Executed &it, uint8_t *rows, int64_t pitch) {
  auto tile = [&](unsigned source) {
    return operandTile(it, it.instruction->src[source], rows, pitch);
  };
  if (it.instruction->opcode == Opcode::Matmul)
    multiplyPart(it, tile(0), tile(1), {}, rows, pitch, 0, 1);
  else
    copyTile(transposed(tile(0)), rows + it.offsetOf(it.instruction->dst),
             pitch);
}

} // namespace neuron::simulator::tensor

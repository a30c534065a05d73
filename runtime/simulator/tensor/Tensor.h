//===- Tensor.h - the instructions of the Tensor engine ---------*- C++ -*-===//
//
// What a matmul and a transpose do, for both forms of execution. Every kind of
// CPU gives the same bits: the products of an element are added in the order of
// k, each with one fused multiply-add.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Streams.h"
#include "runtime/simulator/tensor/Matmul.h"

namespace neuron::simulator::tensor {

/// Runs a matmul or a transpose on rows of on-chip memory (Sbuf.h), `pitch`
/// bytes apart.
void run(const program::Executed &it, uint8_t *rows, int64_t pitch);

/// A source of it, as it lies in on-chip memory.
OperandTile operandTile(const program::Executed &it,
                        const program::Operand &operand, const uint8_t *rows,
                        int64_t pitch);

/// What a transpose makes of it.
OperandTile transposed(const OperandTile &tile);

/// A part of a matmul, for threads that share the work: those columns of dst
/// that are in `part` of `parts` equal pieces. The pieces of equal dst tiles
/// are the same.
void multiplyPart(const program::Executed &it, const OperandTile &stationary,
                  const OperandTile &moving, const PackedOperands &packed,
                  uint8_t *rows, int64_t pitch, unsigned part, unsigned parts);

} // namespace neuron::simulator::tensor

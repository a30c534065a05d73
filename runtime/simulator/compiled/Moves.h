//===- Moves.h - segments that only move bits -------------------*- C++ -*-===//
//
// Between instructions of the Tensor engine stand segments that bring a matrix
// to SBUF or copy a tile out of PSUM, each at other addresses. Code of their
// own would take longer to make than it saves.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/PlainRow.h"
#include "runtime/simulator/compiled/Plan.h"
#include <span>

namespace neuron::simulator::compiled {

/// Whether all that the segment does is plain loads, stores and copies of one
/// type, in no loop of its own.
bool isMoves(const Segment &segment);

/// Runs such an instruction on partitions [begin, end). Rows of SBUF are
/// `pitch` bytes apart; `tensors` are the program's.
void move(const program::Executed &it, unsigned begin, unsigned end,
          uint8_t *sbuf, size_t pitch, std::span<uint8_t *const> tensors);

} // namespace neuron::simulator::compiled

//===- Combine.h - one element after the other ------------------*- C++ -*-===//
//
// Scans, and what a scatter does to the element it meets: a binary function
// applied from left to right, without the tree of the reductions.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"

namespace neuron::simulator::semantics {

using program::DType;

/// dst[i] = f(... f(f(*carry, src[0]), src[1]) ..., src[i]) in one type; the
/// last of them is left in *carry. Without `hasCarry` the first element is
/// src[0] itself, and *carry is only written. A stride is 0 or 1. Of two equal
/// elements the later one is the maximum or minimum, as in torch.cummax.
using RowScan = void (*)(const void *src, int64_t stride, void *dst, int64_t n,
                         bool hasCarry, void *carry);

/// Null for float16, bfloat16 and what is not defined in `compute`.
RowScan rowScan(program::Instruction::Reduce reduce, DType compute);

} // namespace neuron::simulator::semantics

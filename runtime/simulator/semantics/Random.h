//===- Random.h - Philox4x32-10 ---------------------------------*- C++ -*-===//
//
// Counter-based: an element depends on the key and its own counter alone, so it
// does not matter in which order, or how often, elements are made.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/DType.h"
#include <cstdint>

namespace neuron::simulator::semantics {

using program::DType;

/// dst[i] for the counters first + step*i: uniform in [0, 1) in as many steps
/// as PyTorch's rand has in a floating dtype, or 64 random bits (int64).
void randomRow(DType dtype, uint64_t key, int64_t first, int64_t step,
               void *dst, int64_t n);

} // namespace neuron::simulator::semantics

//===- PlaceTiles.h - SBUF and PSUM placement -------------------*- C++ -*-===//
#pragma once
#include "dialects/nisa/Nisa.h"

namespace neuron::memory {

/// The least bytes a partition of SBUF that the tiles of `kernel` need when
/// placed.
int64_t peakBytes(nisa::KernelOp kernel);

/// The same of PSUM.
int64_t peakPsumBytes(nisa::KernelOp kernel);

/// Bytes a partition.
struct Peak {
  int64_t sbuf = 0, psum = 0;
};

/// Sets `offset` on every alloc of `kernel`, sharing bytes of PSUM, and of SBUF
/// if the tiles do not fit `sbufBytes` a partition otherwise; returns the peak.
Peak placeTiles(nisa::KernelOp kernel, int64_t sbufBytes);

} // namespace neuron::memory

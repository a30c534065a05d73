//===- PlaceTiles.h - SBUF placement ------------------------------*- C++
//-*-===//
#pragma once
#include "dialects/nisa/Nisa.h"

namespace neuron::memory {

/// Bytes a partition that the tiles of `kernel` need when placed.
int64_t peakBytes(nisa::KernelOp kernel);

/// Sets `offset` on every alloc of `kernel`; returns the peak.
int64_t placeTiles(nisa::KernelOp kernel);

} // namespace neuron::memory

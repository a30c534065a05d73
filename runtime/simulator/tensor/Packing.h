//===- Packing.h - operands of a product as panels --------------*- C++ -*-===//
//
// Private to the folder. The rows of on-chip memory lie far apart in host
// memory and 16-bit elements are widened once, so operands are copied into
// panels of floats (MatmulKernel.h) before they are multiplied.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/tensor/Matmul.h"
#include <algorithm>

namespace neuron::simulator::tensor {

/// Floats between two moving panels beside their own: neighbouring panels must
/// not begin in the same set of a cache.
inline constexpr unsigned kGap = 16;
inline constexpr unsigned kMaxK = 128, kMaxM = 128, kMaxN = 512;

struct Buffers {
  alignas(64) float stationary[kMaxK * kMaxM];
  alignas(64) float moving[(kMaxK + kGap) * kMaxN]; ///< panels of any width
  alignas(64) float row[kMaxN];
  alignas(64) uint8_t elements[kMaxN * sizeof(float)];
  alignas(64) float rows[KernelSet::kMaxColumns][kMaxK];
  alignas(64) uint8_t
      rowElements[KernelSet::kMaxColumns][kMaxK * sizeof(float)];
  alignas(64) float edge[KernelSet::kMaxRows * KernelSet::kMaxColumns];
};

/// Of the calling thread.
Buffers &threadBuffers();

/// Rows of the block that begins at row m. The last rows are shared by two
/// blocks: one of very few rows would wait for each of its sums.
inline unsigned heightAt(unsigned m, unsigned size, unsigned rows) {
  unsigned left = size - m;
  if (left <= rows || left >= 2 * rows)
    return std::min(left, rows);
  return (left + 1) / 2;
}

/// Of a moving panel.
inline size_t panelFloats(unsigned k, unsigned columns) {
  return size_t(k) * columns + kGap;
}

} // namespace neuron::simulator::tensor

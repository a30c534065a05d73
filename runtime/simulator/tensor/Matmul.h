//===- Matmul.h - a product of two tiles --------------------------*- C++
//-*-===//
#pragma once
#include "runtime/program/DType.h"
#include "runtime/simulator/tensor/MatmulKernel.h"
#include <cstddef>

namespace neuron::simulator::tensor {

/// dst[m][n] (+)= sum over k of stationary[k][m] * moving[k][n]. Rows of all
/// three are `pitch` bytes apart; dst holds float32.
struct Product {
  const uint8_t *stationary, *moving;
  uint8_t *dst;
  int64_t pitch;
  unsigned k, m, n;
  program::DType dtype; ///< of stationary and moving
  bool accumulate;
};

/// Operands of a product in panels of floats, which can be kept for other
/// products as long as the tiles do not change. Null: packed when needed.
struct PackedOperands {
  const float *stationary = nullptr;
  const float *moving = nullptr; ///< all columns
};

/// An operand as it lies: `k` rows of `width` elements, `pitch` bytes apart.
struct OperandTile {
  const uint8_t *data;
  int64_t pitch;
  unsigned k, width;
  program::DType dtype;
};

/// Floats that a packed operand takes.
size_t stationaryFloats(unsigned k, unsigned m);
size_t movingFloats(unsigned k, unsigned n,
                    const KernelSet &kernels = hostKernels());
void packStationary(const OperandTile &tile, float *into,
                    const KernelSet &kernels = hostKernels());
void packMoving(const OperandTile &tile, float *into,
                const KernelSet &kernels = hostKernels());

/// A product that reads its operands in place: packing them would take longer.
bool isUnpacked(unsigned m, program::DType dtype);

/// Columns [begin, end) of dst. k, m <= 128 and n <= 512. With a packed moving
/// operand, `begin` is a multiple of the kernels' columns.
void multiply(const Product &product, unsigned begin, unsigned end,
              const PackedOperands &packed = {},
              const KernelSet &kernels = hostKernels());

} // namespace neuron::simulator::tensor

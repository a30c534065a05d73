//===- Matmul.h - a product of two tiles --------------------------*- C++
//-*-===//
#pragma once
#include "runtime/program/DType.h"
#include "runtime/simulator/tensor/MatmulKernel.h"

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

/// Columns [begin, end) of dst. k, m <= 128 and n <= 512.
void multiply(const Product &product, unsigned begin, unsigned end,
              const KernelSet &kernels = hostKernels());

} // namespace neuron::simulator::tensor

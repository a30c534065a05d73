//===- Matmul.cpp - a product, block by block -----------------------------===//
//
// Both operands are packed into panels of floats first (Packing.h). The moving
// panel then stays in the first cache while all stationary panels pass.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/tensor/Matmul.h"
#include "runtime/simulator/tensor/Packing.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace neuron::simulator::tensor {
using program::DType;

const KernelSet &hostKernels() {
  __builtin_cpu_init();
  static const KernelSet &best =
      __builtin_cpu_supports("avx512f") ? kAvx512Kernels
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          ? kAvx2Kernels
          : kBaselineKernels;
  return best;
}

namespace {

/// One row: packing the moving operand would take longer than the product. Only
/// of floats, which need no widening.
void multiplySingle(const Product &it, unsigned begin, unsigned end,
                    const KernelSet &kernels, Buffers &buffers) {
  for (unsigned k = 0; k < it.moving.k; ++k)
    std::memcpy(buffers.stationary + k,
                it.stationary.data + k * it.stationary.pitch, sizeof(float));
  unsigned columns = end - begin;
  kernels.row(buffers.stationary,
              reinterpret_cast<const float *>(it.moving.data) + begin,
              it.moving.pitch, buffers.row, columns, it.moving.k);
  float *dst = reinterpret_cast<float *>(it.dst) + begin;
  for (unsigned n = 0; n < columns; ++n) {
    float sum = it.accumulate ? dst[n] + buffers.row[n] : buffers.row[n];
    dst[n] = sum == sum ? sum : std::numeric_limits<float>::quiet_NaN();
  }
}

} // namespace

bool isUnpacked(unsigned m, DType dtype) {
  return m == 1 && dtype == DType::F32;
}

void multiply(const Product &it, unsigned begin, unsigned end,
              const PackedOperands &packed, const KernelSet &kernels) {
  if (begin >= end)
    return;
  Buffers &buffers = threadBuffers();
  unsigned height, rows = it.stationary.width, k = it.moving.k;
  if (isUnpacked(rows, it.moving.dtype))
    return multiplySingle(it, begin, end, kernels, buffers);
  unsigned columns = kernels.columns;
  size_t panel = panelFloats(k, columns);
  const float *allStationary = packed.stationary;
  if (!allStationary) {
    packStationary(it.stationary, buffers.stationary, kernels);
    allStationary = buffers.stationary;
  }
  const float *moving = packed.moving;
  if (moving) {
    moving += begin / columns * panel;
  } else {
    packMoving(it.moving.columns(begin, end), buffers.moving, kernels);
    moving = buffers.moving;
  }
  for (unsigned n = begin; n < end; n += columns, moving += panel) {
    unsigned width = std::min(columns, end - n);
    for (unsigned m = 0; m < rows; m += height) {
      height = heightAt(m, rows, kernels.rows);
      auto run = kernels.block[height];
      const float *stationary = allStationary + m * k;
      uint8_t *dst = it.dst + m * it.pitch + n * sizeof(float);
      if (width == columns) {
        run(stationary, moving, reinterpret_cast<float *>(dst), it.pitch, k,
            it.accumulate);
        continue;
      }
      // What is right of dst must not be touched.
      int64_t pitch = columns * sizeof(float);
      auto copy = [&](bool out) {
        for (unsigned r = 0; r < height; ++r) {
          uint8_t *outside = dst + r * it.pitch;
          float *inside = buffers.edge + r * columns;
          std::memcpy(out ? static_cast<void *>(outside) : inside,
                      out ? static_cast<void *>(inside) : outside,
                      width * sizeof(float));
        }
      };
      copy(false);
      run(stationary, moving, buffers.edge, pitch, k, it.accumulate);
      copy(true);
    }
  }
}

} // namespace neuron::simulator::tensor

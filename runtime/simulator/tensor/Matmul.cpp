//===- Matmul.cpp - a product, block by block -----------------------------===//
//
// Both operands are packed into panels of floats first (MatmulKernel.h), as the
// rows of on-chip memory lie far apart in host memory and as 16-bit elements
// are widened once. The moving panel then stays in the first cache while all
// stationary panels pass.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/tensor/Matmul.h"
#include "runtime/simulator/semantics/Semantics.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

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

/// Floats between two moving panels beside their own: neighbouring panels must
/// not begin in the same set of a cache.
constexpr unsigned kGap = 16;
constexpr unsigned kMaxK = 128, kMaxM = 128, kMaxN = 512;

struct Buffers {
  alignas(64) float stationary[kMaxK * (kMaxM + KernelSet::kMaxRows)];
  alignas(64) float moving[(kMaxK + kGap) * kMaxN]; ///< panels of any width
  alignas(64) float row[kMaxN];
  alignas(64) float edge[KernelSet::kMaxRows * KernelSet::kMaxColumns];
};

Buffers &threadBuffers() {
  thread_local std::unique_ptr<Buffers> buffers(new Buffers);
  return *buffers;
}

/// `count` elements from `from` as floats.
const float *widened(const uint8_t *from, DType dtype, unsigned count,
                     float *into) {
  if (dtype == DType::F32)
    return reinterpret_cast<const float *>(from);
  semantics::rowCast(semantics::CastKind::Hardware, dtype,
                     DType::F32)(from, 1, into, count);
  return into;
}

/// Panel p of a block of `rows` holds columns [p * rows, ...); the last one may
/// be narrower.
void packStationary(const Product &it, unsigned rows, Buffers &buffers) {
  for (unsigned k = 0; k < it.k; ++k) {
    const float *row =
        widened(it.stationary + k * it.pitch, it.dtype, it.m, buffers.row);
    for (unsigned m = 0; m < it.m; m += rows) {
      unsigned width = std::min(rows, it.m - m);
      float *to = buffers.stationary + m * it.k + k * width;
      for (unsigned i = 0; i < width; ++i)
        to[i] = row[m + i];
    }
  }
}

/// Columns [begin, end); the last panel is filled up with zeros.
void packMoving(const Product &it, unsigned begin, unsigned end,
                unsigned columns, Buffers &buffers) {
  unsigned panel = it.k * columns + kGap;
  for (unsigned k = 0; k < it.k; ++k) {
    const float *row =
        widened(it.moving + k * it.pitch + begin * bytesOf(it.dtype), it.dtype,
                end - begin, buffers.row);
    float *to = buffers.moving + k * columns;
    for (unsigned n = 0; n < end - begin; n += columns, to += panel) {
      unsigned width = std::min(columns, end - begin - n);
      std::memcpy(to, row + n, width * sizeof(float));
      std::fill(to + width, to + columns, 0.0f);
    }
  }
}

/// One row: packing the moving operand would take longer than the product. Only
/// of floats, which need no widening.
void multiplySingle(const Product &it, unsigned begin, unsigned end,
                    const KernelSet &kernels, Buffers &buffers) {
  for (unsigned k = 0; k < it.k; ++k)
    std::memcpy(buffers.stationary + k, it.stationary + k * it.pitch,
                sizeof(float));
  unsigned columns = end - begin;
  kernels.row(buffers.stationary,
              reinterpret_cast<const float *>(it.moving) + begin, it.pitch,
              buffers.row, columns, it.k);
  float *dst = reinterpret_cast<float *>(it.dst) + begin;
  for (unsigned n = 0; n < columns; ++n) {
    float sum = it.accumulate ? dst[n] + buffers.row[n] : buffers.row[n];
    dst[n] = sum == sum ? sum : std::numeric_limits<float>::quiet_NaN();
  }
}

} // namespace

void multiply(const Product &it, unsigned begin, unsigned end,
              const KernelSet &kernels) {
  if (begin >= end)
    return;
  if (it.m == 1 && it.dtype == DType::F32)
    return multiplySingle(it, begin, end, kernels, threadBuffers());
  Buffers &buffers = threadBuffers();
  unsigned rows = kernels.rows, columns = kernels.columns;
  packStationary(it, rows, buffers);
  packMoving(it, begin, end, columns, buffers);
  const float *moving = buffers.moving;
  for (unsigned n = begin; n < end; n += columns) {
    unsigned width = std::min(columns, end - n);
    for (unsigned m = 0; m < it.m; m += rows) {
      unsigned height = std::min(rows, it.m - m);
      auto run = kernels.block[height];
      const float *stationary = buffers.stationary + m * it.k;
      uint8_t *dst = it.dst + m * it.pitch + n * sizeof(float);
      if (width == columns) {
        run(stationary, moving, reinterpret_cast<float *>(dst), it.pitch, it.k,
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
      run(stationary, moving, buffers.edge, pitch, it.k, it.accumulate);
      copy(true);
    }
    moving += it.k * columns + kGap;
  }
}

} // namespace neuron::simulator::tensor

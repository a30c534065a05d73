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
  alignas(64) float stationary[kMaxK * kMaxM];
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

/// Rows of the block that begins at row m. The last rows are shared by two
/// blocks: one of very few rows would wait for each of its sums.
unsigned heightAt(unsigned m, unsigned size, unsigned rows) {
  unsigned left = size - m;
  if (left <= rows || left >= 2 * rows)
    return std::min(left, rows);
  return (left + 1) / 2;
}

unsigned panelsOf(unsigned n, unsigned columns) {
  return (n + columns - 1) / columns;
}

/// A block's floats of one row of the stationary operand. The usual heights are
/// constants, so that no function is called for some bytes.
void copyBlock(float *to, const float *from, unsigned height) {
  switch (height) {
  case 4:
    std::memcpy(to, from, 4 * sizeof(float));
    return;
  case 6:
    std::memcpy(to, from, 6 * sizeof(float));
    return;
  case 8:
    std::memcpy(to, from, 8 * sizeof(float));
    return;
  default:
    for (unsigned i = 0; i < height; ++i)
      to[i] = from[i];
  }
}

/// `columns` floats, of which `width` are there: the others are zeros.
void copyPanelRow(float *to, const float *from, unsigned width,
                  unsigned columns) {
  constexpr unsigned kUnit = 16;
  if (width == columns && columns % kUnit == 0) {
    for (unsigned i = 0; i < columns; i += kUnit)
      std::memcpy(to + i, from + i, kUnit * sizeof(float));
    return;
  }
  std::copy_n(from, width, to);
  std::fill(to + width, to + columns, 0.0f);
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

size_t stationaryFloats(unsigned k, unsigned m) { return size_t(k) * m; }

size_t movingFloats(unsigned k, unsigned n, const KernelSet &kernels) {
  return size_t(panelsOf(n, kernels.columns)) * (k * kernels.columns + kGap);
}

/// The panel of a block that begins at row m of dst begins at m * k.
void packStationary(const OperandTile &tile, float *into,
                    const KernelSet &kernels) {
  Buffers &buffers = threadBuffers();
  for (unsigned k = 0; k < tile.k; ++k) {
    const float *row = widened(tile.data + k * tile.pitch, tile.dtype,
                               tile.width, buffers.row);
    for (unsigned m = 0; m < tile.width;) {
      unsigned height = heightAt(m, tile.width, kernels.rows);
      copyBlock(into + m * tile.k + k * height, row + m, height);
      m += height;
    }
  }
}

/// The last panel is filled up with zeros.
void packMoving(const OperandTile &tile, float *into,
                const KernelSet &kernels) {
  Buffers &buffers = threadBuffers();
  unsigned columns = kernels.columns, panel = tile.k * columns + kGap;
  for (unsigned k = 0; k < tile.k; ++k) {
    const float *row = widened(tile.data + k * tile.pitch, tile.dtype,
                               tile.width, buffers.row);
    float *to = into + k * columns;
    for (unsigned n = 0; n < tile.width; n += columns, to += panel)
      copyPanelRow(to, row + n, std::min(columns, tile.width - n), columns);
  }
}

bool isUnpacked(unsigned m, DType dtype) {
  return m == 1 && dtype == DType::F32;
}

void multiply(const Product &it, unsigned begin, unsigned end,
              const PackedOperands &packed, const KernelSet &kernels) {
  if (begin >= end)
    return;
  Buffers &buffers = threadBuffers();
  if (isUnpacked(it.m, it.dtype))
    return multiplySingle(it, begin, end, kernels, buffers);
  unsigned columns = kernels.columns;
  size_t panel = it.k * columns + kGap;
  const float *allStationary = packed.stationary;
  if (!allStationary) {
    packStationary({it.stationary, it.pitch, it.k, it.m, it.dtype},
                   buffers.stationary, kernels);
    allStationary = buffers.stationary;
  }
  const float *moving = packed.moving;
  if (moving) {
    moving += begin / columns * panel;
  } else {
    packMoving({it.moving + begin * bytesOf(it.dtype), it.pitch, it.k,
                end - begin, it.dtype},
               buffers.moving, kernels);
    moving = buffers.moving;
  }
  for (unsigned n = begin; n < end; n += columns, moving += panel) {
    unsigned width = std::min(columns, end - n), height;
    for (unsigned m = 0; m < it.m; m += height) {
      height = heightAt(m, it.m, kernels.rows);
      auto run = kernels.block[height];
      const float *stationary = allStationary + m * it.k;
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
  }
}

} // namespace neuron::simulator::tensor

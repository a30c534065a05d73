//===- MatmulKernel.h - a block of a product in registers -------*- C++ -*-===//
//
// One template for all instruction sets; each is instantiated in a file of its
// own, which is compiled for it. A panel of the stationary operand holds, for
// each k, `rows` neighbouring floats; one of the moving operand kColumns.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <utility>

namespace neuron::simulator::tensor {

/// dst[rows][kColumns] (+)= stationary^T . moving. dst's rows are `pitch` bytes
/// apart.
using BlockKernel = void (*)(const float *stationary, const float *moving,
                             float *dst, int64_t pitch, unsigned k,
                             bool accumulate);

/// The same for one row of dst and any number of columns, of operands that lie
/// as they are: moving's rows, `pitch` bytes apart, pass once, and `sum`, of
/// `columns` floats, stays in the first cache.
using RowKernel = void (*)(const float *stationary, const float *moving,
                           int64_t pitch, float *sum, unsigned columns,
                           unsigned k);

struct KernelSet {
  static constexpr unsigned kMaxRows = 8, kMaxColumns = 64;
  unsigned rows;                   ///< of the largest block
  unsigned columns;                ///< of every block
  BlockKernel block[kMaxRows + 1]; ///< by rows
  RowKernel row;
};

extern const KernelSet kBaselineKernels, kAvx2Kernels, kAvx512Kernels;
/// The fastest set that this CPU has.
const KernelSet &hostKernels();

namespace {

/// Isa: Vector, kWidth, load, store, splat, multiplyAdd, add, canonical (NaNs).
template <class Isa, unsigned Rows, unsigned Vectors>
void multiplyBlock(const float *stationary, const float *moving, float *dst,
                   int64_t pitch, unsigned k, bool accumulate) {
  typename Isa::Vector sum[Rows][Vectors];
  auto at = [&](unsigned row, unsigned vector) {
    return reinterpret_cast<float *>(reinterpret_cast<char *>(dst) +
                                     row * pitch) +
           vector * Isa::kWidth;
  };
#pragma GCC unroll 16
  for (unsigned r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (unsigned v = 0; v < Vectors; ++v)
      sum[r][v] = Isa::splat(0.0f);
  // Rows of dst lie far apart; they come while the sums are made.
#pragma GCC unroll 16
  for (unsigned r = 0; r < Rows; ++r)
    __builtin_prefetch(at(r, 0), 1);
  for (unsigned i = 0; i < k; ++i) {
    typename Isa::Vector right[Vectors];
#pragma GCC unroll 4
    for (unsigned v = 0; v < Vectors; ++v)
      right[v] = Isa::load(moving + v * Isa::kWidth);
#pragma GCC unroll 16
    for (unsigned r = 0; r < Rows; ++r) {
      typename Isa::Vector left = Isa::splat(stationary[r]);
#pragma GCC unroll 4
      for (unsigned v = 0; v < Vectors; ++v)
        sum[r][v] = Isa::multiplyAdd(left, right[v], sum[r][v]);
    }
    stationary += Rows;
    moving += Vectors * Isa::kWidth;
  }
#pragma GCC unroll 16
  for (unsigned r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (unsigned v = 0; v < Vectors; ++v) {
      auto all =
          accumulate ? Isa::add(Isa::load(at(r, v)), sum[r][v]) : sum[r][v];
      Isa::store(at(r, v), Isa::canonical(all));
    }
}

template <class Isa>
void multiplyRow(const float *stationary, const float *moving, int64_t pitch,
                 float *sum, unsigned columns, unsigned k) {
  unsigned whole = columns / Isa::kWidth * Isa::kWidth;
  for (unsigned n = 0; n < columns; ++n)
    sum[n] = 0;
  for (unsigned i = 0; i < k; ++i) {
    auto left = Isa::splat(stationary[i]);
    for (unsigned n = 0; n < whole; n += Isa::kWidth)
      Isa::store(sum + n, Isa::multiplyAdd(left, Isa::load(moving + n),
                                           Isa::load(sum + n)));
    for (unsigned n = whole; n < columns; ++n)
      sum[n] = __builtin_fmaf(stationary[i], moving[n], sum[n]);
    moving = reinterpret_cast<const float *>(
        reinterpret_cast<const char *>(moving) + pitch);
  }
}

template <class Isa, unsigned Rows, unsigned Vectors>
constexpr KernelSet makeKernels() {
  static_assert(Rows <= KernelSet::kMaxRows &&
                Vectors * Isa::kWidth <= KernelSet::kMaxColumns &&
                512 % (Vectors * Isa::kWidth) == 0);
  KernelSet set{Rows, Vectors * Isa::kWidth, {}, multiplyRow<Isa>};
  [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) {
    ((set.block[I + 1] = multiplyBlock<Isa, I + 1, Vectors>), ...);
  }(std::make_integer_sequence<unsigned, Rows>());
  return set;
}

} // namespace
} // namespace neuron::simulator::tensor

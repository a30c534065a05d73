//===- MatmulKernels.h - products as the compiler makes them ----*- C++ -*-===//
//
// y = tanh(x . w + bias), 128 rows at a time: x is loaded, turned by the Tensor
// engine, and multiplied by w, which stays in SBUF. For tests and benchmarks.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Builder.h"

namespace neuron::program {

class MatmulKernel {
public:
  MatmulKernel(DType dtype, int64_t m, int64_t k, int64_t n)
      : dtype(dtype), m(m), k(k), n(n) {
    x = b.tensor("x", TensorKind::Input, dtype, {m, k});
    w = b.tensor("w", TensorKind::Input, dtype, {k, n});
    bias = b.tensor("bias", TensorKind::Input, DType::F32, {n});
    y = b.tensor("y", TensorKind::Output, dtype, {m, n});
    b.kernel("linear");
  }

  Program build() {
    for (int64_t i = 0; i < k; i += 128) {
      weights.push_back(place(dtype, n));
      b.load(Unit::Sync, queue(0), chunk(k, i), weights.back(),
             b.window(w, k, n, affine(i)));
    }
    HbmAccess repeated = b.window(bias, 128, n);
    repeated.rowStrides = {0};
    biases = place(DType::F32, n);
    b.load(Unit::Sync, queue(0), 128, biases, repeated);
    b.barrier();
    rows = place(dtype, k);
    for (int64_t i = 0; i < k; i += 128)
      turned.push_back(place(dtype, 128));
    sums = place(DType::F32, 512);
    results = place(dtype, n);
    if (m >= 128) {
      b.loop(m / 128);
      addRows(affine(0, {128}), 128);
      b.end();
    }
    if (m % 128 != 0)
      addRows(affine(m / 128 * 128), uint16_t(m % 128));
    return b.program;
  }

private:
  static uint16_t chunk(int64_t size, int64_t begin) {
    return uint16_t(std::min<int64_t>(128, size - begin));
  }
  Operand place(DType type, int64_t elems) {
    Operand result = tile(type, offset, uint32_t(elems));
    offset += (uint32_t(elems) * bytesOf(type) + 63) / 64 * 64;
    return result;
  }
  /// Elements [begin, begin + size).
  static Operand part(Operand tile, int64_t begin, int64_t size) {
    tile.offset += uint32_t(begin) * bytesOf(tile.dtype);
    tile.elems = uint32_t(size);
    return tile;
  }

  void addRows(Affine row, uint16_t parts) {
    b.load(Unit::Sync, queue(1), parts, rows, b.window(x, m, k, row));
    b.barrier();
    // Each in a bank of its own, as far as there are some.
    for (int64_t i = 0; i < k; i += 512) {
      for (int64_t j = i; j < std::min(k, i + 512); j += 128)
        b.transpose(parts, bank(dtype, (j - i) / 128, parts),
                    part(rows, j, chunk(k, j)));
      b.barrier();
      for (int64_t j = i; j < std::min(k, i + 512); j += 128)
        b.copy(Unit::Scalar, chunk(k, j), part(turned[j / 128], 0, parts),
               bank(dtype, (j - i) / 128, parts));
      b.barrier();
    }
    for (int64_t i = 0; i < n; i += 512) {
      int64_t columns = std::min<int64_t>(512, n - i);
      Operand sum = bank(DType::F32, 4 + i / 512 % 4, columns);
      for (int64_t j = 0; j < k; j += 128)
        b.matmul(chunk(k, j), sum, part(turned[j / 128], 0, parts),
                 part(weights[j / 128], i, columns),
                 j == 0 ? Accumulate::No : Accumulate::Yes);
      b.barrier();
      b.tensorTensor(parts, part(sums, 0, columns), Fn::add, sum,
                     part(biases, i, columns));
      b.barrier();
      b.activation(parts, part(results, i, columns), Fn::tanh,
                   part(sums, 0, columns));
      b.barrier();
    }
    b.store(Unit::GpSimd, queue(2), parts, b.window(y, m, n, row), results);
    b.barrier();
  }

  static Operand bank(DType type, int64_t index, int64_t elems) {
    return psumTile(type, uint32_t(index) * 2048, uint32_t(elems));
  }

  Builder b;
  DType dtype;
  int64_t m, k, n;
  uint32_t x, w, bias, y, offset = 0;
  std::vector<Operand> weights, turned;
  Operand biases, rows, sums, results;
};

inline Program linear(DType dtype, int64_t m, int64_t k, int64_t n) {
  return MatmulKernel(dtype, m, k, n).build();
}

} // namespace neuron::program

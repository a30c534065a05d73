//===- TransposeSquare.h - a square of elements in registers ----*- C++ -*-===//
//
// log2(N) rounds of interleaving row i with row i + N/2 turn N rows of N
// elements round. Vector extensions of GCC and Clang: any CPU.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <cstring>
#include <utility>

namespace neuron::simulator::tensor {

template <typename T> struct Square {
  static constexpr unsigned kSide = 16 / sizeof(T);
  typedef T Row __attribute__((vector_size(16)));

  /// Columns [first, first + kSide) of the source's rows; those of the
  /// destination are `dstPitch` bytes apart.
  static void transpose(const uint8_t *const *src, unsigned first, uint8_t *dst,
                        int64_t dstPitch) {
    Row rows[kSide], next[kSide];
    for (unsigned i = 0; i < kSide; ++i)
      std::memcpy(&rows[i], src[i] + first * sizeof(T), sizeof(Row));
    for (unsigned round = 1; round < kSide; round *= 2) {
      for (unsigned i = 0; i < kSide / 2; ++i) {
        next[2 * i] = interleaved<0>(rows[i], rows[i + kSide / 2]);
        next[2 * i + 1] = interleaved<kSide / 2>(rows[i], rows[i + kSide / 2]);
      }
      std::memcpy(rows, next, sizeof(rows));
    }
    for (unsigned i = 0; i < kSide; ++i)
      std::memcpy(dst + i * dstPitch, &rows[i], sizeof(Row));
  }

private:
  template <unsigned From> static Row interleaved(Row a, Row b) {
    return [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) {
      return __builtin_shufflevector(
          a, b, (I % 2 ? kSide + From + I / 2 : From + I / 2)...);
    }(std::make_integer_sequence<unsigned, kSide>());
  }
};

} // namespace neuron::simulator::tensor

//===- Interval.h - bounds of affine values ---------------------*- C++ -*-===//
//
// Interval arithmetic that notices overflow.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/program/Program.h"

namespace neuron::program {

/// Both ends are part of it.
struct Interval {
  int64_t low = 0, high = 0;
};

/// a + b * c with b, c of any sign; nothing if it does not fit.
inline std::optional<int64_t> addProduct(int64_t a, int64_t b, int64_t c) {
  int64_t product, sum;
  if (__builtin_mul_overflow(b, c, &product) ||
      __builtin_add_overflow(a, product, &sum))
    return std::nullopt;
  return sum;
}

/// Adds `stride` times [0, count) to the interval; nothing if it does not fit.
inline std::optional<Interval> extend(std::optional<Interval> interval,
                                      int64_t stride, int64_t count) {
  if (!interval)
    return std::nullopt;
  auto end = stride < 0 ? &Interval::low : &Interval::high;
  auto moved = addProduct((*interval).*end, stride, count - 1);
  if (!moved)
    return std::nullopt;
  (*interval).*end = *moved;
  return interval;
}

/// The values of `affine` while the counters run through `counts`.
inline std::optional<Interval> boundsOf(const Affine &affine,
                                        std::span<const int64_t> counts) {
  std::optional<Interval> bounds = Interval{affine.base, affine.base};
  for (size_t i = 0; i < counts.size(); ++i)
    bounds = extend(bounds, affine.coefficients[i], counts[i]);
  return bounds;
}

} // namespace neuron::program

//===- Polynomial.h - small pieces that all functions share -----*- C++ -*-===//
//
// Coefficients in this folder are minimax fits of our own (Remez exchange on
// the stated interval), rounded to the type they stand in.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Scalar.h"
#include <cstddef>
#include <limits>

namespace neuron::simulator::semantics::inline NEURON_ISA {

template <class T> constexpr T infinity() {
  return std::numeric_limits<T>::infinity();
}
template <class T> constexpr T quietNaN() {
  return std::numeric_limits<T>::quiet_NaN();
}
template <class T>
inline constexpr BitsOf<T> kSignBit =
    BitsOf<T>(BitsOf<T>(1) << (sizeof(T) * 8 - 1));

/// c[from] + x (c[from + step] + x (...)), to the end of c.
template <template <class> class V, class T, size_t N>
V<T> horner(V<T> x, const T (&c)[N], size_t from, size_t step) {
  size_t last = from + (N - 1 - from) / step * step;
  V<T> sum = c[last];
  for (size_t i = last; i > from; i -= step)
    sum = multiplyAdd(sum, x, V<T>(c[i - step]));
  return sum;
}

/// c[0] + x (c[1] + x (...)). What follows the second term of a long one is
/// the even and the odd terms apart, half as long a chain of operations that
/// wait for each other: the first two terms decide the last bit.
template <template <class> class V, class T, size_t N>
V<T> polynomial(V<T> x, const T (&c)[N]) {
  if constexpr (N < 8) {
    return horner(x, c, 0, 1);
  } else {
    V<T> square = x * x;
    V<T> rest =
        multiplyAdd(horner(square, c, 3, 2), x, horner(square, c, 2, 2));
    V<T> sum = multiplyAdd(rest, x, V<T>(c[1]));
    return multiplyAdd(sum, x, V<T>(c[0]));
  }
}

template <template <class> class V, class T> V<bool> isNaN(V<T> x) {
  return x != x;
}

template <template <class> class V, class T> V<T> magnitude(V<T> x) {
  return bitcast<T>(bitcast<BitsOf<T>>(x) & BitsOf<T>(~kSignBit<T>));
}

/// The magnitude of a with the sign of b.
template <template <class> class V, class T> V<T> withSignOf(V<T> a, V<T> b) {
  using U = BitsOf<T>;
  return bitcast<T>((bitcast<U>(a) & U(~kSignBit<T>)) |
                    (bitcast<U>(b) & kSignBit<T>));
}

/// min(|x|, bound); keeps NaN.
template <template <class> class V, class T>
V<T> clampMagnitude(V<T> x, T bound) {
  V<T> y = magnitude(x);
  return choose(y > bound, V<T>(bound), y);
}

/// Every NaN that an instruction computes or converts is this one: what the
/// hardware gives depends on the order of operands.
template <template <class> class V, class T> V<T> canonical(V<T> x) {
  if constexpr (std::is_floating_point_v<T>)
    return choose(x != x, V<T>(quietNaN<T>()), x);
  else
    return x;
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

//===- Scalar.h - one plain value -------------------------------*- C++ -*-===//
//
// The functions of this folder are templates over a value type V<T>: one
// element of type T in the interpreter (Scalar<T>, here), a vector of LLVM
// values in the compiled form (compiled/Emitted.h). Both offer what this file
// offers and nothing else, and every operation is one IEEE or one integer
// operation, so that the same template gives the same bits.
//
// Integers wrap. A shift count is below the width. to<U> must be in range.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Isa.h"
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// An unsigned type that T's arithmetic is done in, so that it wraps and is
/// never undefined (a product of two uint16_t would be an int).
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) <= 4), uint32_t, uint64_t>;

/// The integer of a floating point type's width.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, uint64_t,
    std::conditional_t<sizeof(T) == 4, uint32_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

template <class T> struct Scalar {
  using Element = T;
  T v;
  Scalar() = default;
  constexpr Scalar(T value) : v(value) {}

  static constexpr bool kFloat = std::is_floating_point_v<T>;
  static constexpr bool kBool = std::is_same_v<T, bool>;
  using W = Wrapping<T>;

  friend Scalar operator+(Scalar a, Scalar b) {
    if constexpr (kFloat)
      return a.v + b.v;
    else
      return T(W(a.v) + W(b.v));
  }
  friend Scalar operator-(Scalar a, Scalar b) {
    if constexpr (kFloat)
      return a.v - b.v;
    else
      return T(W(a.v) - W(b.v));
  }
  friend Scalar operator*(Scalar a, Scalar b) {
    if constexpr (kFloat)
      return a.v * b.v;
    else
      return T(W(a.v) * W(b.v));
  }
  /// Integers: b is neither 0 nor -1.
  friend Scalar operator/(Scalar a, Scalar b) { return T(a.v / b.v); }
  friend Scalar operator%(Scalar a, Scalar b) { return T(a.v % b.v); }
  friend Scalar operator-(Scalar a) {
    if constexpr (kFloat)
      return -a.v;
    else
      return T(W(0) - W(a.v));
  }

  friend Scalar operator&(Scalar a, Scalar b) { return T(a.v & b.v); }
  friend Scalar operator|(Scalar a, Scalar b) { return T(a.v | b.v); }
  friend Scalar operator^(Scalar a, Scalar b) { return T(a.v ^ b.v); }
  friend Scalar operator~(Scalar a) {
    if constexpr (kBool)
      return !a.v;
    else
      return T(~a.v);
  }
  friend Scalar operator<<(Scalar a, Scalar b) { return T(W(a.v) << b.v); }
  friend Scalar operator>>(Scalar a, Scalar b) { return T(a.v >> b.v); }

  friend Scalar<bool> operator==(Scalar a, Scalar b) { return a.v == b.v; }
  friend Scalar<bool> operator!=(Scalar a, Scalar b) { return a.v != b.v; }
  friend Scalar<bool> operator<(Scalar a, Scalar b) { return a.v < b.v; }
  friend Scalar<bool> operator<=(Scalar a, Scalar b) { return a.v <= b.v; }
  friend Scalar<bool> operator>(Scalar a, Scalar b) { return a.v > b.v; }
  friend Scalar<bool> operator>=(Scalar a, Scalar b) { return a.v >= b.v; }

  friend Scalar choose(Scalar<bool> mask, Scalar a, Scalar b) {
    return mask.v ? a : b;
  }
  // Correctly rounded and exact operations of floating point.
  /// a * b + c, rounded once.
  friend Scalar multiplyAdd(Scalar a, Scalar b, Scalar c) {
    return T(std::fma(a.v, b.v, c.v));
  }
  friend Scalar root(Scalar a) { return T(std::sqrt(a.v)); }
  friend Scalar roundDown(Scalar a) { return T(std::floor(a.v)); }
  friend Scalar roundUp(Scalar a) { return T(std::ceil(a.v)); }
  friend Scalar roundToZero(Scalar a) { return T(std::trunc(a.v)); }
  friend Scalar roundToEven(Scalar a) {
    return T(std::is_same_v<T, float> ? __builtin_rintf(a.v)
                                      : __builtin_rint(a.v));
  }
};

template <class U, class T> Scalar<U> bitcast(Scalar<T> x) {
  return std::bit_cast<U>(x.v);
}

/// Numeric conversion: float to integer truncates, integer to float rounds to
/// nearest even, integers wrap, bool is 0 or 1.
template <class U, class T> Scalar<U> to(Scalar<T> x) {
  static_assert(!std::is_same_v<U, bool>, "write x != 0");
  return U(x.v);
}

/// table[index], the index in range.
template <class T> Scalar<T> lookup(const T *table, Scalar<uint32_t> index) {
  return table[index.v];
}

/// Set by an integer division by zero; the interpreter clears it before and
/// asks after a row.
inline thread_local bool divisionByZeroSeen = false;
inline void flagDivisionByZero(Scalar<bool> any) {
  divisionByZeroSeen |= any.v;
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

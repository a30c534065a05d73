//===- Scalars.h - functions that exist one element at a time ---*- C++ -*-===//
//
// What needs a loop or is too rare to be worth a vector form. The compiled form
// calls the rows of Semantics.h for these, so they too have one source.
// The float64 special functions are the C library's, where it has them.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Arithmetic.h"
#include "runtime/simulator/semantics/ErrorFunction.h"
#include "runtime/simulator/semantics/Trigonometric.h"
#include <cstdlib>

namespace neuron::simulator::semantics {

double digammaOf(double x);
double erfinvOf(double x);
double lgammaOf(double x);
double erfcxOf(double x);
double ndtriOf(double p);
/// Modified Bessel functions; with an e, scaled by exp(-|x|) or exp(x).
double i0Of(double x);
double i0eOf(double x);
double i1Of(double x);
double i1eOf(double x);
double k0Of(double x);
double k0eOf(double x);
double k1Of(double x);
double k1eOf(double x);
/// Hurwitz's sum of (q + n)^-s over n >= 0.
double zetaOf(double s, double q);
/// Regularized incomplete gamma functions.
double igammaOf(double a, double x);
double igammacOf(double a, double x);

} // namespace neuron::simulator::semantics

namespace neuron::simulator::semantics::inline NEURON_ISA {
namespace fn {

using F32 = Scalar<float>;
using F64 = Scalar<double>;

template <class T>
  requires(isFloating<T>)
Scalar<T> fmod(Scalar<T> a, Scalar<T> b) {
  return std::fmod(a.v, b.v);
}

template <class T>
  requires(isFloating<T>)
Scalar<T> remainder(Scalar<T> a, Scalar<T> b) {
  T rest = std::fmod(a.v, b.v);
  return rest != 0 && (b.v < 0) != (rest < 0) ? rest + b.v : rest;
}

/// PyTorch's floor_divide: by the remainder, as Python divides.
template <class T>
  requires(isFloating<T>)
Scalar<T> floor_div(Scalar<T> a, Scalar<T> b) {
  if (b.v == 0)
    return a.v / b.v;
  T rest = std::fmod(a.v, b.v);
  T q = (a.v - rest) / b.v;
  if (rest != 0 && (b.v < 0) != (rest < 0))
    q -= 1;
  if (q == 0)
    return std::copysign(T(0), a.v / b.v);
  T down = std::floor(q);
  return q - down > T(0.5) ? down + 1 : down;
}

template <class T>
  requires(!isFloating<T>)
Scalar<T> pow(Scalar<T> base, Scalar<T> exponent) {
  T n = exponent.v;
  if constexpr (std::is_signed_v<T>)
    if (n < 0) {
      if (base.v == -1)
        return T(n & 1 ? -1 : 1);
      return T(base.v == 1);
    }
  Scalar<T> result = T(1), square = base;
  for (; n; n = T(n >> 1)) {
    if (n & 1)
      result = result * square;
    square = square * square;
  }
  return result;
}

template <class T> Scalar<T> gcd(Scalar<T> a, Scalar<T> b) {
  // As PyTorch does it: |a| of the smallest integer wraps, and the remainders
  // keep the sign of what they are taken of.
  a = fn::abs(a), b = fn::abs(b);
  while (a.v != 0) {
    Scalar<T> rest = b - quotient(b, a) * a;
    b = a, a = rest;
  }
  return b;
}

template <class T> Scalar<T> lcm(Scalar<T> a, Scalar<T> b) {
  Scalar<T> g = fn::gcd(a, b);
  if (g.v == 0)
    return g;
  if constexpr (sizeof(T) < 4) // in C++, PyTorch's product is an int here
    return T(std::abs(int(quotient(a, g).v) * int(b.v)));
  else
    return fn::abs(quotient(a, g) * b);
}

inline F64 erfinv(F64 x) { return erfinvOf(x.v); }

// In float64 for both types.
#define NEURON_WIDE(name, function)                                            \
  inline F32 name(F32 x) { return float(function(double(x.v))); }              \
  inline F64 name(F64 x) { return function(x.v); }
NEURON_WIDE(lgamma, lgammaOf)
NEURON_WIDE(digamma, digammaOf)
NEURON_WIDE(erfcx, erfcxOf)
NEURON_WIDE(ndtri, ndtriOf)
NEURON_WIDE(i0, i0Of)
NEURON_WIDE(i0e, i0eOf)
NEURON_WIDE(i1, i1Of)
NEURON_WIDE(i1e, i1eOf)
NEURON_WIDE(k0, k0Of)
NEURON_WIDE(k0e, k0eOf)
NEURON_WIDE(k1, k1Of)
NEURON_WIDE(k1e, k1eOf)
NEURON_WIDE(bessel_j0, ::j0)
NEURON_WIDE(bessel_j1, ::j1)
NEURON_WIDE(bessel_y0, ::y0)
NEURON_WIDE(bessel_y1, ::y1)
#undef NEURON_WIDE
#define NEURON_WIDE(name, function)                                            \
  inline F32 name(F32 a, F32 b) { return float(function(a.v, b.v)); }          \
  inline F64 name(F64 a, F64 b) { return function(a.v, b.v); }
NEURON_WIDE(zeta, zetaOf)
NEURON_WIDE(igamma, igammaOf)
NEURON_WIDE(igammac, igammacOf)
#undef NEURON_WIDE

template <class T>
  requires(isFloating<T>)
Scalar<T> frexp_mantissa(Scalar<T> x) {
  int exponent;
  return std::frexp(x.v, &exponent);
}
/// 0 of zeros, infinities and NaN.
template <class T>
  requires(isFloating<T>)
Scalar<T> frexp_exponent(Scalar<T> x) {
  int exponent = 0;
  if (std::isfinite(x.v))
    (void)std::frexp(x.v, &exponent);
  return T(exponent);
}

#define NEURON_LIBM(name)                                                      \
  inline F64 name(F64 x) { return std::name(x.v); }
NEURON_LIBM(exp)
NEURON_LIBM(exp2)
NEURON_LIBM(expm1)
NEURON_LIBM(log)
NEURON_LIBM(log2)
NEURON_LIBM(log10)
NEURON_LIBM(log1p)
NEURON_LIBM(sin)
NEURON_LIBM(cos)
NEURON_LIBM(tan)
NEURON_LIBM(asin)
NEURON_LIBM(acos)
NEURON_LIBM(atan)
NEURON_LIBM(sinh)
NEURON_LIBM(cosh)
NEURON_LIBM(tanh)
NEURON_LIBM(asinh)
NEURON_LIBM(acosh)
NEURON_LIBM(atanh)
NEURON_LIBM(erf)
NEURON_LIBM(erfc)
#undef NEURON_LIBM
inline F64 atan2(F64 y, F64 x) { return std::atan2(y.v, x.v); }
inline F64 hypot(F64 x, F64 y) { return std::hypot(x.v, y.v); }
inline F64 pow(F64 x, F64 y) { return std::pow(x.v, y.v); }

inline F64 sigmoid(F64 x) {
  double z = std::exp(-std::fabs(x.v));
  return (x.v < 0 ? z : 1.0) / (1.0 + z);
}
/// -inf gives NaN, as PyTorch's x / (1 + exp(-x)).
inline F64 silu(F64 x) {
  if (x.v == -infinity<double>())
    return quietNaN<double>();
  return x.v * sigmoid(x).v;
}
inline F64 gelu(F64 x) {
  return x.v * (0.5 * std::erfc(-x.v * 0x1.6a09e667f3bcdp-1));
}
inline F64 gelu_tanh(F64 x) {
  if (x.v == -infinity<double>())
    return quietNaN<double>();
  double x3 = x.v * x.v * x.v;
  return x.v * sigmoid(0x1.9884533d43651p+0 * (x.v + 0.044715 * x3)).v;
}

} // namespace fn
} // namespace neuron::simulator::semantics::inline NEURON_ISA

//===- Logarithm.h - log, pow and the inverse hyperbolics -------*- C++ -*-===//
#pragma once
#include "runtime/simulator/semantics/Exponential.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// log of a positive normal double: 2 atanh((m-1)/(m+1)) + e ln 2.
template <template <class> class V> V<double> logInDouble(V<double> x) {
  constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDull;
  V<uint64_t> bits = bitcast<uint64_t>(x);
  V<uint64_t> biased = (bits - kSqrtHalf + (uint64_t(1023) << 52)) >> 52;
  // 2^52 + biased, less 2^52 + 1023: the exponent without a conversion.
  V<double> e = bitcast<double>(biased | 0x4330000000000000ull) -
                (4503599627370496.0 + 1023.0);
  V<double> m = bitcast<double>(bits - (biased << 52) + (uint64_t(1023) << 52));
  V<double> s = (m - 1.0) / (m + 1.0);
  V<double> z = s * s;
  V<double> p = polynomial(z, {0.33333333333333348, 0.19999999999949122,
                               0.14285714313245693, 0.11111105528852816,
                               0.090914471615127446, 0.076657801327351935,
                               0.073091629126130431});
  V<double> twice = s + s;
  return multiplyAdd(e, V<double>(kLn2High64),
                     multiplyAdd(twice * z, p, twice));
}

/// log(1 + x) for x > -1, 1 + x far from overflow.
template <template <class> class V> V<double> log1pInDouble(V<double> x) {
  V<double> u = x + 1.0;
  return logInDouble(u) + (x - (u - 1.0)) / u;
}

/// What a logarithm gives for zero, negative numbers, infinity and NaN.
template <template <class> class V>
V<float> withLogEdges(V<float> x, V<float> result) {
  result = choose(x == 0.0f, V<float>(-infinity<float>()), result);
  result = choose(x == infinity<float>(), x, result);
  return choose(x >= 0.0f, result, V<float>(quietNaN<float>()));
}

namespace fn {

template <template <class> class V> V<float> log(V<float> x) {
  V<bool> tiny = x < 0x1p-126f;
  V<float> y = choose(tiny, x * 0x1p+23f, x);
  constexpr int32_t kSqrtHalf = 0x3F3504F3;
  V<int32_t> bits = bitcast<int32_t>(y) - kSqrtHalf;
  V<float> e = to<float>(bits >> 23);
  e = choose(tiny, e - 23.0f, e);
  V<float> f = bitcast<float>((bits & 0x007FFFFF) + kSqrtHalf) - 1.0f;
  V<float> f2 = f * f;
  V<float> p = polynomial(f, {0.333333105f, -0.249999866f, 0.200021461f,
                              -0.166692182f, 0.142200246f, -0.12385533f,
                              0.118650973f, -0.11780794f, 0.0692122504f});
  V<float> small = multiplyAdd(f * f2, p, e * kLn2Low);
  small = multiplyAdd(f2, V<float>(-0.5f), small);
  return withLogEdges(x, multiplyAdd(e, V<float>(kLn2High), f + small));
}

template <template <class> class V> V<float> log2(V<float> x) {
  V<double> l = logInDouble(to<double>(x));
  return withLogEdges(x, to<float>(l * 0x1.71547652b82fep+0));
}

template <template <class> class V> V<float> log10(V<float> x) {
  V<double> l = logInDouble(to<double>(x));
  return withLogEdges(x, to<float>(l * 0x1.bcb7b1526e50ep-2));
}

template <template <class> class V> V<float> log1p(V<float> x) {
  V<float> l = to<float>(log1pInDouble(to<double>(x)));
  l = choose(x == -1.0f, V<float>(-infinity<float>()), l);
  l = choose((x == 0.0f) | (x == infinity<float>()), x, l);
  return choose(x >= -1.0f, l, V<float>(quietNaN<float>()));
}

template <template <class> class V> V<float> asinh(V<float> x) {
  V<float> y = magnitude(x);
  V<double> a = to<double>(y);
  V<double> a2 = a * a;
  V<float> l =
      to<float>(log1pInDouble(a + a2 / (root(a2 + 1.0) + V<double>(1.0))));
  l = choose(y < infinity<float>(), l, y);
  return withSignOf(l, x);
}

template <template <class> class V> V<float> acosh(V<float> x) {
  V<double> a = to<double>(x) - 1.0;
  V<float> l = to<float>(log1pInDouble(a + root(a * (a + 2.0))));
  l = choose(x == infinity<float>(), x, l);
  return choose(x >= 1.0f, l, V<float>(quietNaN<float>()));
}

template <template <class> class V> V<float> atanh(V<float> x) {
  V<float> y = magnitude(x);
  V<double> a = to<double>(y);
  V<float> l = to<float>(log1pInDouble((a + a) / (V<double>(1.0) - a)) * 0.5);
  l = choose(y == 1.0f, V<float>(infinity<float>()), l);
  l = choose(y == 0.0f, y, l);
  return choose(y <= 1.0f, withSignOf(l, x), V<float>(quietNaN<float>()));
}

/// exp(y log|x|), and the sign and the exceptions of C's pow.
template <template <class> class V> V<float> pow(V<float> x, V<float> y) {
  V<float> a = magnitude(x);
  V<double> l = logInDouble(to<double>(a));
  l = choose(a == 0.0f, V<double>(-infinity<double>()), l);
  l = choose(a == infinity<float>(), V<double>(infinity<double>()), l);
  V<double> p = to<double>(y) * l;
  p = choose(p > 200.0, V<double>(200.0), p);
  p = choose(p < -200.0, V<double>(-200.0), p);
  V<float> r = to<float>(expInDouble(p).value());
  r = choose(a == 1.0f, V<float>(1.0f), r);

  V<bool> integral = roundToZero(y) == y;
  // All floats from 2^24 on are even.
  V<float> bounded = choose(magnitude(y) < 0x1p+24f, y, V<float>(0.0f));
  V<bool> odd = integral & ((to<int32_t>(bounded) & 1) != 0);
  V<bool> negative = bitcast<int32_t>(x) < 0;
  r = choose(negative & odd, -r, r);
  V<bool> noReal = (x < 0.0f) & (x > -infinity<float>()) & ~integral;
  r = choose(noReal, V<float>(quietNaN<float>()), r);
  r = choose(isNaN(x) | isNaN(y), V<float>(quietNaN<float>()), r);
  return choose((y == 0.0f) | (x == 1.0f), V<float>(1.0f), r);
}

} // namespace fn
} // namespace neuron::simulator::semantics::inline NEURON_ISA

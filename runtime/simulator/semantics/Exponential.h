//===- Exponential.h - exp and what is made of it ---------------*- C++ -*-===//
//
// float32: exp(x) = 2^n * (1 + r + r^2 P(r)) with r = x - n ln 2, |r| <= ln 2
// / 2. The scale 2^n is kept in two factors, so that results may be subnormal
// and functions that multiply by a small exponential lose nothing. The
// functions that are not hot compute in float64 and round once.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Polynomial.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// An exponential as m * s1 * s2, m in [0.7, 1.42], s1 and s2 powers of two.
template <template <class> class V> struct SplitExp {
  V<float> m, s1, s2;
  V<float> value() const { return m * s1 * s2; }
};

inline constexpr float kLog2E = 0x1.715476p+0f;
/// ln 2 in two parts.
inline constexpr float kLn2High = 0x1.62e430p-1f, kLn2Low = -0x1.05c610p-29f;
inline constexpr double kLn2High64 = 0x1.62e42fefa39efp-1,
                        kLn2Low64 = 0x1.abc9e3b39803fp-56;
/// Adding 1.5 * 2^23 rounds a float to an integer and leaves it in the low
/// bits.
inline constexpr float kShifter = 0x1.8p+23f;
inline constexpr double kShifter64 = 0x1.8p+52;

template <template <class> class V> V<float> powerOfTwo(V<int32_t> n) {
  return bitcast<float>((n + 127) << 23);
}

/// e^r - 1 for |r| <= ln 2 / 2.
template <template <class> class V> V<float> expm1OfRest(V<float> r) {
  V<float> p = polynomial(r, {0.49999994f, 0.166665152f, 0.0416684411f,
                              0.00836934894f, 0.00138135708f});
  return multiplyAdd(r * r, p, r);
}

/// exp(high + low) for high in [-170, 89] and |low| far below it.
template <template <class> class V>
SplitExp<V> splitExp(V<float> high, V<float> low, bool hasLow) {
  V<float> t = multiplyAdd(high, V<float>(kLog2E), V<float>(kShifter));
  V<int32_t> n = bitcast<int32_t>(t) - 0x4B400000;
  t = t - kShifter;
  V<float> r = multiplyAdd(t, V<float>(-kLn2High), high);
  r = multiplyAdd(t, V<float>(-kLn2Low), r);
  if (hasLow)
    r = r + low;
  V<int32_t> half = n >> 1;
  return {expm1OfRest(r) + 1.0f, powerOfTwo(half), powerOfTwo(n - half)};
}

/// The range outside of which exp is 0 or infinite.
template <template <class> class V>
V<float> clampToExpRange(V<float> x, float least = -104.0f) {
  x = choose(x > 89.0f, V<float>(89.0f), x);
  return choose(x < least, V<float>(least), x);
}

/// An exponential in float64 as scale * (1 + rest).
template <template <class> class V> struct DoubleExp {
  V<double> scale, rest;
  V<double> value() const { return multiplyAdd(scale, rest, scale); }
  V<double> lessOne() const { return multiplyAdd(scale, rest, scale - 1.0); }
};

/// For |x| <= 700.
template <template <class> class V> DoubleExp<V> expInDouble(V<double> x) {
  V<double> t =
      multiplyAdd(x, V<double>(0x1.71547652b82fep+0), V<double>(kShifter64));
  V<double> scale = bitcast<double>((bitcast<uint64_t>(t) + 1023) << 52);
  t = t - kShifter64;
  V<double> r = multiplyAdd(t, V<double>(-kLn2High64), x);
  r = multiplyAdd(t, V<double>(-kLn2Low64), r);
  V<double> p = polynomial(r, {0.49999999999653622, 0.16666666667309435,
                               0.041666666972805896, 0.0083333330804469027,
                               0.0013888808993559451, 0.00019841551827755007,
                               2.488199332535656e-05, 2.7490554155947639e-06});
  return {scale, multiplyAdd(r * r, p, r)};
}

namespace fn {

template <template <class> class V> V<float> exp(V<float> x) {
  x = clampToExpRange(x);
  return splitExp(x, x, false).value();
}

template <template <class> class V> V<float> exp2(V<float> x) {
  x = choose(x > 129.0f, V<float>(129.0f), x);
  x = choose(x < -151.0f, V<float>(-151.0f), x);
  V<float> t = x + kShifter;
  V<int32_t> n = bitcast<int32_t>(t) - 0x4B400000;
  V<float> r = x - (t - kShifter);
  V<float> p =
      polynomial(r, {0.693147182f, 0.240226507f, 0.0555041097f, 0.00961803365f,
                     0.00133334263f, 0.000154682144f, 1.53160399e-05f});
  V<int32_t> half = n >> 1;
  return multiplyAdd(r, p, V<float>(1.0f)) * powerOfTwo(half) *
         powerOfTwo(n - half);
}

template <template <class> class V> V<float> expm1(V<float> x) {
  V<float> y = clampToExpRange(x);
  return choose(x == 0.0f, x, to<float>(expInDouble(to<double>(y)).lessOne()));
}

template <template <class> class V> V<float> sinh(V<float> x) {
  V<float> y = clampMagnitude(x, 100.0f);
  V<double> e = expInDouble(to<double>(y)).lessOne();
  V<float> s = to<float>((e + e / (e + 1.0)) * 0.5);
  return withSignOf(s, x);
}

template <template <class> class V> V<float> cosh(V<float> x) {
  V<double> e = expInDouble(to<double>(clampMagnitude(x, 100.0f))).value();
  return to<float>((e + V<double>(1.0) / e) * 0.5);
}

/// e / (e + 2) with e = expm1(2 |x|), which never cancels.
template <template <class> class V> V<float> tanh(V<float> x) {
  V<float> y = clampMagnitude(x, 9.5f) * 2.0f;
  V<float> t = multiplyAdd(y, V<float>(kLog2E), V<float>(kShifter));
  V<float> scale = powerOfTwo(bitcast<int32_t>(t) - 0x4B400000);
  t = t - kShifter;
  V<float> r = multiplyAdd(t, V<float>(-kLn2High), y);
  r = multiplyAdd(t, V<float>(-kLn2Low), r);
  V<float> e = multiplyAdd(scale, expm1OfRest(r), scale - 1.0f);
  return withSignOf(e / (e + 2.0f), x);
}

/// z = exp(-|x|): 1/(1+z) or z/(1+z).
template <template <class> class V> V<float> sigmoid(V<float> x) {
  V<float> y = clampToExpRange(-magnitude(x));
  V<float> z = splitExp(y, y, false).value();
  return choose(x < 0.0f, z, V<float>(1.0f)) / (z + 1.0f);
}

/// x sigmoid(x), the small scale factor last: x z may be subnormal.
template <template <class> class V> V<float> silu(V<float> x) {
  V<float> y = clampToExpRange(-magnitude(x), -150.0f);
  SplitExp<V> z = splitExp(y, y, false);
  V<bool> negative = x < 0.0f;
  V<float> bounded = choose(x < -150.0f, V<float>(-150.0f), x);
  V<float> numerator = bounded * choose(negative, z.m * z.s1, V<float>(1.0f));
  V<float> result =
      numerator / (z.value() + 1.0f) * choose(negative, z.s2, V<float>(1.0f));
  // PyTorch computes -inf / (1 + inf).
  return choose(x == -infinity<float>(), V<float>(quietNaN<float>()), result);
}

/// x Phi(x) with Phi(-y) = exp(-y^2/2) Q(y). The square is split, so that the
/// exponential of a large one is as exact as that of a small one.
template <template <class> class V> V<float> gelu(V<float> x) {
  V<float> y = clampMagnitude(x, 14.6f);
  V<float> head = bitcast<float>(bitcast<uint32_t>(y) & 0xFFFFF000u);
  SplitExp<V> e =
      splitExp(head * head * -0.5f, (y - head) * (y + head) * -0.5f, true);
  V<float> inverse = V<float>(1.0f) / (y + 3.0f);
  V<float> q = (y - 3.0f) * inverse;
  V<float> tail =
      e.m * e.s1 *
      (polynomial(q, {0.729083717f, -0.509332001f, 0.230017707f, -0.0472626872f,
                      -0.0104625188f, 0.00696930429f, 0.0010247766f,
                      -0.00103253569f, -0.000244748371f, 0.000131272216f,
                      5.44631403e-05f}) *
       inverse);
  V<float> positive = multiplyAdd(-y, tail * e.s2, x);
  V<float> negative = -(y * tail * e.s2);
  V<float> result = choose(x < 0.0f, negative, positive);
  return choose(x == -infinity<float>(), V<float>(quietNaN<float>()), result);
}

/// x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3), 2u in two parts.
template <template <class> class V> V<float> gelu_tanh(V<float> x) {
  V<float> y = clampMagnitude(x, 12.0f);
  V<double> wide = to<double>(y);
  V<double> u =
      wide * (wide * wide * -0x1.2444f2a4d8b4bp-4 - 0x1.9884533d43651p+0);
  V<float> high = to<float>(u);
  V<float> low = to<float>(u - to<double>(high));
  high = clampToExpRange(high, -150.0f);
  SplitExp<V> z = splitExp(high, low, true);
  V<bool> negative = x < 0.0f;
  V<float> numerator = choose(negative, -y * (z.m * z.s1), x);
  V<float> result =
      numerator / (z.value() + 1.0f) * choose(negative, z.s2, V<float>(1.0f));
  return choose(x == -infinity<float>(), V<float>(quietNaN<float>()), result);
}

} // namespace fn
} // namespace neuron::simulator::semantics::inline NEURON_ISA

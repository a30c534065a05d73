//===- Trigonometric.h - sin, cos, tan and their inverses -------*- C++ -*-===//
//
// float32, in float64 inside. The range is reduced exactly for every float:
// x = m 2^e with an integer m of 24 bits, and a table holds 2^e * 2/pi modulo 4
// for every exponent in two parts, the first so short that m times it is exact.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Exponential.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

struct TwoOverPi {
  double high, low;
};
/// Row e: (2^(max(e,1)-150) * 2/pi) mod 4, e the exponent field of a float.
inline constexpr TwoOverPi kTwoOverPi[256] = {
#include "runtime/simulator/semantics/TwoOverPi.inc"
    {0.0, 0.0}, // infinity and NaN
};

template <template <class> class V> struct SinCos {
  V<double> sin, cos;   ///< of the rest, |rest| <= pi/4
  V<uint64_t> quadrant; ///< modulo 4 in its low two bits
};

/// |x| = quadrant * pi/2 + rest.
template <template <class> class V> SinCos<V> sinCosOfRest(V<float> x) {
  V<uint32_t> bits = bitcast<uint32_t>(x) & 0x7FFFFFFFu;
  V<uint32_t> exponent = bits >> 23;
  V<uint32_t> fraction = bits & 0x007FFFFFu;
  V<uint32_t> integer =
      choose(exponent == 0u, fraction, fraction | 0x00800000u);
  V<double> m = to<double>(bitcast<int32_t>(integer));
  const double *table = &kTwoOverPi[0].high;
  V<double> high = m * lookup(table, exponent << 1);
  V<double> low = m * lookup(table, (exponent << 1) | 1u);
  V<double> t = high + kShifter64;
  V<double> r = ((high - (t - kShifter64)) + low) * 0x1.921fb54442d18p+0;
  V<double> z = r * r;
  V<double> s = polynomial(z, {-0.16666666666663818, 0.0083333333310350883,
                               -0.00019841266873819017, 2.7555977825164365e-06,
                               -2.4804420202510976e-08});
  V<double> c = polynomial(z, {0.041666666666664631, -0.0013888888887245588,
                               2.4801585179964068e-05, -2.7556360283700816e-07,
                               2.0699727577617708e-09});
  return {
      multiplyAdd(r * z, s, r),
      multiplyAdd(z * z, c, multiplyAdd(z, V<double>(-0.5), V<double>(1.0))),
      bitcast<uint64_t>(t)};
}

template <template <class> class V>
V<float> nanUnlessFinite(V<float> x, V<float> result) {
  return choose(magnitude(x) < infinity<float>(), result,
                V<float>(quietNaN<float>()));
}

/// atan of x >= 0.
template <template <class> class V> V<double> atanInDouble(V<double> x) {
  V<bool> large = x > 2.4142135623730951, middle = x > 0.41421356237309503;
  V<double> numerator =
      choose(large, V<double>(-1.0), choose(middle, x - 1.0, x));
  V<double> denominator =
      choose(large, x, choose(middle, x + 1.0, V<double>(1.0)));
  V<double> offset =
      choose(large, V<double>(0x1.921fb54442d18p+0),
             choose(middle, V<double>(0x1.921fb54442d18p-1), V<double>(0.0)));
  V<double> t = numerator / denominator;
  V<double> z = t * t;
  V<double> p = polynomial(z, {-0.33333333333333254, 0.19999999999903939,
                               -0.14285714266950825, 0.11111109687387649,
                               -0.090908540745546343, 0.076910806005613092,
                               -0.066498643473392183, 0.057377716307367883,
                               -0.044877931862873366, 0.022808075035134181});
  return offset + multiplyAdd(t * z, p, t);
}

namespace fn {

template <template <class> class V> V<float> sin(V<float> x) {
  SinCos<V> sc = sinCosOfRest(x);
  V<bool> odd = (sc.quadrant & 1u) != 0u, negative = (sc.quadrant & 2u) != 0u;
  V<double> y = choose(odd, sc.cos, sc.sin);
  V<float> r = to<float>(choose(negative, -y, y));
  r = choose(bitcast<int32_t>(x) < 0, -r, r);
  return nanUnlessFinite(x, r);
}

template <template <class> class V> V<float> cos(V<float> x) {
  SinCos<V> sc = sinCosOfRest(x);
  V<uint64_t> q = sc.quadrant + 1u;
  V<bool> odd = (q & 1u) != 0u, negative = (q & 2u) != 0u;
  V<double> y = choose(odd, sc.cos, sc.sin);
  return nanUnlessFinite(x, to<float>(choose(negative, -y, y)));
}

template <template <class> class V> V<float> tan(V<float> x) {
  SinCos<V> sc = sinCosOfRest(x);
  V<bool> odd = (sc.quadrant & 1u) != 0u;
  V<double> numerator = choose(odd, -sc.cos, sc.sin);
  V<float> r = to<float>(numerator / choose(odd, sc.sin, sc.cos));
  r = choose(bitcast<int32_t>(x) < 0, -r, r);
  return nanUnlessFinite(x, r);
}

template <template <class> class V> V<float> asin(V<float> x) {
  V<double> a = to<double>(magnitude(x));
  V<double> c = root((V<double>(1.0) - a) * (a + 1.0));
  V<float> r = to<float>(atanInDouble(a / c));
  r = choose(magnitude(x) <= 1.0f, r, V<float>(quietNaN<float>()));
  return withSignOf(r, x);
}

template <template <class> class V> V<float> acos(V<float> x) {
  V<double> a = to<double>(x);
  V<double> t = root((V<double>(1.0) - a) / (a + 1.0));
  V<float> r = to<float>(atanInDouble(t) * 2.0);
  return choose(magnitude(x) <= 1.0f, r, V<float>(quietNaN<float>()));
}

template <template <class> class V> V<float> atan(V<float> x) {
  V<float> r = to<float>(atanInDouble(to<double>(magnitude(x))));
  return withSignOf(choose(isNaN(x), x, r), x);
}

template <template <class> class V> V<float> atan2(V<float> y, V<float> x) {
  V<double> a = to<double>(magnitude(y)), b = to<double>(magnitude(x));
  V<bool> steep = a > b;
  V<double> small = choose(steep, b, a), large = choose(steep, a, b);
  V<double> ratio = small / large;
  ratio = choose(large == 0.0, V<double>(0.0), ratio);
  ratio = choose(small == infinity<double>(), V<double>(1.0), ratio);
  V<double> r = atanInDouble(ratio);
  r = choose(steep, V<double>(0x1.921fb54442d18p+0) - r, r);
  r = choose(bitcast<int32_t>(x) < 0, V<double>(0x1.921fb54442d18p+1) - r, r);
  V<float> result = withSignOf(to<float>(r), y);
  return choose(isNaN(x) | isNaN(y), V<float>(quietNaN<float>()), result);
}

} // namespace fn
} // namespace neuron::simulator::semantics::inline NEURON_ISA

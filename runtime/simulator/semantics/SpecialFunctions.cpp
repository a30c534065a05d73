//===- SpecialFunctions.cpp - functions of one operand in float64 -------===//
#include "runtime/simulator/semantics/Scalars.h"

namespace neuron::simulator::semantics {

namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

/// The asymptotic series for x >= 10: log x - 1/2x - sum B_2k / (2k x^2k).
double digammaOfLarge(double x) {
  static constexpr double kTerms[] = {1.0 / 12,   -1.0 / 120,    1.0 / 252,
                                      -1.0 / 240, 1.0 / 132,     -691.0 / 32760,
                                      1.0 / 12,   -3617.0 / 8160};
  if (x > 1e17)
    return std::log(x);
  double z = 1.0 / (x * x);
  double sum = 0;
  for (int i = 7; i >= 0; --i)
    sum = (sum + kTerms[i]) * z;
  return std::log(x) - 0.5 / x - sum;
}

} // namespace

double digammaOf(double x) {
  if (x == 0)
    return std::copysign(infinity<double>(), -x);
  if (std::isinf(x))
    return x > 0 ? x : quietNaN<double>();
  double reflected = 0;
  if (x < 0) {
    double fraction = x - std::nearbyint(x); // exact
    if (fraction == 0)
      return quietNaN<double>();
    reflected = -kPi / std::tan(kPi * fraction);
    x = 1 - x;
  }
  double shifted = 0;
  for (; x < 10; x += 1)
    shifted -= 1 / x;
  return shifted + digammaOfLarge(x) + reflected;
}

double lgammaOf(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

double erfinvOf(double x) {
  double a = std::fabs(x);
  if (!(a <= 1))
    return quietNaN<double>();
  if (a == 1)
    return std::copysign(infinity<double>(), x);
  double w = -std::log((1 - a) * (1 + a));
  double y;
  if (w < 16) {
    y = a * erfinvRatio(Scalar<double>(w)).v;
  } else {
    double s = std::sqrt(w);
    y = std::sqrt(w - std::log(s * std::sqrt(kPi)));
  }
  // Newton's step with the correction for curvature; from 1e-2 three are
  // enough.
  for (int i = 0; i < (w < 16 ? 2 : 4); ++i) {
    double error = a < 0.5 ? std::erf(y) - a : (1 - a) - std::erfc(y);
    double step = error / (2 / std::sqrt(kPi) * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double erfcxOf(double x) {
  if (x < -27) // overflows
    return infinity<double>();
  if (x < 12) {
    // exp(x^2) of the square and of what rounding took from it.
    double square = x * x, rest = std::fma(x, x, -square);
    return std::exp(square) * std::erfc(x) * (1 + rest);
  }
  // 1 - 1 / 2x^2 + 3 / 4x^4 - ...
  double z = 0.5 / (x * x), term = 1, sum = 1;
  for (int k = 1; k < 16; ++k) {
    term *= -(2 * k - 1) * z;
    sum += term;
  }
  return sum / (x * std::sqrt(kPi));
}

double ndtriOf(double p) {
  if (!(p >= 0 && p <= 1))
    return quietNaN<double>();
  if (p == 0 || p == 1)
    return p == 0 ? -infinity<double>() : infinity<double>();
  constexpr double kRoot2 = 0x1.6a09e667f3bcdp+0;
  if (p > 0.1 && p < 0.9)
    return kRoot2 * erfinvOf(2 * p - 1);
  if (p > 0.5)
    return -ndtriOf(1 - p);
  // The lower tail's leading term, then Newton's steps on the logarithm of the
  // distribution, which is concave: they converge from any side.
  double y = -std::sqrt(-2 * std::log(p));
  for (int i = 0; i < 30; ++i) {
    // log of the distribution and its derivative, by erfcx where it is small.
    double scaled = 0.5 * erfcxOf(-y / kRoot2);
    double logarithm = std::log(scaled) - y * y / 2;
    double slope = 1 / (scaled * std::sqrt(2 * kPi));
    double step = (logarithm - std::log(p)) / slope;
    y -= step;
    if (std::fabs(step) < 1e-15 * std::fabs(y))
      break;
  }
  return y;
}

} // namespace neuron::simulator::semantics

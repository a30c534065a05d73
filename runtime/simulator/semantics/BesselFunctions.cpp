//===- BesselFunctions.cpp - Bessel functions in float64 ------------------===//
//
// Of the orders 0 and 1. I by its power series, whose terms are all positive,
// and by the asymptotic one; K by the trapezoidal rule, which converges
// geometrically on its integral; J and Y are the C library's.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Scalars.h"
#include <algorithm>

namespace neuron::simulator::semantics {

namespace {

constexpr double kTwoPi = 0x1.921fb54442d18p+2;
/// From here on the asymptotic series is exact enough.
constexpr double kLarge = 30;
/// exp(x) overflows a little beyond.
constexpr double kExpLimit = 709;

/// I(x) of x in [0, kLarge): sum of (x/2)^(2k + order) / (k! (k + order)!).
double seriesOfI(int order, double x) {
  double half = x / 2, square = half * half;
  double term = order == 0 ? 1 : half, sum = term;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= square / (double(k) * (k + order));
    sum += term;
  }
  return sum;
}

/// sqrt(2 pi x) exp(-x) I(x) for large x: 1 - (m - 1) / 8x + (m - 1)(m - 9) /
/// 2! (8x)^2 - ... of m = 4 order^2.
double asymptoteOfI(int order, double x) {
  double m = 4.0 * order * order, term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) {
    double odd = 2 * k - 1;
    term *= (odd * odd - m) / (k * 8 * x);
    sum += term;
    if (std::fabs(term) < 1e-17)
      break;
  }
  return sum;
}

/// I(x) or exp(-|x|) I(x), of x >= 0.
double besselI(int order, double x, bool isScaled) {
  if (x < kLarge) {
    double sum = seriesOfI(order, x);
    return isScaled ? sum * std::exp(-x) : sum;
  }
  if (std::isinf(x))
    return isScaled ? 0 : x;
  // The root of each: twice pi times the largest number is infinite.
  double ratio = asymptoteOfI(order, x) / (std::sqrt(kTwoPi) * std::sqrt(x));
  if (isScaled)
    return ratio;
  if (x < kExpLimit)
    return std::exp(x) * ratio;
  return std::exp(x / 2) * ratio * std::exp(x / 2);
}

/// The integral of exp(-x (cosh t - 1)) cosh(order t) over t >= 0, which is
/// exp(x) K(x). The integrand becomes narrower than the step of 1/8 as x grows.
double scaledK(int order, double x) {
  double step = 0.125 / std::max(1.0, std::sqrt(x) / 2), sum = 0.5;
  for (int i = 1;; ++i) {
    double t = i * step, half = std::sinh(t / 2);
    double exponent = -2 * x * half * half;
    double term = std::exp(exponent + (order ? t : 0));
    if (order)
      term *= (1 + std::exp(-2 * t)) / 2;
    sum += term;
    if (term < sum * 1e-18)
      return sum * step;
  }
}

double besselK(int order, double x, bool isScaled) {
  if (std::isnan(x) || x < 0)
    return quietNaN<double>();
  if (x == 0)
    return infinity<double>();
  if (std::isinf(x))
    return 0;
  // The integrand reaches too far; these are the first terms of the series.
  if (x < 1e-9)
    return (order ? 1 / x : -std::log(x / 2) - 0.57721566490153286061) *
           (isScaled ? 1 + x : 1);
  double scaled = scaledK(order, x);
  return isScaled ? scaled : scaled * std::exp(-x);
}

} // namespace

double i0Of(double x) { return besselI(0, std::fabs(x), false); }
double i0eOf(double x) { return besselI(0, std::fabs(x), true); }
double i1Of(double x) {
  return std::copysign(besselI(1, std::fabs(x), false), x);
}
double i1eOf(double x) {
  return std::copysign(besselI(1, std::fabs(x), true), x);
}
double k0Of(double x) { return besselK(0, x, false); }
double k0eOf(double x) { return besselK(0, x, true); }
double k1Of(double x) { return besselK(1, x, false); }
double k1eOf(double x) { return besselK(1, x, true); }

} // namespace neuron::simulator::semantics

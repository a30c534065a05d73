//===- AccuracyTest.cpp - float32 functions against the real result -------===//
//
// Every stride-th float (NEURON_TEST_STRIDE, default 10007; 1 is exhaustive and
// has not been run yet), and random pairs for functions of two operands. The
// reference is the C library in long double; where that is not exact enough it
// says so.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Semantics.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace neuron;
using namespace neuron::simulator::semantics;
using program::DType;
using program::Fn;

namespace {

using Real = long double;
constexpr Real kPi = 3.14159265358979323846264338327950288L;

/// Distance in units of the last place of the float next to `exact`.
double ulpError(float got, Real exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) == std::isnan(got) ? 0 : 1e30;
  float rounded = static_cast<float>(exact);
  if (std::isinf(got) || std::isinf(rounded)) {
    if (got == rounded)
      return 0;
    // One step across the overflow threshold counts as one.
    Real bound = 0x1p+128L;
    Real distance = std::fabs(
        (std::isinf(got) ? std::copysign(bound, (Real)got) : (Real)got) -
        (std::isinf(rounded) && !std::isinf(exact) ? exact
         : std::isinf(exact)                       ? exact
                                                   : exact));
    return static_cast<double>(distance / 0x1p+104L);
  }
  int exponent;
  std::frexp(std::max(std::fabs(exact), (Real)0x1p-126L), &exponent);
  return static_cast<double>(std::fabs(got - exact) /
                             std::ldexp((Real)1, exponent - 24));
}

Real sigmoidReal(Real x) { return 1 / (1 + std::exp(-x)); }
/// erfc of long double underflows late enough for float32.
Real geluReal(Real x) {
  if (x == -INFINITY)
    return NAN;
  return x == INFINITY ? x : x * 0.5L * std::erfc(-x / std::sqrt(2.0L));
}
Real geluTanhReal(Real x) {
  if (x == -INFINITY)
    return NAN;
  if (std::fabs(x) > 100)
    return x > 0 ? x : -0.0L;
  return x * sigmoidReal(2 * std::sqrt(2 / kPi) * (x + 0.044715L * x * x * x));
}
Real siluReal(Real x) {
  if (x == -INFINITY)
    return NAN;
  return x < -11000 ? -0.0L : x * sigmoidReal(x);
}
Real erfinvReal(Real x) {
  if (!(std::fabs(x) <= 1))
    return NAN;
  if (std::fabs(x) == 1)
    return std::copysign((Real)INFINITY, x);
  Real a = std::fabs(x), w = -std::log((1 - a) * (1 + a));
  Real y = std::sqrt(w) * 0.8L;
  if (a < 1e-4L)
    y = a * std::sqrt(kPi) / 2;
  for (int i = 0; i < 60; ++i) {
    Real error = a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    Real step = error / (2 / std::sqrt(kPi) * std::exp(-y * y));
    y -= step / (1 + y * step);
    if (std::fabs(step) < 1e-17L * y)
      break;
  }
  return std::copysign(y, x);
}
Real lgammaReal(Real x) {
  int sign;
  return lgammal_r(x, &sign);
}
Real digammaReal(Real x) {
  if (x == 0)
    return std::copysign((Real)INFINITY, -x);
  if (std::isinf(x))
    return x > 0 ? x : (Real)NAN;
  Real reflected = 0;
  if (x < 0) {
    Real fraction = x - std::nearbyint(x);
    if (fraction == 0)
      return NAN;
    reflected = -kPi / std::tan(kPi * fraction);
    x = 1 - x;
  }
  Real shifted = 0;
  for (; x < 25; x += 1)
    shifted -= 1 / x;
  Real z = 1 / (x * x);
  Real sum =
      z *
      (1 / 12.0L -
       z * (1 / 120.0L -
            z * (1 / 252.0L -
                 z * (1 / 240.0L - z * (1 / 132.0L - z * 691 / 32760.0L)))));
  return shifted + std::log(x) - 0.5L / x - sum + reflected;
}

Real erfcxReal(Real x) {
  if (x < 100)
    return std::exp(x * x) * std::erfc(x);
  Real z = 0.5L / (x * x);
  return (1 - z + 3 * z * z) / (x * std::sqrt(kPi));
}
/// By bisection.
Real ndtriReal(Real p) {
  if (!(p >= 0 && p <= 1))
    return NAN;
  if (p == 0 || p == 1)
    return p == 0 ? -INFINITY : INFINITY;
  if (p == 0.5L)
    return 0;
  if (p > 0.5L)
    return -ndtriReal(1 - p);
  Real low = -16, high = 0;
  for (int i = 0; i < 80; ++i) {
    Real middle = (low + high) / 2;
    bool isBelow = std::erfc(-middle / std::sqrt(2.0L)) / 2 < p;
    (isBelow ? low : high) = middle;
  }
  return low;
}
/// exp(-|x|) I(x): the mean of exp(|x| (cos t - 1)) cos(order t), for large x
/// the asymptotic series.
Real scaledIReal(int order, Real x) {
  Real a = std::fabs(x), sum = 0;
  if (a < 1000) {
    int steps = 40 + int(16 * std::sqrt(a));
    for (int i = 0; i < steps; ++i) {
      Real t = 2 * kPi * i / steps, half = std::sin(t / 2);
      sum += std::exp(-2 * a * half * half) * std::cos(order * t) / steps;
    }
    if (order && a < 1e-3L) // where the terms cancel
      sum = a / 2 * (1 + a * a / 8) * std::exp(-a);
  } else {
    Real m = 4 * order * order, z = 1 / (8 * a);
    sum = (1 - (m - 1) * z + (m - 1) * (m - 9) * z * z / 2) /
          std::sqrt(2 * kPi * a);
  }
  return order && x < 0 ? -sum : sum;
}
Real iReal(int order, Real x) {
  return std::isinf(x) ? (order ? x : INFINITY)
                       : scaledIReal(order, x) * std::exp(std::fabs(x));
}
/// exp(x) K(x) by its integral.
Real scaledKReal(int order, Real x) {
  if (!(x >= 0))
    return NAN;
  if (x == 0 || std::isinf(x))
    return x == 0 ? INFINITY : 0;
  if (x < 1e-4L) { // the integrand is long; the first terms of the series
    Real logarithm = std::log(x / 2) + 0.577215664901532860606512L;
    return (order ? 1 / x + x / 2 * (logarithm - 0.5L)
                  : -logarithm * (1 + x * x / 4) + x * x / 4) *
           std::exp(x);
  }
  Real step = 1 / (16 * std::max(1.0L, std::sqrt(x))), sum = 0.5L;
  for (int i = 1;; ++i) {
    Real t = i * step;
    Real term = std::exp(-x * 2 * std::pow(std::sinh(t / 2), 2.0L)) *
                std::cosh(order * t);
    sum += term;
    if (!(term > sum * 1e-22L))
      return sum * step;
  }
}
Real kReal(int order, Real x) {
  return scaledKReal(order, x) * (std::isinf(x) ? 1 : std::exp(-x));
}

struct Unary {
  Fn fn;
  Real (*reference)(Real);
};
#define REFERENCE(name) {Fn::name, [](Real x) -> Real { return std::name(x); }}
const Unary kUnary[] = {
    REFERENCE(exp),
    REFERENCE(exp2),
    REFERENCE(expm1),
    REFERENCE(log),
    REFERENCE(log2),
    REFERENCE(log10),
    REFERENCE(log1p),
    REFERENCE(sin),
    REFERENCE(cos),
    REFERENCE(tan),
    REFERENCE(asin),
    REFERENCE(acos),
    REFERENCE(atan),
    REFERENCE(sinh),
    REFERENCE(cosh),
    REFERENCE(tanh),
    REFERENCE(asinh),
    REFERENCE(acosh),
    REFERENCE(atanh),
    REFERENCE(erf),
    REFERENCE(erfc),
    REFERENCE(sqrt),
    REFERENCE(ceil),
    REFERENCE(floor),
    REFERENCE(trunc),
    {Fn::round, [](Real x) -> Real { return std::nearbyint(x); }},
    {Fn::rsqrt, [](Real x) -> Real { return 1 / std::sqrt(x); }},
    {Fn::reciprocal, [](Real x) -> Real { return 1 / x; }},
    {Fn::erfinv, erfinvReal},
    {Fn::lgamma, lgammaReal},
    {Fn::digamma, digammaReal},
    {Fn::erfcx, erfcxReal},
    {Fn::ndtri, ndtriReal},
    {Fn::i0, [](Real x) { return iReal(0, x); }},
    {Fn::i0e, [](Real x) { return std::isinf(x) ? 0 : scaledIReal(0, x); }},
    {Fn::i1, [](Real x) { return iReal(1, x); }},
    {Fn::i1e, [](Real x) { return std::isinf(x) ? 0 : scaledIReal(1, x); }},
    {Fn::k0, [](Real x) { return kReal(0, x); }},
    {Fn::k0e, [](Real x) { return scaledKReal(0, x); }},
    {Fn::k1, [](Real x) { return kReal(1, x); }},
    {Fn::k1e, [](Real x) { return scaledKReal(1, x); }},
    {Fn::bessel_j0, [](Real x) { return ::j0l(x); }},
    {Fn::bessel_j1, [](Real x) { return ::j1l(x); }},
    {Fn::bessel_y0, [](Real x) { return ::y0l(x); }},
    {Fn::bessel_y1, [](Real x) { return ::y1l(x); }},
    {Fn::frexp_mantissa,
     [](Real x) -> Real {
       int exponent;
       return std::frexp(x, &exponent);
     }},
    {Fn::frexp_exponent,
     [](Real x) -> Real {
       int exponent = 0;
       if (std::isfinite(x))
         (void)std::frexp(x, &exponent);
       return exponent;
     }},
    {Fn::sigmoid, sigmoidReal},
    {Fn::silu, siluReal},
    {Fn::gelu, geluReal},
    {Fn::gelu_tanh, geluTanhReal},
};

uint64_t stride() {
  const char *text = std::getenv("NEURON_TEST_STRIDE");
  return text ? std::strtoull(text, nullptr, 10) : 10007;
}

class UnaryAccuracy : public testing::TestWithParam<Unary> {};

TEST_P(UnaryAccuracy, WithinBoundOfTable) {
  Fn fn = GetParam().fn;
  RowFunction row = rowFunction(fn, DType::F32);
  ASSERT_NE(row, nullptr);
  // An exact function rounds once.
  double bound = std::max<double>(program::info(fn).ulp, 0.5);
  double worst = 0;
  float worstAt = 0;
  bool flag = false;
  std::vector<float> in, out;
  auto flush = [&] {
    out.resize(in.size());
    const void *src = in.data();
    int64_t one = 1;
    row(&src, &one, out.data(), static_cast<int64_t>(in.size()), &flag);
    for (size_t i = 0; i < in.size(); ++i) {
      double error = ulpError(out[i], GetParam().reference(in[i]));
      if (error > worst)
        worst = error, worstAt = in[i];
    }
    in.clear();
  };
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += stride()) {
    uint32_t word = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &word, 4);
    in.push_back(x);
    if (in.size() == 4096)
      flush();
  }
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, INFINITY, -INFINITY,
                  std::nanf(""), 0x1p-149f, -0x1p-149f, 0x1.fffffep+127f, 88.7f,
                  89.0f, -87.4f, -103.9f, -104.0f, 3.0f, 1e-4f})
    in.push_back(x);
  flush();
  std::printf("%-12s max %.3f ulp at %a (bound %g)\n",
              std::string(program::nameOf(fn)).c_str(), worst, worstAt, bound);
  EXPECT_LE(worst, bound) << program::nameOf(fn) << " at " << worstAt;
}

INSTANTIATE_TEST_SUITE_P(Float32, UnaryAccuracy, testing::ValuesIn(kUnary),
                         [](const auto &info) {
                           return std::string(program::nameOf(info.param.fn));
                         });

/// zeta(s, q) by Euler and Maclaurin, far from the start of the sum.
Real zetaReal(Real s, Real q) {
  if (s < 1)
    return NAN;
  if (s == 1 || (q <= 0 && q == std::floor(q)))
    return INFINITY;
  if (std::isnan(s) || std::isnan(q))
    return NAN;
  if (q < 0 && s != std::floor(s))
    return NAN;
  if (std::isinf(q) || std::isinf(s))
    return std::isinf(q) || q > 1 ? 0 : q == 1 ? 1 : INFINITY;
  Real sum = 0;
  if (q < 0 && s > 1e6L) { // only the base next to 0 counts
    Real above = q - std::floor(q), below = 1 - above;
    bool isOdd = std::fmod(s, 2.0L) == 1;
    if (above == below && isOdd)
      return 0; // two of them cancel, and the next ones are above 1
    Real nearest = std::pow(std::min(above, below), -s);
    return above < below || !isOdd ? nearest : -nearest;
  }
  for (int i = 0; i < 60 || q < 40; ++i, q += 1) {
    Real term = std::pow(q, -s);
    sum += term;
    if (q > 1 && term < sum * 1e-22L)
      return sum;
  }
  Real last = std::pow(q, -s), z = 1 / (q * q);
  if (last == 0)
    return sum;
  return sum + last * (q / (s - 1) + 0.5L + s / (12 * q) -
                       s * (s + 1) * (s + 2) * z / (720 * q) +
                       s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * z * z /
                           (30240 * q));
}

/// The lower or the upper function by the power series.
Real igammaReal(Real a, Real x, bool isUpper) {
  if (a < 0 || x < 0 || (a == 0 && !(x > 0)) ||
      (std::isinf(a) && std::isinf(x)))
    return NAN;
  // What PyTorch says before it looks for NaN.
  if (a != 0 && (x == 0 || std::isinf(a)))
    return isUpper ? 1 : 0;
  if (a == 0 || std::isinf(x) || x > 4 * a + 200)
    return isUpper ? 0 : 1;
  if (std::isnan(a) || std::isnan(x))
    return NAN;
  if (a > 1e4L && x == a) {
    Real lower = 0.5L + 1 / (3 * std::sqrt(2 * kPi * a));
    return isUpper ? 1 - lower : lower;
  }
  if (isUpper && a < 1e-9L && x <= 1) { // a E1(x), where 1 - lower cancels
    Real sum = -0.577215664901532860606512L - std::log(x), power = 1;
    for (int k = 1; k < 40; ++k)
      sum -= (power *= -x / k) / k;
    return a * sum;
  }
  if (a > 4 * x + 1000 || a > 1e4L) // no sample of these is near the middle
    return (x > a) != isUpper;
  if (isUpper && x > a + 1 && x > 1) { // a continued fraction, from behind
    Real tail = 0;
    for (int i = 600; i > 0; --i)
      tail = i * (i - a) / (x + 2 * i + 1 - a - tail);
    return std::exp(a * std::log(x) - x - std::lgamma(a)) / (x + 1 - a - tail);
  }
  Real term = 1, sum = 1;
  for (Real n = a + 1; term > sum * 1e-22L; n += 1)
    sum += term *= x / n;
  Real lower = std::exp(a * std::log(x) - x - std::lgamma(a + 1)) * sum;
  return isUpper ? 1 - lower : lower;
}

struct Binary {
  Fn fn;
  Real (*reference)(Real, Real);
};
const Binary kBinary[] = {
    {Fn::pow, [](Real x, Real y) -> Real { return std::pow(x, y); }},
    {Fn::atan2, [](Real x, Real y) -> Real { return std::atan2(x, y); }},
    {Fn::hypot, [](Real x, Real y) -> Real { return std::hypot(x, y); }},
    {Fn::div, [](Real x, Real y) -> Real { return x / y; }},
    {Fn::fmod, [](Real x, Real y) -> Real { return std::fmod(x, y); }},
    {Fn::zeta, zetaReal},
    {Fn::igamma, [](Real a, Real x) { return igammaReal(a, x, false); }},
    {Fn::igammac, [](Real a, Real x) { return igammaReal(a, x, true); }},
};

class BinaryAccuracy : public testing::TestWithParam<Binary> {};

TEST_P(BinaryAccuracy, WithinBoundOfTable) {
  Fn fn = GetParam().fn;
  RowFunction row = rowFunction(fn, DType::F32);
  double bound = std::max<double>(program::info(fn).ulp, 0.5);
  std::mt19937 random(7);
  std::vector<float> a, b;
  auto bitsToFloat = [](uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
  };
  const float special[] = {
      0.0f,  -0.0f,  1.0f,        -1.0f,     0.5f,        -0.5f,     2.0f,
      -2.0f, 3.0f,   -3.0f,       INFINITY,  -INFINITY,   NAN,       0x1p-149f,
      1e30f, -1e30f, 16777217.0f, 0x1p-126f, 0.99999994f, 1.0000001f};
  for (float x : special)
    for (float y : special)
      a.push_back(x), b.push_back(y);
  for (int i = 0; i < 400000; ++i) {
    // Any bits, and pairs whose result is in range.
    bool any = i % 4 == 0;
    std::uniform_real_distribution<float> base(-20, 20), exponent(-30, 30);
    a.push_back(any ? bitsToFloat(random()) : std::fabs(base(random)));
    b.push_back(any ? bitsToFloat(random()) : exponent(random));
  }
  std::vector<float> out(a.size());
  const void *srcs[] = {a.data(), b.data()};
  int64_t strides[] = {1, 1};
  bool flag = false;
  row(srcs, strides, out.data(), static_cast<int64_t>(a.size()), &flag);
  double worst = 0;
  size_t worstAt = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double error = ulpError(out[i], GetParam().reference(a[i], b[i]));
    if (error > worst)
      worst = error, worstAt = i;
  }
  std::printf("%-12s max %.3f ulp at %a, %a (bound %g)\n",
              std::string(program::nameOf(fn)).c_str(), worst, a[worstAt],
              b[worstAt], bound);
  EXPECT_LE(worst, bound) << a[worstAt] << " " << b[worstAt];
}

INSTANTIATE_TEST_SUITE_P(Float32, BinaryAccuracy, testing::ValuesIn(kBinary),
                         [](const auto &info) {
                           return std::string(program::nameOf(info.param.fn));
                         });

} // namespace

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

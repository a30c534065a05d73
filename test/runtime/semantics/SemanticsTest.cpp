//===- SemanticsTest.cpp - edge cases as PyTorch has them -----------------===//
//
// The expected values were taken from PyTorch 2.13 on an x86 CPU.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Semantics.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator::semantics;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <class T> constexpr DType dtypeOf() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? DType::F32 : DType::F64;
  else
    switch (sizeof(T)) {
    case 1:
      return std::is_signed_v<T> ? DType::I8 : DType::U8;
    case 2:
      return std::is_signed_v<T> ? DType::I16 : DType::U16;
    case 4:
      return std::is_signed_v<T> ? DType::I32 : DType::U32;
    default:
      return std::is_signed_v<T> ? DType::I64 : DType::U64;
    }
}

bool lastDividedByZero;

template <class R, class T> R call(Fn fn, T a, T b = T()) {
  RowFunction row = rowFunction(fn, dtypeOf<T>());
  EXPECT_NE(row, nullptr) << nameOf(fn);
  const void *srcs[] = {&a, &b};
  int64_t strides[] = {1, 0};
  R result{};
  lastDividedByZero = false;
  row(srcs, strides, &result, 1, &lastDividedByZero);
  return result;
}
float f(Fn fn, float a, float b = 0) { return call<float>(fn, a, b); }

/// Equal bits, NaN included.
void expectBits(float actual, float expected, const char *what) {
  EXPECT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected))
      << what << ": " << actual << " not " << expected;
}
#define EXPECT_BITS(actual, expected) expectBits(actual, expected, #actual)

TEST(Semantics, EveryLegalFunctionExists) {
  for (unsigned d = 0; d < kNumDTypes; ++d)
    for (unsigned i = 0; i < kNumFns; ++i)
      EXPECT_EQ(rowFunction(Fn(i), DType(d)) != nullptr,
                isLegal(Fn(i), DType(d)))
          << nameOf(Fn(i)) << " in " << nameOf(DType(d));
}

TEST(Semantics, FloorDivision) {
  EXPECT_BITS(f(Fn::floor_div, kInf, 1), kNaN);
  EXPECT_BITS(f(Fn::floor_div, -3, kInf), -1.0f);
  EXPECT_BITS(f(Fn::floor_div, 3, kInf), 0.0f);
  EXPECT_BITS(f(Fn::floor_div, 3, -kInf), -1.0f);
  EXPECT_BITS(f(Fn::floor_div, -3, -kInf), 0.0f);
  EXPECT_BITS(f(Fn::floor_div, 3, 0), kInf);
  EXPECT_BITS(f(Fn::floor_div, 3, -0.0f), -kInf);
  EXPECT_BITS(f(Fn::floor_div, 0, 0), kNaN);
  EXPECT_BITS(f(Fn::floor_div, 0, -1), -0.0f);
  EXPECT_BITS(f(Fn::floor_div, -3, 2), -2.0f);
  EXPECT_EQ(call<int32_t>(Fn::floor_div, -7, 2), -4);
  EXPECT_EQ(call<int32_t>(Fn::trunc_div, -7, 2), -3);
  EXPECT_EQ(call<int32_t>(Fn::floor_div, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(call<int64_t>(Fn::trunc_div, INT64_MIN, int64_t(-1)), INT64_MIN);
  EXPECT_EQ(call<int8_t>(Fn::floor_div, int8_t(-128), int8_t(-1)), -128);
  EXPECT_EQ(call<uint8_t>(Fn::floor_div, uint8_t(200), uint8_t(7)), 28);
}

TEST(Semantics, DivisionByZeroIsReported) {
  for (Fn fn : {Fn::floor_div, Fn::trunc_div, Fn::remainder, Fn::fmod}) {
    call<int32_t>(fn, 5, 0);
    EXPECT_TRUE(lastDividedByZero) << nameOf(fn);
    call<int32_t>(fn, 5, 1);
    EXPECT_FALSE(lastDividedByZero) << nameOf(fn);
    call<uint64_t>(fn, uint64_t(5), uint64_t(0));
    EXPECT_TRUE(lastDividedByZero) << nameOf(fn);
    call<float>(fn, 5.0f, 0.0f);
    EXPECT_FALSE(lastDividedByZero) << nameOf(fn);
  }
  call<int32_t>(Fn::gcd, 0, 0);
  EXPECT_FALSE(lastDividedByZero);
}

TEST(Semantics, Remainders) {
  EXPECT_BITS(f(Fn::remainder, -3, kInf), kInf);
  EXPECT_BITS(f(Fn::remainder, 3, -kInf), -kInf);
  EXPECT_BITS(f(Fn::remainder, -3, -kInf), -3.0f);
  EXPECT_BITS(f(Fn::remainder, -3, 2), 1.0f);
  EXPECT_BITS(f(Fn::remainder, -3, 1), -0.0f);
  EXPECT_BITS(f(Fn::remainder, kInf, 1), kNaN);
  EXPECT_BITS(f(Fn::remainder, 1, 0), kNaN);
  EXPECT_BITS(f(Fn::fmod, -3, 2), -1.0f);
  EXPECT_BITS(f(Fn::fmod, -3, kInf), -3.0f);
  EXPECT_EQ(call<int32_t>(Fn::remainder, -7, 3), 2);
  EXPECT_EQ(call<int32_t>(Fn::remainder, 7, -3), -2);
  EXPECT_EQ(call<int32_t>(Fn::fmod, -7, 3), -1);
  EXPECT_EQ(call<int32_t>(Fn::remainder, INT32_MIN, -1), 0);
}

TEST(Semantics, MaximaAndSigns) {
  EXPECT_BITS(f(Fn::maximum, 0.0f, -0.0f), 0.0f);
  EXPECT_BITS(f(Fn::maximum, -0.0f, 0.0f), -0.0f);
  EXPECT_BITS(f(Fn::minimum, 0.0f, -0.0f), 0.0f);
  EXPECT_BITS(f(Fn::minimum, -0.0f, 0.0f), -0.0f);
  EXPECT_BITS(f(Fn::maximum, 1, kNaN), kNaN);
  EXPECT_BITS(f(Fn::maximum, kNaN, 1), kNaN);
  EXPECT_BITS(f(Fn::fmax, kNaN, 1), 1.0f);
  EXPECT_BITS(f(Fn::fmax, 1, kNaN), 1.0f);
  EXPECT_BITS(f(Fn::fmin, 0.0f, -0.0f), 0.0f);
  EXPECT_BITS(f(Fn::hw_max, 1, kNaN), 1.0f);
  EXPECT_BITS(f(Fn::hw_max, kNaN, 1), 1.0f);
  EXPECT_BITS(f(Fn::relu, -0.0f), -0.0f);
  EXPECT_BITS(f(Fn::relu, kNaN), kNaN);
  EXPECT_BITS(f(Fn::sign, kNaN), 0.0f);
  EXPECT_BITS(f(Fn::sign, -0.0f), 0.0f);
  EXPECT_BITS(f(Fn::copysign, 2, -0.0f), -2.0f);
  EXPECT_EQ(call<int8_t>(Fn::abs, int8_t(-128)), -128);
  EXPECT_EQ(call<uint8_t>(Fn::neg, uint8_t(1)), 255);
  EXPECT_EQ((call<bool>(Fn::signbit, -0.0f)), true);
  EXPECT_EQ((call<bool>(Fn::signbit, -kNaN)), false);
}

TEST(Semantics, IntegersWrap) {
  EXPECT_EQ(call<int32_t>(Fn::add, INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(call<uint16_t>(Fn::mul, uint16_t(65535), uint16_t(65535)), 1);
  EXPECT_EQ(call<int32_t>(Fn::shift_left, 5, 32), 0);
  EXPECT_EQ(call<int32_t>(Fn::shift_left, 5, -1), 0);
  EXPECT_EQ(call<int32_t>(Fn::shift_left, 5, 31), INT32_MIN);
  EXPECT_EQ(call<int32_t>(Fn::shift_right, -5, 40), -1);
  EXPECT_EQ(call<int32_t>(Fn::shift_right, 5, -1), 0);
  EXPECT_EQ(call<uint8_t>(Fn::shift_right, uint8_t(200), uint8_t(7)), 1);
  EXPECT_EQ(call<uint8_t>(Fn::shift_right, uint8_t(200), uint8_t(8)), 0);
  EXPECT_EQ(call<int64_t>(Fn::pow, int64_t(3), int64_t(40)),
            -6289078614652622815);
  EXPECT_EQ(call<int64_t>(Fn::pow, int64_t(-2), int64_t(63)), INT64_MIN);
  EXPECT_EQ(call<int64_t>(Fn::pow, int64_t(2), int64_t(-1)), 0);
  EXPECT_EQ(call<int64_t>(Fn::pow, int64_t(-1), int64_t(-3)), -1);
  EXPECT_EQ(call<int64_t>(Fn::pow, int64_t(-1), int64_t(-2)), 1);
}

TEST(Semantics, GcdAndLcm) {
  EXPECT_EQ(call<int32_t>(Fn::gcd, INT32_MIN, 6), -2);
  EXPECT_EQ(call<int32_t>(Fn::gcd, 12, -18), 6);
  EXPECT_EQ(call<int32_t>(Fn::gcd, 0, -7), 7);
  EXPECT_EQ(call<int32_t>(Fn::lcm, INT32_MIN, 6), INT32_MIN);
  EXPECT_EQ(call<int32_t>(Fn::lcm, 12, -18), 36);
  EXPECT_EQ(call<int32_t>(Fn::lcm, 4, 0), 0);
  EXPECT_EQ(call<int8_t>(Fn::lcm, int8_t(8), int8_t(25)), -56);
  EXPECT_EQ(call<int16_t>(Fn::lcm, int16_t(181), int16_t(190)), -31146);
  EXPECT_EQ(call<int32_t>(Fn::lcm, 1 << 20, 6561), 1710227456);
  EXPECT_EQ(call<int8_t>(Fn::lcm, int8_t(-128), int8_t(3)), -128);
}

TEST(Semantics, SpecialFunctionsAtTheirEdges) {
  EXPECT_BITS(f(Fn::silu, -kInf), kNaN);
  EXPECT_BITS(f(Fn::silu, kInf), kInf);
  EXPECT_BITS(f(Fn::gelu, -kInf), kNaN);
  EXPECT_BITS(f(Fn::gelu, kInf), kInf);
  EXPECT_BITS(f(Fn::gelu_tanh, -kInf), kNaN);
  EXPECT_BITS(f(Fn::sigmoid, -kInf), 0.0f);
  EXPECT_BITS(f(Fn::exp, 0), 1.0f);
  EXPECT_BITS(f(Fn::exp2, 10), 1024.0f);
  EXPECT_BITS(f(Fn::log2, 8), 3.0f);
  EXPECT_BITS(f(Fn::log10, 1000), 3.0f);
  EXPECT_BITS(f(Fn::log, -0.0f), -kInf);
  EXPECT_BITS(f(Fn::log, -1), kNaN);
  EXPECT_BITS(f(Fn::log1p, -0.0f), -0.0f);
  EXPECT_BITS(f(Fn::expm1, -0.0f), -0.0f);
  EXPECT_BITS(f(Fn::sin, -0.0f), -0.0f);
  EXPECT_BITS(f(Fn::sin, kInf), kNaN);
  EXPECT_BITS(f(Fn::sin, 1e30f), -0.791163444519043f);
  EXPECT_BITS(f(Fn::rsqrt, -0.0f), -kInf);
  EXPECT_BITS(f(Fn::sqrt, -0.0f), -0.0f);
  EXPECT_BITS(f(Fn::erfinv, 1), kInf);
  EXPECT_BITS(f(Fn::erfinv, 1.5f), kNaN);
  EXPECT_BITS(f(Fn::atanh, -1), -kInf);
  EXPECT_BITS(f(Fn::acosh, 0.5f), kNaN);
  EXPECT_BITS(f(Fn::lgamma, -1), kInf);
  EXPECT_BITS(f(Fn::lgamma, -kInf), kInf);
  EXPECT_BITS(f(Fn::digamma, 0.0f), -kInf);
  EXPECT_BITS(f(Fn::digamma, -0.0f), kInf);
  EXPECT_BITS(f(Fn::digamma, -1), kNaN);
  EXPECT_BITS(f(Fn::digamma, -kInf), kNaN);
  EXPECT_BITS(f(Fn::hypot, kInf, kNaN), kInf);
  EXPECT_BITS(f(Fn::atan2, -0.0f, -1), -3.14159274f);
  EXPECT_BITS(f(Fn::nextafter, 0, -1), -0x1p-149f);
  EXPECT_BITS(f(Fn::nextafter, kInf, 0), 0x1.fffffep+127f);
  EXPECT_BITS(f(Fn::nextafter, 0.0f, -0.0f), -0.0f);
  EXPECT_BITS(f(Fn::round, 2.5f), 2.0f);
}

TEST(Semantics, Pow) {
  EXPECT_BITS(f(Fn::pow, -0.0f, -3), -kInf);
  EXPECT_BITS(f(Fn::pow, -0.0f, 3), -0.0f);
  EXPECT_BITS(f(Fn::pow, -0.0f, 2), 0.0f);
  EXPECT_BITS(f(Fn::pow, -1, kInf), 1.0f);
  EXPECT_BITS(f(Fn::pow, 1, kNaN), 1.0f);
  EXPECT_BITS(f(Fn::pow, kNaN, 0), 1.0f);
  EXPECT_BITS(f(Fn::pow, -2, 0.5f), kNaN);
  EXPECT_BITS(f(Fn::pow, -kInf, 3), -kInf);
  EXPECT_BITS(f(Fn::pow, -kInf, -3), -0.0f);
  EXPECT_BITS(f(Fn::pow, 0.5f, kInf), 0.0f);
  EXPECT_BITS(f(Fn::pow, -2, 1e30f), kInf);
  EXPECT_BITS(f(Fn::pow, 3, 5), 243.0f);
}

template <class R, class T> R cast(CastKind kind, DType from, DType to, T x) {
  R result{};
  rowCast(kind, from, to)(&x, 1, &result, 1);
  return result;
}

struct FloatToInteger {
  float value;
  uint8_t u8;
  int8_t i8;
  uint16_t u16;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
};
constexpr int64_t kMin64 = INT64_MIN;
const FloatToInteger kFloatToInteger[] = {
    {1.9f, 1, 1, 1, 1, 1, 1, 1},
    {-1.9f, 255, -1, 65535, -1, 4294967295u, -1, ~uint64_t(0)},
    {300.f, 44, 44, 300, 300, 300, 300, 300},
    {-300.f, 212, -44, 65236, -300, 4294966996u, -300, uint64_t(-300)},
    {-70000.f, 144, -112, 61072, -70000, 4294897296u, -70000, uint64_t(-70000)},
    {3e9f, 0, 0, 0, INT32_MIN, 3000000000u, 3000000000, 3000000000},
    {-3e9f, 0, 0, 0, INT32_MIN, 2147483648u, -3000000000,
     uint64_t(-3000000000)},
    {5e9f, 0, 0, 0, INT32_MIN, 0, 5000000000, 5000000000},
    {1e19f, 0, 0, 0, INT32_MIN, 0, kMin64, 9999999980506447872u},
    {-1e19f, 0, 0, 0, INT32_MIN, 2147483648u, kMin64, uint64_t(kMin64)},
    {2e19f, 0, 0, 0, INT32_MIN, 0, kMin64, 0},
    {kInf, 0, 0, 0, INT32_MIN, 0, kMin64, 0},
    {-kInf, 0, 0, 0, INT32_MIN, 2147483648u, kMin64, uint64_t(kMin64)},
    {kNaN, 0, 0, 0, INT32_MIN, 2147483648u, kMin64, uint64_t(kMin64)},
};

TEST(Semantics, CastsFloatToIntegerAsPyTorch) {
  auto to = [](DType dtype, float x, auto result) {
    return cast<decltype(result)>(CastKind::Torch, DType::F32, dtype, x);
  };
  for (const FloatToInteger &row : kFloatToInteger) {
    SCOPED_TRACE(row.value);
    EXPECT_EQ(to(DType::U8, row.value, row.u8), row.u8);
    EXPECT_EQ(to(DType::I8, row.value, row.i8), row.i8);
    EXPECT_EQ(to(DType::U16, row.value, row.u16), row.u16);
    EXPECT_EQ(to(DType::I32, row.value, row.i32), row.i32);
    EXPECT_EQ(to(DType::U32, row.value, row.u32), row.u32);
    EXPECT_EQ(to(DType::I64, row.value, row.i64), row.i64);
    EXPECT_EQ(to(DType::U64, row.value, row.u64), row.u64);
    EXPECT_EQ(to(DType::Bool, row.value, uint8_t()), 1);
  }
  EXPECT_EQ(to(DType::Bool, -0.0f, uint8_t()), 0);
  // uint8 goes by int64, where int8 goes by int32.
  double x = 3000000589.0;
  EXPECT_EQ((cast<uint8_t>(CastKind::Torch, DType::F64, DType::U8, x)), 77);
  EXPECT_EQ((cast<int8_t>(CastKind::Torch, DType::F64, DType::I8, x)), 0);
}

TEST(Semantics, CastsToFloat) {
  int64_t big = (int64_t(1) << 62) + (int64_t(1) << 38) + 1;
  EXPECT_EQ((cast<float>(CastKind::Torch, DType::I64, DType::F32, big)),
            0x1p+62f + 549755813888.0f);
  EXPECT_EQ(
      (cast<float>(CastKind::Torch, DType::U64, DType::F32, ~uint64_t(0))),
      0x1p+64f);
  // By float32, so it rounds twice.
  double twice = 1 + 0x1p-11 + 0x1p-30;
  EXPECT_EQ((cast<uint16_t>(CastKind::Torch, DType::F64, DType::F16, twice)),
            0x3c00);
  auto half = [](float x) {
    return cast<uint16_t>(CastKind::Torch, DType::F32, DType::F16, x);
  };
  EXPECT_EQ(half(65504.0f), 0x7bff);
  EXPECT_EQ(half(65519.9f), 0x7bff);
  EXPECT_EQ(half(65520.0f), 0x7c00);
  EXPECT_EQ(half(0x1p-24f), 0x0001);
  EXPECT_EQ(half(0x1p-25f), 0x0000);
  EXPECT_EQ(half(0x1.8p-24f), 0x0002);
  EXPECT_EQ(half(-kNaN), 0x7e00);
  auto brain = [](float x) {
    return cast<uint16_t>(CastKind::Torch, DType::F32, DType::BF16, x);
  };
  EXPECT_EQ(brain(1.00390625f), 0x3f80);
  EXPECT_EQ(brain(1.01171875f), 0x3f82);
  EXPECT_EQ(brain(0x1.fffffep+127f), 0x7f80);
  EXPECT_EQ(brain(-kNaN), 0x7fc0);
}

TEST(Semantics, SmallFloatsGoThereAndBack) {
  for (DType dtype : {DType::F16, DType::BF16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      auto word = static_cast<uint16_t>(bits);
      float f = cast<float>(CastKind::Torch, dtype, DType::F32, word);
      if (std::isnan(f))
        continue;
      ASSERT_EQ((cast<uint16_t>(CastKind::Torch, DType::F32, dtype, f)), word);
    }
}

TEST(Semantics, HardwareCastsSaturate) {
  auto to = [](DType dtype, float x, auto result) {
    return cast<decltype(result)>(CastKind::Hardware, DType::F32, dtype, x);
  };
  EXPECT_EQ(to(DType::U8, 300.0f, uint8_t()), 255);
  EXPECT_EQ(to(DType::U8, -3.0f, uint8_t()), 0);
  EXPECT_EQ(to(DType::U8, 2.5f, uint8_t()), 2);
  EXPECT_EQ(to(DType::I8, -129.0f, int8_t()), -128);
  EXPECT_EQ(to(DType::I32, 3e9f, int32_t()), INT32_MAX);
  EXPECT_EQ(to(DType::I32, -3e9f, int32_t()), INT32_MIN);
  EXPECT_EQ(to(DType::U32, 4294967040.0f, uint32_t()), 4294967040u);
  EXPECT_EQ(to(DType::U32, 1e10f, uint32_t()), UINT32_MAX);
  EXPECT_EQ(to(DType::I64, 1e30f, int64_t()), INT64_MAX);
  EXPECT_EQ(to(DType::U64, 1e19f, uint64_t()), 9999999980506447872u);
  EXPECT_EQ(to(DType::U64, 1e30f, uint64_t()), UINT64_MAX);
  EXPECT_EQ(to(DType::I32, kNaN, int32_t()), 0);
  EXPECT_EQ(to(DType::I16, 1.5f, int16_t()), 2);
  EXPECT_EQ(to(DType::I16, -0.5f, int16_t()), 0);
}

TEST(Semantics, ReductionsHaveAFixedOrder) {
  // 64 lanes and a tree: not what a loop from left to right gives.
  std::vector<float> x(1000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(float(i)) * 1e3f;
  float lanes[64] = {};
  for (size_t i = 0; i < x.size(); ++i)
    lanes[i % 64] += x[i];
  for (int s = 32; s; s /= 2)
    for (int j = 0; j < s; ++j)
      lanes[j] += lanes[j + s];
  float old = 0.1f, result;
  auto sum = rowReduction(Reduction::Sum, DType::F32);
  sum(x.data(), 1, 1000, nullptr, &result);
  EXPECT_BITS(result, lanes[0]);
  sum(x.data(), 1, 1000, &old, &result);
  EXPECT_BITS(result, 0.1f + lanes[0]);
}

TEST(Semantics, MaximaOfRows) {
  float x[] = {1, kNaN, 3, 2};
  float result;
  rowReduction(Reduction::Max, DType::F32)(x, 1, 4, nullptr, &result);
  EXPECT_BITS(result, kNaN);
  rowReduction(Reduction::HwMax, DType::F32)(x, 1, 4, nullptr, &result);
  EXPECT_BITS(result, 3.0f);
  int8_t y[] = {-3, -5};
  int8_t most;
  rowReduction(Reduction::Max, DType::I8)(y, 1, 2, nullptr, &most);
  EXPECT_EQ(most, -3);
}

TEST(Semantics, ArgReductions) {
  auto row = rowArgReduction(DType::F32);
  float value;
  int64_t index;
  float ties[] = {1, 5, 5, 2};
  row(true, ties, 1, 4, 100, false, &value, &index);
  EXPECT_EQ(index, 101);
  EXPECT_BITS(value, 5.0f);
  float nan[] = {1, 9, kNaN, kNaN};
  row(true, nan, 1, 4, 0, false, &value, &index);
  EXPECT_EQ(index, 2);
  // A later chunk: an equal value does not replace it, a NaN does.
  row(true, ties, 1, 4, 0, false, &value, &index);
  row(true, ties, 1, 4, 4, true, &value, &index);
  EXPECT_EQ(index, 1);
  row(true, nan, 1, 4, 8, true, &value, &index);
  EXPECT_EQ(index, 10);
  float more[] = {kNaN, 100};
  row(true, more, 1, 2, 12, true, &value, &index);
  EXPECT_EQ(index, 10);
  float zeros[] = {-0.0f, 0.0f};
  row(true, zeros, 1, 2, 0, false, &value, &index);
  EXPECT_EQ(index, 0);
}

TEST(Semantics, BroadcastsAndWritesInPlace) {
  std::vector<float> x(700, 2.0f);
  float two = 3.0f;
  const void *srcs[] = {x.data(), &two};
  int64_t strides[] = {1, 0};
  bool flag = false;
  rowFunction(Fn::mul, DType::F32)(srcs, strides, x.data(), 700, &flag);
  EXPECT_EQ(x, std::vector<float>(700, 6.0f));
}

} // namespace

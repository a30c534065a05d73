//===- Float8Test.cpp - casts of 8-bit floats by their definition ---------===//
//
// What a code stands for is computed with ldexp, and what a number rounds to is
// found among all codes.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Semantics.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace neuron::program;
using namespace neuron::simulator::semantics;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Format {
  DType dtype;
  int fraction, bias;
  uint8_t overflow; ///< the code of what is too large
  uint8_t nan;
};
constexpr Format kFormats[] = {{DType::F8E4M3FN, 3, 7, 0x7E, 0x7F},
                               {DType::F8E5M2, 2, 15, 0x7C, 0x7F},
                               {DType::F8E4M3FNUZ, 3, 8, 0x80, 0x80},
                               {DType::F8E5M2FNUZ, 2, 16, 0x80, 0x80},
                               {DType::F8E8M0FNU, 0, 127, 0xFF, 0xFF}};

bool isFnuz(const Format &f) { return f.nan == 0x80; }

double valueOf(const Format &f, uint8_t code) {
  if (f.dtype == DType::F8E8M0FNU)
    return code == 0xFF ? kNaN : std::ldexp(1.0, code - 127);
  if (isFnuz(f) ? code == 0x80 : (code & 0x7F) > f.overflow)
    return kNaN;
  double sign = code & 0x80 ? -1 : 1;
  if (f.dtype == DType::F8E5M2 && (code & 0x7F) == 0x7C)
    return sign * kInf;
  int exponent = (code & 0x7F) >> f.fraction;
  int rest = code & ((1 << f.fraction) - 1);
  if (exponent == 0)
    return sign * std::ldexp(rest, 1 - f.bias - f.fraction);
  return sign *
         std::ldexp(rest + (1 << f.fraction), exponent - f.bias - f.fraction);
}

/// The nearest code, the even one of two; beyond the largest number, half a
/// step more rounds to it.
uint8_t codeOf(const Format &f, float x) {
  if (std::isnan(x))
    return f.nan;
  bool isScale = f.dtype == DType::F8E8M0FNU;
  double size = std::abs(double(x));
  if (isScale && size > 0x1p-127 && size < 0x1p-126)
    return 1; // c10 rounds up all that is more than its least number
  int last = isScale ? 0xFE : isFnuz(f) ? 0x7F : f.overflow;
  if (f.dtype == DType::F8E5M2)
    last = 0x7B;
  double step = valueOf(f, uint8_t(last)) - valueOf(f, uint8_t(last - 1));
  double limit = valueOf(f, uint8_t(last)) + step / 2;
  if (isScale) // the next power would be 2^128
    limit = std::ldexp(1.5, 127);
  uint8_t code = 0;
  bool overflows = size > limit || (size == limit && ((last & 1) || isScale));
  if (overflows) {
    code = f.overflow;
  } else {
    for (int other = 1; other <= last; ++other) {
      double gap = std::abs(valueOf(f, uint8_t(other)) - size),
             best = std::abs(valueOf(f, code) - size);
      // A middle of two powers has a fraction of one half: up.
      bool tie = isScale || other % 2 == 0;
      if (gap < best || (gap == best && tie))
        code = uint8_t(other);
    }
  }
  if (isScale || (isFnuz(f) && code == 0))
    return code;
  return code | (std::signbit(x) ? 0x80 : 0);
}

TEST(Float8, EveryCodeIsItsNumber) {
  for (const Format &f : kFormats)
    for (int code = 0; code < 256; ++code) {
      uint8_t byte = uint8_t(code);
      float actual;
      rowCast(CastKind::Torch, f.dtype, DType::F32)(&byte, 1, &actual, 1);
      auto expected = float(valueOf(f, byte));
      EXPECT_EQ(std::bit_cast<uint32_t>(actual),
                std::bit_cast<uint32_t>(expected))
          << nameOf(f.dtype) << " " << code;
      uint8_t back;
      rowCast(CastKind::Torch, DType::F32, f.dtype)(&actual, 1, &back, 1);
      EXPECT_EQ(back, std::isnan(expected) ? f.nan : byte) << nameOf(f.dtype);
    }
}

TEST(Float8, NumbersRoundToTheNearestCode) {
  std::mt19937 random(1);
  for (const Format &f : kFormats) {
    std::vector<float> xs = {0.0f,        -0.0f,  float(kInf), float(-kInf),
                             float(kNaN), 1e-45f, -1e-45f,     3.4e38f};
    for (int code = 0; code < 255; ++code) {
      double a = valueOf(f, uint8_t(code)), b = valueOf(f, uint8_t(code + 1));
      for (double x : {a, (a + b) / 2, 2 * a - b})
        for (float y : {float(x), std::nextafterf(float(x), float(kInf)),
                        std::nextafterf(float(x), float(-kInf))})
          xs.push_back(y);
    }
    for (int i = 0; i < 2000; ++i)
      xs.push_back(std::bit_cast<float>(uint32_t(random())));
    for (float x : xs) {
      uint8_t actual;
      rowCast(CastKind::Torch, DType::F32, f.dtype)(&x, 1, &actual, 1);
      EXPECT_EQ(int(actual), int(codeOf(f, x)))
          << nameOf(f.dtype) << " of " << x;
    }
  }
}

/// float64 goes by float32: what that rounds to a middle is a middle.
TEST(Float8, Float64RoundsTwice) {
  double x = 1.0625 + 0x1p-40; // above the middle of 1 and 1.125
  uint8_t code;
  rowCast(CastKind::Torch, DType::F64, DType::F8E4M3FN)(&x, 1, &code, 1);
  EXPECT_EQ(code, 0x38); // 1.0, the even one
}

} // namespace

//===- Float8.h - casts of the 8-bit floats ---------------------*- C++ -*-===//
//
// To and from float32, bit for bit as c10 has them (torch/headeronly/util):
// nearest even, subnormals kept. What does not fit becomes
//
//   e4m3fn            the largest number; there is no infinity
//   e5m2              infinity
//   e4m3fnuz, e5m2fnuz  NaN, which is 0x80; there is no -0.0 either
//   e8m0fnu           NaN, as infinity does; the sign is dropped, and 0 is the
//                     least power of two
//
// Every NaN becomes the one of its new type that numeric_limits names: the sign
// of a NaN is not kept.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/DType.h"
#include "runtime/simulator/semantics/Polynomial.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

struct Float8Format {
  uint32_t fraction; ///< bits of the fraction
  uint32_t bias;
  uint32_t infinity; ///< the code, also of what overflows; its sign is added
  uint32_t nan;      ///< the canonical one
  bool fnuz;         ///< 0x80 is the one NaN
};

template <program::DType D> constexpr Float8Format float8Format() {
  using program::DType;
  static_assert(program::isFloat8(D) && D != DType::F8E8M0FNU);
  if constexpr (D == DType::F8E4M3FN)
    return {3, 7, 0x7E, 0x7F, false};
  else if constexpr (D == DType::F8E5M2)
    return {2, 15, 0x7C, 0x7F, false};
  else if constexpr (D == DType::F8E4M3FNUZ)
    return {3, 8, 0x80, 0x80, true};
  else
    return {2, 16, 0x80, 0x80, true};
}

inline constexpr uint32_t kInfinityBits = 0x7F800000u, kNaNBits = 0x7FC00000u;

template <program::DType D, template <class> class V>
V<float> fromFloat8(V<uint8_t> x) {
  using U = V<uint32_t>;
  U code = to<uint32_t>(x);
  if constexpr (D == program::DType::F8E8M0FNU) {
    U power = choose(code == 0u, U(0x00400000u), code << 23);
    return bitcast<float>(choose(code == 0xFFu, U(kNaNBits), power));
  } else {
    constexpr Float8Format f = float8Format<D>();
    U magnitude = code & 0x7Fu, sign = (code & 0x80u) << 24;
    U shifted = magnitude << (23 - f.fraction);
    U normal = shifted + ((127 - f.bias) << 23);
    // A subnormal is (1 + f) of the least normal number's power, less that.
    constexpr uint32_t kLeastNormal = (128 - f.bias) << 23;
    U subnormal = bitcast<uint32_t>(bitcast<float>(shifted + kLeastNormal) -
                                    std::bit_cast<float>(kLeastNormal));
    U bits = choose(magnitude < (1u << f.fraction), subnormal, normal) | sign;
    if constexpr (f.fnuz) {
      bits = choose(code == f.nan, U(kNaNBits), bits);
    } else {
      if constexpr (D == program::DType::F8E5M2)
        bits = choose(magnitude == f.infinity, sign | kInfinityBits, bits);
      bits = choose(magnitude > f.infinity, U(kNaNBits), bits);
    }
    return bitcast<float>(bits);
  }
}

template <program::DType D, template <class> class V>
V<uint8_t> toFloat8(V<float> x) {
  using U = V<uint32_t>;
  U bits = bitcast<uint32_t>(x);
  U a = bits & 0x7FFFFFFFu;
  if constexpr (D == program::DType::F8E8M0FNU) {
    // Half a power more rounds up, but from a subnormal only beyond the half.
    U exponent = a >> 23, fraction = a & 0x7FFFFFu;
    V<bool> up =
        choose(exponent == 0u, fraction > 0x400000u, fraction >= 0x400000u);
    U rounded = choose(up, exponent + 1u, exponent);
    return to<uint8_t>(choose(a >= kInfinityBits, U(0xFFu), rounded));
  } else {
    constexpr Float8Format f = float8Format<D>();
    constexpr uint32_t kShift = 23 - f.fraction;
    constexpr uint32_t kLeastNormal = (128 - f.bias) << 23;
    // The last bit of a float of this size is that of a subnormal result.
    constexpr uint32_t kAligned = (127 - f.bias + kShift + 1) << 23;
    U normal = (a - ((127 - f.bias) << 23) + ((1u << (kShift - 1)) - 1u) +
                ((a >> kShift) & 1u)) >>
               kShift;
    U subnormal =
        bitcast<uint32_t>(bitcast<float>(a) + std::bit_cast<float>(kAligned)) -
        kAligned;
    U code = choose(a < kLeastNormal, subnormal, normal);
    code = choose(a >= kInfinityBits, U(f.infinity), code);
    code = choose(code > f.infinity, U(f.infinity), code);
    U sign = (bits >> 24) & 0x80u;
    if constexpr (f.fnuz)
      sign = choose(code == 0u, U(0u), sign);
    return to<uint8_t>(choose(a > kInfinityBits, U(f.nan), code | sign));
  }
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

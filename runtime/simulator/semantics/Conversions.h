//===- Conversions.h - casts between all element types ----------*- C++ -*-===//
//
// Between the registers of two types. A register of bool is V<bool>; float16
// and bfloat16 are their bits in V<uint16_t>, 8-bit floats theirs in
// V<uint8_t>; the others are themselves.
//
//   torchCast     what PyTorch's CPU does (on x86): float to integer truncates,
//                 out of range gives what the instruction gives; NaN is true
//   hardwareCast  TensorCopy: by float32, nearest even, saturating, NaN is 0
//
// A NaN that is converted becomes the canonical NaN of its new type.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/DType.h"
#include "runtime/simulator/semantics/Float8.h"
#include "runtime/simulator/semantics/Polynomial.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

using program::DType;

template <DType D> struct RegisterOf;
#define NEURON_REGISTER(Enumerator, T)                                         \
  template <> struct RegisterOf<DType::Enumerator> {                           \
    using Type = T;                                                            \
  };
NEURON_REGISTER(Bool, bool)
NEURON_REGISTER(U8, uint8_t)
NEURON_REGISTER(I8, int8_t)
NEURON_REGISTER(U16, uint16_t)
NEURON_REGISTER(I16, int16_t)
NEURON_REGISTER(U32, uint32_t)
NEURON_REGISTER(I32, int32_t)
NEURON_REGISTER(U64, uint64_t)
NEURON_REGISTER(I64, int64_t)
NEURON_REGISTER(F16, uint16_t)
NEURON_REGISTER(BF16, uint16_t)
NEURON_REGISTER(F32, float)
NEURON_REGISTER(F64, double)
NEURON_REGISTER(F8E4M3FN, uint8_t)
NEURON_REGISTER(F8E5M2, uint8_t)
NEURON_REGISTER(F8E4M3FNUZ, uint8_t)
NEURON_REGISTER(F8E5M2FNUZ, uint8_t)
NEURON_REGISTER(F8E8M0FNU, uint8_t)
#undef NEURON_REGISTER
template <DType D> using Register = typename RegisterOf<D>::Type;

template <DType D>
inline constexpr bool isSmallFloat = program::isSmallFloat(D);

template <template <class> class V> V<float> fromBF16(V<uint16_t> x) {
  return bitcast<float>(to<uint32_t>(x) << 16);
}

template <template <class> class V> V<uint16_t> toBF16(V<float> x) {
  V<uint32_t> bits = bitcast<uint32_t>(x);
  V<uint32_t> rounded = (bits + ((bits >> 16) & 1u) + 0x7FFFu) >> 16;
  return to<uint16_t>(choose(isNaN(x), V<uint32_t>(0x7FC0u), rounded));
}

template <template <class> class V> V<float> fromF16(V<uint16_t> x) {
  V<uint32_t> h = to<uint32_t>(x);
  V<uint32_t> shifted = (h & 0x7FFFu) << 13;
  V<uint32_t> exponent = shifted & 0x0F800000u;
  V<uint32_t> normal = shifted + 0x38000000u;
  // Infinity and NaN have the largest exponent in both types.
  normal = choose(exponent == 0x0F800000u, normal + 0x38000000u, normal);
  // A subnormal f * 2^-24 is (1 + f) * 2^-14 less 2^-14.
  V<float> subnormal = bitcast<float>(shifted + 0x38800000u) - 0x1p-14f;
  V<uint32_t> magnitudeBits =
      choose(exponent == 0u, bitcast<uint32_t>(subnormal), normal);
  return bitcast<float>(magnitudeBits | ((h & 0x8000u) << 16));
}

template <template <class> class V> V<uint16_t> toF16(V<float> x) {
  V<uint32_t> bits = bitcast<uint32_t>(x);
  V<uint32_t> a = bits & 0x7FFFFFFFu;
  V<uint32_t> normal = (a + 0xC8000FFFu + ((a >> 13) & 1u)) >> 13;
  // Adding 0.5 rounds at the last bit of a subnormal result.
  V<uint32_t> subnormal =
      bitcast<uint32_t>(bitcast<float>(a) + 0.5f) - 0x3F000000u;
  V<uint32_t> r = choose(a < 0x38800000u, subnormal, normal);
  r = choose(a >= 0x47800000u, V<uint32_t>(0x7C00u), r);
  r = r | ((bits >> 16) & 0x8000u);
  r = choose(isNaN(x), V<uint32_t>(0x7E00u), r);
  return to<uint16_t>(r);
}

/// float32 or float64 -> a signed integer of 4 or 8 bytes, truncated; the
/// smallest one if out of range or NaN, as cvttss2si has it.
template <class I, template <class> class V, class T>
V<I> truncateOrMin(V<T> x) {
  constexpr T kLimit = sizeof(I) == 4 ? T(0x1p+31) : T(0x1p+63);
  V<bool> fits = (x < kLimit) & (x > -kLimit);
  // What is between -2^31 - 1 and -2^31 truncates to the smallest one too.
  return choose(fits, to<I>(choose(fits, x, V<T>(T(0)))),
                V<I>(std::numeric_limits<I>::min()));
}

template <class U, template <class> class V, class T>
V<U> torchToInteger(V<T> x) {
  if constexpr (std::is_same_v<U, uint8_t>) {
    return to<uint8_t>(truncateOrMin<int64_t>(x));
  } else if constexpr (sizeof(U) < 4) {
    return to<U>(truncateOrMin<int32_t>(x));
  } else if constexpr (std::is_signed_v<U>) {
    return truncateOrMin<U>(x);
  } else {
    using I = std::make_signed_t<U>;
    constexpr T kHalf = sizeof(U) == 4 ? T(0x1p+31) : T(0x1p+63);
    V<U> upper = bitcast<U>(truncateOrMin<I>(x - kHalf)) ^ kSignBit<U>;
    return choose(x >= kHalf, upper, bitcast<U>(truncateOrMin<I>(x)));
  }
}

/// float32 -> integer: nearest even, saturating, NaN is 0.
template <class U, template <class> class V>
V<U> saturateToInteger(V<float> x) {
  using Limits = std::numeric_limits<U>;
  // 2^k, the first float that does not fit.
  constexpr float kEnd = 2.0f * float(U(1) << (Limits::digits - 1));
  constexpr float kLeast = std::is_signed_v<U> ? -kEnd : 0.0f;
  V<float> r = roundToEven(x);
  V<bool> tooLarge = r >= kEnd, tooSmall = r < kLeast;
  V<bool> fits = (r < kEnd) & (r >= kLeast);
  V<float> safe = choose(fits, r, V<float>(0.0f));
  V<U> result;
  if constexpr (std::is_same_v<U, uint64_t>)
    result = torchToInteger<uint64_t>(safe);
  else if constexpr (sizeof(U) == 8 || std::is_same_v<U, uint32_t>)
    result = to<U>(to<int64_t>(safe));
  else
    result = to<U>(to<int32_t>(safe));
  result = choose(tooLarge, V<U>(Limits::max()), result);
  return choose(tooSmall, V<U>(Limits::min()), result);
}

/// To a type of arithmetic: small floats become float32.
template <DType From, template <class> class V>
auto widen(V<Register<From>> x) {
  if constexpr (From == DType::F16)
    return canonical(fromF16(x));
  else if constexpr (From == DType::BF16)
    return canonical(fromBF16(x));
  else if constexpr (program::isFloat8(From))
    return fromFloat8<From>(x);
  else
    return x;
}

/// float32 to a small float.
template <DType To, template <class> class V>
V<Register<To>> narrow(V<float> x) {
  if constexpr (To == DType::F16)
    return toF16(x);
  else if constexpr (To == DType::BF16)
    return toBF16(x);
  else
    return toFloat8<To>(x);
}

template <class U, template <class> class V, class T> V<U> numeric(V<T> x) {
  if constexpr (std::is_same_v<U, T>)
    return x;
  else if constexpr (std::is_same_v<U, bool>)
    return x != T(0);
  else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>)
    return torchToInteger<U>(x);
  else if constexpr (std::is_floating_point_v<T>)
    return canonical(to<U>(x));
  else
    return to<U>(x);
}

template <DType From, DType To, template <class> class V>
V<Register<To>> torchCast(V<Register<From>> x) {
  if constexpr (From == To) {
    return x;
  } else {
    auto wide = widen<From, V>(x);
    if constexpr (isSmallFloat<To>)
      return narrow<To, V>(numeric<float>(wide));
    else
      return numeric<Register<To>>(wide);
  }
}

template <DType From, DType To, template <class> class V>
V<Register<To>> hardwareCast(V<Register<From>> x) {
  if constexpr (From == To) {
    return x;
  } else {
    V<float> f = torchCast<From, DType::F32, V>(x);
    if constexpr (To == DType::Bool || program::isFloat(To))
      return torchCast<DType::F32, To, V>(f);
    else
      return saturateToInteger<Register<To>>(f);
  }
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

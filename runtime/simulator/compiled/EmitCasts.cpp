//===- EmitCasts.cpp - casts as IR ----------------------------------------===//
#include "runtime/simulator/compiled/EmitFunctions.h"
#include "runtime/simulator/compiled/Emitted.h"
#include "runtime/simulator/semantics/Conversions.h"
#include <utility>

namespace neuron::simulator::compiled {
using program::DType;
using semantics::Register;

namespace {

using EmitCast = llvm::Value *(*)(llvm::Value *);
constexpr unsigned kNum = program::kNumDTypes;

/// The cast between types of arithmetic; without canonical NaNs.
template <DType From, DType To> constexpr EmitCast numericCast() {
  if constexpr (semantics::isSmallFloat<From> || semantics::isSmallFloat<To>)
    return nullptr;
  else
    return [](llvm::Value *x) -> llvm::Value * {
      using A = Register<From>;
      using B = Register<To>;
      if constexpr (std::is_floating_point_v<A> && std::is_floating_point_v<B>)
        return to<B>(Emitted<A>::of(x)).v;
      else
        return semantics::numeric<B>(Emitted<A>::of(x)).v;
    };
}

template <DType To> constexpr EmitCast saturatingCast() {
  if constexpr (To == DType::Bool || program::isFloat(To))
    return nullptr;
  else
    return [](llvm::Value *x) -> llvm::Value * {
      return semantics::saturateToInteger<Register<To>>(Emitted<float>::of(x))
          .v;
    };
}

constexpr auto kNumeric = []<size_t... I>(std::index_sequence<I...>) {
  return std::array<EmitCast, kNum * kNum>{
      numericCast<DType(I / kNum), DType(I % kNum)>()...};
}(std::make_index_sequence<kNum * kNum>{});

constexpr auto kSaturating = []<size_t... I>(std::index_sequence<I...>) {
  return std::array<EmitCast, kNum>{saturatingCast<DType(I)>()...};
}(std::make_index_sequence<kNum>{});

llvm::Value *numeric(DType from, DType to, llvm::Value *x) {
  if (from == to)
    return x;
  return kNumeric[static_cast<unsigned>(from) * kNum +
                  static_cast<unsigned>(to)](x);
}

/// To float32, and back; null for what is no small float.
template <DType D> constexpr std::array<EmitCast, 2> smallFloatCasts() {
  if constexpr (!semantics::isSmallFloat<D>)
    return {};
  else
    return {[](llvm::Value *x) -> llvm::Value * {
              if constexpr (D == DType::F16)
                return semantics::fromF16(Emitted<uint16_t>::of(x)).v;
              else if constexpr (D == DType::BF16)
                return semantics::fromBF16(Emitted<uint16_t>::of(x)).v;
              else
                return semantics::fromFloat8<D>(Emitted<uint8_t>::of(x)).v;
            },
            [](llvm::Value *x) -> llvm::Value * {
              return semantics::narrow<D, Emitted>(Emitted<float>::of(x)).v;
            }};
}

constexpr auto kSmallFloats = []<size_t... I>(std::index_sequence<I...>) {
  return std::array{smallFloatCasts<DType(I)>()...};
}(std::make_index_sequence<kNum>{});

/// Small floats become float32.
llvm::Value *widen(DType &dtype, llvm::Value *x) {
  if (!program::isSmallFloat(dtype))
    return x;
  EmitCast cast = kSmallFloats[static_cast<unsigned>(dtype)][0];
  dtype = DType::F32;
  return cast(x);
}

/// float32 -> a small float; the result's NaNs are canonical.
llvm::Value *narrow(DType dtype, llvm::Value *x) {
  return kSmallFloats[static_cast<unsigned>(dtype)][1](x);
}

} // namespace

llvm::Value *emitTorchCast(DType from, DType to, llvm::Value *x, bool &exact) {
  if (from == to)
    return x;
  x = widen(from, x);
  if (program::isSmallFloat(to)) {
    exact = true;
    return narrow(to, numeric(from, DType::F32, x));
  }
  exact = !program::isFloat(from) || !program::isFloat(to);
  return numeric(from, to, x);
}

llvm::Value *emitHardwareCast(DType from, DType to, llvm::Value *x,
                              bool &exact) {
  if (from == to)
    return x;
  x = emitTorchCast(from, DType::F32, x, exact);
  EmitCast saturating = kSaturating[static_cast<unsigned>(to)];
  if (!saturating)
    return emitTorchCast(DType::F32, to, x, exact);
  exact = true;
  return saturating(x);
}

/// To LLVM any NaN of arithmetic is as good as another: with a comparison of
/// floats it takes the choice for superfluous (for square roots it does). So
/// the bits are compared.
template <class T> static Emitted<T> canonicalByBits(Emitted<T> x) {
  using U = semantics::BitsOf<T>;
  constexpr U kInfinity = std::bit_cast<U>(semantics::infinity<T>());
  Emitted<U> bits = bitcast<U>(x);
  Emitted<bool> isNaN = (bits & U(~semantics::kSignBit<T>)) > kInfinity;
  return choose(isNaN, Emitted<T>(semantics::quietNaN<T>()), x);
}

llvm::Value *emitCanonical(DType dtype, llvm::Value *x) {
  if (dtype == DType::F32)
    return canonicalByBits(Emitted<float>::of(x)).v;
  if (dtype == DType::F64)
    return canonicalByBits(Emitted<double>::of(x)).v;
  return x;
}

llvm::Type *registerType(DType dtype, llvm::LLVMContext &context) {
  switch (dtype) {
  case DType::Bool:
    return llvm::Type::getInt1Ty(context);
  case DType::F32:
    return llvm::Type::getFloatTy(context);
  case DType::F64:
    return llvm::Type::getDoubleTy(context);
  default:
    return llvm::Type::getIntNTy(context, program::bytesOf(dtype) * 8);
  }
}

llvm::Type *memoryType(DType dtype, llvm::LLVMContext &context) {
  return dtype == DType::Bool ? llvm::Type::getInt8Ty(context)
                              : registerType(dtype, context);
}

} // namespace neuron::simulator::compiled

//===- TorchTypes.cpp - LibTorch's dtypes and ours ------------------------===//
#include "runtime/device/TorchTypes.h"
#include <array>

using namespace neuron;
using program::DType;

/// In the order of the DType enumerators.
static constexpr std::array<c10::ScalarType, program::kNumDTypes> kScalarTypes =
    {c10::ScalarType::Bool,
     c10::ScalarType::Byte,
     c10::ScalarType::Char,
     c10::ScalarType::UInt16,
     c10::ScalarType::Short,
     c10::ScalarType::UInt32,
     c10::ScalarType::Int,
     c10::ScalarType::UInt64,
     c10::ScalarType::Long,
     c10::ScalarType::Half,
     c10::ScalarType::BFloat16,
     c10::ScalarType::Float,
     c10::ScalarType::Double,
     c10::ScalarType::Float8_e4m3fn,
     c10::ScalarType::Float8_e5m2,
     c10::ScalarType::Float8_e4m3fnuz,
     c10::ScalarType::Float8_e5m2fnuz,
     c10::ScalarType::Float8_e8m0fnu};

std::optional<DType> device::dtypeOf(c10::ScalarType type) {
  for (unsigned i = 0; i < kScalarTypes.size(); ++i)
    if (kScalarTypes[i] == type)
      return static_cast<DType>(i);
  return std::nullopt;
}

c10::ScalarType device::scalarTypeOf(DType dtype) {
  return kScalarTypes[static_cast<unsigned>(dtype)];
}

//===- DType.h - element types of device data -------------------*- C++ -*-===//
//
// The element types a device program can hold in HBM and SBUF, with the facts
// that depend on the type alone. No MLIR, no LLVM: the runtime and the compiler
// share this file.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace neuron::program {

// name, enumerator, bytes, is-float, is-signed.  The order is the encoding:
// append only.
#define NEURON_DTYPES(X)                                                       \
  X(bool, Bool, 1, false, false)                                               \
  X(uint8, U8, 1, false, false)                                                \
  X(int8, I8, 1, false, true)                                                  \
  X(uint16, U16, 2, false, false)                                              \
  X(int16, I16, 2, false, true)                                                \
  X(uint32, U32, 4, false, false)                                              \
  X(int32, I32, 4, false, true)                                                \
  X(uint64, U64, 8, false, false)                                              \
  X(int64, I64, 8, false, true)                                                \
  X(float16, F16, 2, true, true)                                               \
  X(bfloat16, BF16, 2, true, true)                                             \
  X(float32, F32, 4, true, true)                                               \
  X(float64, F64, 8, true, true)                                               \
  X(float8_e4m3fn, F8E4M3FN, 1, true, true)                                    \
  X(float8_e5m2, F8E5M2, 1, true, true)                                        \
  X(float8_e4m3fnuz, F8E4M3FNUZ, 1, true, true)                                \
  X(float8_e5m2fnuz, F8E5M2FNUZ, 1, true, true)                                \
  X(float8_e8m0fnu, F8E8M0FNU, 1, true, false)

enum class DType : uint8_t {
#define NEURON_DTYPE_ENUM(name, Enumerator, bytes, isFloat, isSigned)          \
  Enumerator,
  NEURON_DTYPES(NEURON_DTYPE_ENUM)
#undef NEURON_DTYPE_ENUM
};
inline constexpr unsigned kNumDTypes = 18;

struct DTypeInfo {
  std::string_view name; ///< PyTorch's and NumPy's name, for example "bfloat16"
  uint8_t bytes;
  bool isFloat;
  bool isSigned;
};

inline constexpr DTypeInfo kDTypeTable[kNumDTypes] = {
#define NEURON_DTYPE_ROW(name, Enumerator, bytes, isFloat, isSigned)           \
  {#name, bytes, isFloat, isSigned},
    NEURON_DTYPES(NEURON_DTYPE_ROW)
#undef NEURON_DTYPE_ROW
};

constexpr const DTypeInfo &info(DType type) {
  return kDTypeTable[static_cast<unsigned>(type)];
}
constexpr unsigned bytesOf(DType type) { return info(type).bytes; }
constexpr bool isFloat(DType type) { return info(type).isFloat; }
/// Storage only: arithmetic of these is float32's.
constexpr bool isSmallFloat(DType type) {
  return isFloat(type) && bytesOf(type) < 4;
}
constexpr bool isFloat8(DType type) {
  return isFloat(type) && bytesOf(type) == 1;
}
constexpr std::string_view nameOf(DType type) { return info(type).name; }

constexpr std::optional<DType> dtypeFromName(std::string_view name) {
  for (unsigned i = 0; i < kNumDTypes; ++i)
    if (kDTypeTable[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace neuron::program

//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// Every dtype of a device program. NumPy has no bfloat16: it is written as
// uint16 (the bits; `array.view(ml_dtypes.bfloat16)` or
// `torch.from_numpy(array).view(torch.bfloat16)` reads them), and read from
// uint16 or from two-byte void, as ml_dtypes saves it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/DType.h"
#include "runtime/program/Result.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace neuron::tools {

struct Array {
  std::string descr; ///< NumPy's type string, for example "<f4"
  std::vector<int64_t> shape;
  std::vector<uint8_t> data; ///< contiguous, last dimension fastest
};

Result<Array> parseNpy(std::span<const uint8_t> bytes);
std::vector<uint8_t> formatNpy(const Array &array);

/// The type string that is written for `dtype`.
const char *descrOf(program::DType dtype);
bool holds(const Array &array, program::DType dtype);

} // namespace neuron::tools

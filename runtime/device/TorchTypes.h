//===- TorchTypes.h - LibTorch's dtypes and ours ----------------*- C++ -*-===//
#pragma once
#include "runtime/program/DType.h"
#include <c10/core/ScalarType.h>
#include <optional>

namespace neuron::device {

/// Absent for dtypes that the device does not have.
std::optional<program::DType> dtypeOf(c10::ScalarType type);
c10::ScalarType scalarTypeOf(program::DType dtype);

} // namespace neuron::device

//===- TensorScan.h - the recurrence of tensor_tensor_scan ------*- C++ -*-===//
//
// Two functions of the Vector engine, applied from left to right in fp32.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Functions.h"
#include <array>
#include <cstdint>

namespace neuron::simulator::semantics {

using program::Fn;

/// dst[i] = r(i) = fn1(fn0(srcs[0][i * strides[0]], r(i-1)),
/// srcs[1][i * strides[1]]) for i in [0, n), r(-1) = initial; reverse[j] swaps
/// the operands of the j-th function. A stride is 0 or 1. The result of a
/// comparison is 0 or 1. dst may be equal to a source of stride 1.
using RowTensorScan = void (*)(const std::array<const float *, 2> &srcs,
                               const std::array<int64_t, 2> &strides,
                               const std::array<bool, 2> &reverse,
                               float initial, float *dst, int64_t n);

/// Null unless both are functions of two operands of the Vector engine.
RowTensorScan rowTensorScan(Fn fn0, Fn fn1);

} // namespace neuron::simulator::semantics

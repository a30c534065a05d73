//===- Sort.h - rows in order -----------------------------------*- C++ -*-===//
#pragma once
#include "runtime/program/DType.h"
#include <cstdint>

namespace neuron::simulator::semantics {

using program::DType;

/// Sorts src[0..n), stably; a NaN is larger than all else, -0.0 equals 0.0.
/// `values` (the bits of src's elements) and `indices` (where they stood) may
/// each be null.
void sortRow(DType dtype, const void *src, int64_t n, bool descending,
             void *values, int64_t *indices);

} // namespace neuron::simulator::semantics

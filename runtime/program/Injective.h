//===- Injective.h - whether elements lie apart -----------------*- C++ -*-===//
#pragma once
#include "runtime/program/Program.h"
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace neuron::program {

/// The dimensions of a view: stride and size.
using StridedDims = std::vector<std::pair<int64_t, int64_t>>;

/// Whether different indices are different elements. A sufficient condition,
/// true of every dense tensor and slice of one: each stride steps over all that
/// the smaller ones reach.
inline bool isInjective(StridedDims dims) {
  std::erase_if(dims, [](const auto &dim) { return dim.second <= 1; });
  for (auto &[stride, size] : dims)
    stride = std::abs(stride);
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0; // inside a tensor, so it cannot overflow
  for (auto [stride, size] : dims) {
    if (stride <= reach)
      return false;
    reach += (size - 1) * stride;
  }
  return true;
}

/// Of the rows and columns of an access.
inline bool isInjective(const HbmAccess &access) {
  StridedDims dims;
  auto collect = [&](const auto &sizes, const auto &strides) {
    for (size_t i = 0; i < sizes.size(); ++i)
      dims.emplace_back(strides[i], sizes[i]);
  };
  collect(access.rowSizes, access.rowStrides);
  collect(access.colSizes, access.colStrides);
  return isInjective(std::move(dims));
}

} // namespace neuron::program

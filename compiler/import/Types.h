//===- Types.h - dtypes in MLIR, and PyTorch's type promotion ---*- C++ -*-===//
#pragma once
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/program/DType.h"
#include <optional>

namespace neuron::import {

using program::DType;

mlir::Type elementType(mlir::MLIRContext *context, DType dtype);
/// The dtype of a tensor type of the neuron dialect.
DType dtypeOf(mlir::Type type);

/// bfloat16, float16 or 8 bits: computed in float32 and rounded, both by
/// PyTorch and here.
constexpr bool isReduced(DType dtype) { return program::isSmallFloat(dtype); }
using program::isFloat8;
constexpr bool isFloating(DType dtype) { return program::isFloat(dtype); }
constexpr bool isBool(DType dtype) { return dtype == DType::Bool; }
constexpr bool isInteger(DType dtype) {
  return !isFloating(dtype) && !isBool(dtype);
}
/// The type in which PyTorch computes elementwise operations of `dtype`.
constexpr DType opmath(DType dtype) {
  return isReduced(dtype) ? DType::F32 : dtype;
}

/// torch.promote_types
DType promote(DType a, DType b);

/// torch.result_type over operands added one by one: tensors with dimensions
/// outrank 0-dim tensors, which outrank Python numbers, unless the lower one is
/// of a higher category (bool < integer < floating).
class Promotion {
public:
  void addTensor(DType dtype, bool zeroDim) {
    merge(zeroDim ? zeroDims : dims, dtype);
  }
  void addNumber(DType dtype) { merge(numbers, dtype); }
  DType result() const;

private:
  static void merge(std::optional<DType> &slot, DType dtype) {
    slot = slot ? promote(*slot, dtype) : dtype;
  }
  std::optional<DType> dims, zeroDims, numbers;
};

} // namespace neuron::import

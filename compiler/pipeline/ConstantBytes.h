//===- ConstantBytes.h - elements of an attribute as bytes ------*- C++ -*-===//
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/LogicalResult.h"
#include <vector>

namespace neuron::pipeline {

/// Row-major little-endian bytes; a bool is one byte.
llvm::FailureOr<std::vector<uint8_t>> bytesOf(mlir::ElementsAttr elements);

} // namespace neuron::pipeline

//===- Raise.h - the families of named ops ----------------------*- C++ -*-===//
//
// Each function looks at one op as the root of a composite and returns the
// named op's value for it, or null. The caller replaces the root.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/Builders.h"

namespace neuron::graph {

/// silu, gelu, gelu_tanh
mlir::Value raiseActivation(mlir::Operation *root, mlir::OpBuilder &builder);
/// softmax, log_softmax
mlir::Value raiseSoftmax(mlir::Operation *root, mlir::OpBuilder &builder);
/// rms_norm, layer_norm, and their weight and bias
mlir::Value raiseNorm(mlir::Operation *root, mlir::OpBuilder &builder);

} // namespace neuron::graph

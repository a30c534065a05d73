//===- Alu.h - what the Vector engine's ALU computes ------------*- C++ -*-===//
#pragma once
#include "dialects/neuron/Neuron.h"
#include <optional>

namespace neuron::lowering {

inline mlir::Type elementOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

/// Types that an engine with fp32 inside reads and writes without loss.
bool fitsF32(mlir::Type type);

/// The number that all elements of `value` are, or null.
mlir::TypedAttr splatOf(mlir::Value value);

mlir::TypedAttr f32(mlir::MLIRContext *context, double number);
mlir::TypedAttr zero(mlir::Type type);

/// A two-operand operation of the ALU.
struct Alu {
  program::Fn fn;
  mlir::OpFoldResult a, b;
};

/// The op as one ALU operation, if Vector computes it exactly.
std::optional<Alu> asAlu(mlir::Operation *op);

} // namespace neuron::lowering

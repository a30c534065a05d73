//===- Views.h - reading values through views -------------------*- C++ -*-===//
//
// A kernel reads a value of HBM through any chain of views that strides can
// express. Where they cannot (a reshape that merges permuted dimensions), a
// view has to be copied first: it counts as computed.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "dialects/neuron/Neuron.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fusion/IterationSpace.h"
#include "llvm/ADT/DenseSet.h"

namespace neuron::fusion {

class Views {
public:
  /// Decides which views of the function are copied. May add ops: a copy of an
  /// argument is a neuron.expand to its own shape.
  explicit Views(mlir::func::FuncOp func);

  /// Whether the op makes elements: an elementwise op, a reduction, a named op,
  /// an iota, a concat, or a view that is copied.
  bool isComputed(mlir::Operation *op) const;
  /// What a value is a view of: an argument, a constant or a computed value.
  mlir::Value root(mlir::Value value) const;
  /// What a value is a view of in row-major order: through reshapes only.
  mlir::Value reshapeRoot(mlir::Value value) const;

  /// A value of the kernel behind reshapes and broadcasts of a value read.
  struct Source {
    mlir::Value value;
    Mask mask = 0;
    /// How the dimensions of the reader's space were split to see through.
    Remap remap = Remap::identity();
    /// Not empty if a view is in the way.
    std::string failure;
  };
  /// Looks through the reshapes and expands of `value`, which runs along `mask`
  /// of `space`, for the computed value below.
  Source lookThrough(mlir::Value value, Mask mask, IterationSpace &space) const;

private:
  llvm::DenseSet<mlir::Operation *> copied;
};

} // namespace neuron::fusion

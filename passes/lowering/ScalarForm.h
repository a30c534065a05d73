//===- ScalarForm.h - what the Scalar engine computes at once ---*- C++ -*-===//
//
// An activation computes fn(x * scale + bias), where scale and bias are numbers
// or statistics of the row. A product with, or a sum of, one of them is such a
// form as well, of the identity, and the forms of other functions swallow it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "passes/lowering/KernelSpace.h"
#include <optional>

namespace neuron::lowering {

struct ScalarForm {
  program::Fn fn = program::Fn::identity;
  mlir::OpFoldResult x;
  mlir::OpFoldResult scale, bias; ///< null: none
  bool negatesBias = false;       ///< what is added is -bias
  unsigned covered = 0; ///< ops beside the one asked for that it swallows
};

/// The op as an activation, if Scalar computes it exactly as it is defined.
std::optional<ScalarForm> scalarForm(mlir::Operation *op,
                                     const KernelSpace &space);

/// Whether the function of the op is one of the Scalar engine's.
bool isActivation(mlir::Operation *op);

/// Looks through views of computed values: they keep the tile.
mlir::Value strip(mlir::Value value);

/// Whether an instruction whose result has columns or not reads one element of
/// `operand` for a partition, or a number.
bool isScalar(mlir::OpFoldResult operand, bool outHasColumns,
              const KernelSpace &space);

/// The op that makes `operand`, if nobody else reads its result.
mlir::Operation *swallowable(mlir::OpFoldResult operand);

} // namespace neuron::lowering

//===- KernelNames.h - readable names of kernels ----------------*- C++ -*-===//
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace neuron::fusion {

/// Names kernels after their ops: `softmax`, `fused_add_rms_norm`; a number is
/// added where a name is taken.
class KernelNames {
public:
  std::string name(llvm::ArrayRef<mlir::Operation *> ops);

private:
  llvm::StringMap<unsigned> used;
};

} // namespace neuron::fusion

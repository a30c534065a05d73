//===- TouchedBytes.h - the bytes of HBM that kernels need ------*- C++ -*-===//
#pragma once
#include "passes/lowering/RowKernel.h"
#include "llvm/ADT/MapVector.h"

namespace neuron::lowering {

/// Each element of a variable that is read counts once, however many operands
/// and kernels read it; so does each that is written.
class TouchedBytes {
public:
  /// What a mask leaves of a kernel's operands.
  struct Part {
    double ofMatrices = 1; ///< operands of products
    double ofRest = 1;     ///< elements of the masked matrix itself
  };
  void add(const StageInput &stage, Part part);
  int64_t bytes() const;

private:
  struct Read {
    llvm::SmallVector<StridedLayout> seen; ///< equal ones are one
    int64_t elements = 0, all = 0, elementBytes = 0;
  };
  void read(mlir::Value value, mlir::Value variable,
            const StridedLayout &layout, const StageInput &stage, Part part);
  void note(mlir::Value variable, const StridedLayout &layout,
            int64_t elements);

  llvm::MapVector<mlir::Value, Read> reads;
  int64_t written = 0;
};

/// At least so many different elements are in the layout; exactly as many, if
/// its dimensions do not overlap or are windows without gaps.
int64_t distinctElements(const StridedLayout &layout);

} // namespace neuron::lowering

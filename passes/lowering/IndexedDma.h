//===- IndexedDma.h - gathers and scatters of a row kernel ------*- C++ -*-===//
#pragma once
#include "dialects/nisa/Nisa.h"
#include "passes/lowering/HbmWindow.h"
#include "passes/lowering/Selection.h"

namespace neuron::lowering {

/// Where a gather or scatter is in the loops of its kernel.
struct IndexedPlace {
  int64_t parts, queue;
  llvm::ArrayRef<int64_t> row, column; ///< base, coefficient a loop
};

/// The window of the indexed value [n, rest...], which lies as `place` says,
/// for an op that goes over the rows, the columns, or both.
HbmWindow indexedWindow(const KernelSpace &space, const HbmValue &place,
                        bool rows, bool columns, int64_t tileRows);

/// tile <- the elements that `index` names.
void createGather(mlir::OpBuilder &b, mlir::Location loc,
                  const HbmWindow &window, const HbmValue &place,
                  mlir::Value index, mlir::Value tile, IndexedPlace at);
/// The elements that `index` names <- updates, combined as the op says.
void createScatter(mlir::OpBuilder &b, ir::ScatterOp op,
                   const HbmWindow &window, const HbmValue &place,
                   mlir::Value index, mlir::Value updates, IndexedPlace at);

} // namespace neuron::lowering

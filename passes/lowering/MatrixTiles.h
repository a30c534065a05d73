//===- MatrixTiles.h - matrix products on tiles -----------------*- C++ -*-===//
//
// The Tensor engine contracts over partitions, so both matrices must lie with K
// on partitions: K is cut into tiles of 128, which lie beside each other in one
// SBUF tile. A matrix that lies so in HBM is loaded as it is; of one that lies
// along K, whole rows are loaded and turned round on the Tensor engine, because
// a DMA of single elements is slow.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "passes/lowering/HbmWindow.h"

namespace neuron::lowering {

class MatrixTiles {
public:
  /// `partitions` and `psumColumns`: what one instruction of the Tensor engine
  /// contracts, and how many columns it writes, at most.
  MatrixTiles(mlir::OpBuilder &b, int64_t partitions, int64_t psumColumns)
      : b(b), side(partitions), psumColumns(psumColumns) {}

  /// Terms of a tile.
  int64_t partitions() const { return side; }

  /// Some of the terms that a product sums over; they begin at a tile.
  struct Terms {
    llvm::SmallVector<int64_t> first{0}; ///< affine
    int64_t count = 0;
  };
  static Terms allTerms(ir::MatmulOp op);
  /// The left matrix's rows [row, row + parts), batches counted through, as
  /// [K, parts].
  mlir::Value stationary(ir::MatmulOp op, const HbmValue &place,
                         llvm::ArrayRef<int64_t> row, int64_t parts,
                         const Terms &terms, int64_t buffers);
  /// The same of rows that are in SBUF, as `tile[parts, K]`.
  mlir::Value turned(mlir::Value tile, int64_t parts, int64_t buffers);
  /// The right matrix's columns [column, column + width), as [K, width];
  /// `batch` is the index of the batch.
  mlir::Value moving(ir::MatmulOp op, const HbmValue &place,
                     llvm::ArrayRef<int64_t> batch,
                     llvm::ArrayRef<int64_t> column, int64_t width,
                     const Terms &terms, int64_t buffers);
  /// out[parts, width] <- the product of the first `k` terms of those in
  /// `moving`, `pitch` columns each, by copies out of PSUM on `engine`.
  void product(ir::MatmulOp op, mlir::Value stationary, mlir::Value moving,
               mlir::Value out, int64_t parts, int64_t width, int64_t pitch,
               int64_t k, nisa::Engine engine);

private:
  mlir::OpBuilder &b;
  int64_t side, psumColumns;
  int64_t nextQueue = 0;

  void load(mlir::Location loc, mlir::Value tile, const HbmWindow &window,
            int64_t parts, llvm::ArrayRef<int64_t> row,
            llvm::ArrayRef<int64_t> column);
};

/// Elements that the op sums over.
int64_t termsOf(ir::MatmulOp op);

} // namespace neuron::lowering

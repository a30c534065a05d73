//===- TurnedDma.h - matrices that lie along the kernel's rows --*- C++ -*-===//
//
// A row kernel wants columns beside each other in a partition. Of a value that
// lies along its rows in HBM (a column sum, a transposed view), a DMA would
// move single elements. Instead it moves what lies together, and the Tensor
// engine turns that round, a square of 128 by 128 at a time.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "passes/lowering/HbmWindow.h"
#include <functional>

namespace neuron::lowering {

class TurnedDma {
public:
  using NextQueue = std::function<int64_t()>;

  TurnedDma(mlir::OpBuilder &b, const target::Target &target)
      : b(b), target(target) {}

  /// Whether the value lies along its rows, and turning `parts` rows of `width`
  /// columns takes less time than moving single elements.
  bool pays(const HbmWindow &window, mlir::Type element, int64_t parts,
            int64_t width) const;

  /// tile[parts, width] <- what `transfer` says; it takes queues from
  /// `nextQueue`.
  void load(mlir::Location loc, mlir::Value tile, int64_t width,
            const Transfer &transfer, const NextQueue &nextQueue,
            int64_t buffers);
  /// The way back.
  void store(mlir::Location loc, mlir::Value tile, int64_t width,
             const Transfer &transfer, const NextQueue &nextQueue,
             int64_t buffers);

private:
  mlir::OpBuilder &b;
  const target::Target &target;

  /// Elements of the type that a bank of PSUM holds in a partition.
  int64_t bankElements(mlir::Type element) const;
};

} // namespace neuron::lowering

//===- Choices.h - between instructions that do the same --------*- C++ -*-===//
#pragma once
#include "passes/lowering/Selection.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace neuron::lowering {

/// What selection does where there are several ways. Way 0 is the usual one.
class Choices {
public:
  enum Kind : uint8_t {
    Engine, ///< of an elementwise op: the usual engine or the other one
    Sum,    ///< of a row: Vector, Scalar, or Scalar on the way
    Copy,   ///< Vector or Scalar
  };
  using Key = std::pair<mlir::Operation *, uint8_t>;

  /// For selection: the way to go, of `ways`.
  unsigned choose(mlir::Operation *op, Kind kind, unsigned ways) {
    met[{op, kind}] = ways;
    unsigned way = taken.lookup({op, kind});
    return way < ways ? way : 0;
  }

  /// For the search: which choices there were, in the order that they were
  /// met, and the number of ways.
  llvm::MapVector<Key, unsigned> takeMet() { return std::exchange(met, {}); }
  unsigned get(Key key) const { return taken.lookup(key); }
  void set(Key key, unsigned way) { taken[key] = way; }

private:
  llvm::DenseMap<Key, unsigned> taken;
  llvm::MapVector<Key, unsigned> met;
};

/// The steps of `kernel` with these choices.
llvm::FailureOr<Selected>
selectWith(ir::KernelOp kernel, const KernelSpace &space, Choices &choices);

} // namespace neuron::lowering

//===- Residency.h - what a kernel holds on chip ----------------*- C++ -*-===//
//
// A kernel goes over its rows once for every reduction that something waits
// for. Within a pass, columns stream; from one pass to a later one, a value
// that both use stays in SBUF. This estimates those bytes, for one row.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace neuron::fusion {

class Residency {
public:
  struct Operand {
    mlir::Value value;
    int64_t rowBytes;  ///< 0 if it has no columns
    bool rowInvariant; ///< stays for every row
    bool computed;     ///< by the kernel itself
  };

  /// Adds an op behind all that it uses.
  void add(mlir::Operation *op, llvm::ArrayRef<Operand> operands);
  /// Corrects an op whose operands may have come to be known later than when it
  /// was added. Returns whether its result does so too.
  bool delay(mlir::Operation *op, llvm::ArrayRef<Operand> operands,
             const Operand &result);
  /// The pass after which a computed value is known.
  unsigned pass(mlir::Value value) const {
    return lifetimes.lookup(value).first;
  }
  int64_t bytes() const;

  /// Changes after `begin` can be taken back.
  void begin();
  void rollback();
  void commit();

private:
  struct Lifetime {
    unsigned first = 0, last = 0;
  };
  llvm::DenseMap<mlir::Value, Lifetime> lifetimes;
  llvm::SmallVector<int64_t> held; ///< over the end of each pass
  int64_t invariant = 0;

  struct Saved {
    llvm::SmallVector<int64_t> held;
    int64_t invariant;
    llvm::SmallVector<std::pair<mlir::Value, std::optional<Lifetime>>> old;
  };
  std::optional<Saved> saved;

  Lifetime &change(mlir::Value value);
  void extend(const Operand &operand, unsigned first, unsigned last);
  void hold(const Operand &operand, unsigned first, unsigned last, int sign);
  unsigned read(mlir::Operation *op, llvm::ArrayRef<Operand> operands);
};

/// How many times an op goes over its operand before its result is known.
unsigned passesOf(mlir::Operation *op);

} // namespace neuron::fusion

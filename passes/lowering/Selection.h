//===- Selection.h - instruction selection for row kernels ------*- C++ -*-===//
//
// Covers the ops of a kernel by instructions. The result is a list of steps in
// an order that may run; nothing in it knows tiles, chunks or addresses yet.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "dialects/nisa/Nisa.h"
#include "passes/lowering/KernelSpace.h"

namespace neuron::lowering {

/// What an instruction reads: the tile of a value of the kernel, or a number.
struct Source {
  mlir::Value tile;
  mlir::TypedAttr immediate;

  Source(mlir::Value tile) : tile(tile) {}
  Source(mlir::TypedAttr immediate) : immediate(immediate) {}
};

/// One instruction to be.
struct Step {
  program::Opcode opcode;
  nisa::Engine engine;
  mlir::Location loc;
  llvm::SmallVector<program::Fn, 2> fns;
  llvm::SmallVector<bool, 2> reverse;
  llvm::SmallVector<Source, 3> srcs;
  mlir::Value out; ///< the value whose tile is written; null: none
  mlir::Value acc; ///< Activation: the sum of the row; arg-reductions: unused
  mlir::Type compute;          ///< GpSimd
  llvm::StringRef reduce;      ///< GpsimdReduce
  int64_t start = 0, step = 0; ///< Iota
  unsigned iotaDim = 0;        ///< Iota: dimension of the space
  bool descending = false;     ///< GpsimdSort; `out` or `acc` may be null
  bool bits = false;           ///< TensorCopy: no conversion
  mlir::Operation *indexed = nullptr; ///< neuron.gather or neuron.scatter
  /// What the step does for a product of matrices; `opcode` is then that of the
  /// copies out of PSUM.
  enum class Matrix : uint8_t {
    None,
    Stationary, ///< brings the left matrix of the rows to SBUF, K on partitions
    Moving,     ///< the right matrix, likewise
    Product
  } matrix = Matrix::None;
  ir::MatmulOp matmul; ///< of which the step is; of Stationary and Moving, one

  Step(program::Opcode opcode, nisa::Engine engine, mlir::Location loc)
      : opcode(opcode), engine(engine), loc(loc) {}

  /// The value of a whole row that this step makes, or null.
  mlir::Value reduction() const;
};

/// The steps of `kernel`, and for each value that it yields the value whose
/// tile holds it.
struct Selected {
  std::vector<Step> steps;
  llvm::SmallVector<mlir::Value> yielded;
  llvm::SmallVector<mlir::Operation *> made; ///< added to the kernel's body
  std::optional<nisa::Engine> storeEngine;   ///< issues the stores, if chosen
};

/// The steps that take the least time by the target's costs. Fails with an
/// error on an op that no instruction computes. May add ops to the kernel's
/// body (a negated statistic, for example).
llvm::FailureOr<Selected> select(ir::KernelOp kernel, const KernelSpace &space,
                                 const target::Target &target);

} // namespace neuron::lowering

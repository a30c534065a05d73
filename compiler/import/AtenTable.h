//===- AtenTable.h - one row per ATen overload ------------------*- C++ -*-===//
//
// A row says how an overload becomes neuron ops: the builder function, the
// neuron op it uses (if the builder serves several overloads) and what sets
// this overload apart. The rows stand in the *Rows.cpp files by kind.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace neuron::import {

class NodeBuilder;

/// What distinguishes overloads that share a builder.
enum RowFlag : unsigned {
  kNoFlag = 0,
  /// With bfloat16 or float16 tensors, eager computes with the second operand
  /// in float32 if it is a number or a one-element tensor of another dtype;
  /// other operations round it to the tensor's dtype first. (Measured.)
  kWideScalar = 1 << 0,
  /// The operands stand in reverse order (rsub).
  kReversed = 1 << 1,
  /// Of two related forms, the second (log_softmax of softmax, min of max).
  kSecond = 1 << 2,
  /// The result shares its memory with the first operand.
  kView = 1 << 3,
  /// Draws random numbers: the graph gets keys for it.
  kRandom = 1 << 4,
};

struct AtenRow {
  llvm::StringRef target; ///< "aten.add.Tensor"
  void (*build)(NodeBuilder &);
  llvm::StringRef op = ""; ///< mnemonic of the neuron op
  unsigned flags = kNoFlag;
};

/// The row of an overload, or nullptr.
const AtenRow *findAtenRow(llvm::StringRef target);
/// All rows; tests import each of them.
llvm::ArrayRef<const AtenRow *> allAtenRows();

// The parts of the table.
llvm::ArrayRef<AtenRow> elementwiseRows();
llvm::ArrayRef<AtenRow> specialRows();
llvm::ArrayRef<AtenRow> castRows();
llvm::ArrayRef<AtenRow> reductionRows();
llvm::ArrayRef<AtenRow> viewRows();
llvm::ArrayRef<AtenRow> creationRows();
llvm::ArrayRef<AtenRow> convolutionRows();
llvm::ArrayRef<AtenRow> movementRows();
llvm::ArrayRef<AtenRow> poolRows();
llvm::ArrayRef<AtenRow> namedRows();
llvm::ArrayRef<AtenRow> contractionRows();
llvm::ArrayRef<AtenRow> attentionRows();
llvm::ArrayRef<AtenRow> indexingRows();
llvm::ArrayRef<AtenRow> sequenceRows();

} // namespace neuron::import

//===- StaticIndex.h - indexing by what is known ----------------*- C++ -*-===//
//
// PyTorch takes flips, paddings and resizes apart into an index computed from
// aranges, and aten.index. Where such an index is known at compile time and
// regular enough, the result is views and concats of them; nothing is gathered.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Emitter.h"
#include "compiler/import/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace neuron::import {

/// The elements of an integer tensor that depends on no input, in row-major
/// order; nothing if it does, or has very many.
std::optional<llvm::SmallVector<int64_t>> staticIntegers(mlir::Value value);

/// aten.index of dimensions [first, first + indices.size()) of `x`, each by an
/// index that runs along a dimension of its own, in order, as those of
/// torch.meshgrid do. Null if they are not so, not known, out of range, or too
/// irregular. `wraps`: -1 is the last element.
mlir::Value takeStatically(Emitter &e, mlir::Value x, int64_t first,
                           mlir::ValueRange indices, bool wraps);

/// Whether `node` indexes: aten.index, _unsafe_index or index_select.
bool isIndexing(const Node &node);

/// The result of a node that indexes, from the values of its operands; null if
/// it is for a gather.
mlir::Value importKnownIndex(Emitter &e, const Node &node,
                             llvm::function_ref<mlir::Value(NodeRef)> lookup);

} // namespace neuron::import

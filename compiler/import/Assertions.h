//===- Assertions.h - what a graph asserts while it runs --------*- C++ -*-===//
//
// An assertion of a tensor is one bool of a result of its own; the executor
// looks at it after the execution and raises. An element that the graph takes
// out of a tensor (aten._local_scalar_dense) may be compared with numbers, and
// the comparison asserted; it is a tensor of no dimensions then.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Emitter.h"
#include "compiler/import/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace neuron::import {

/// What must hold of one node of the graph.
struct Assertion {
  unsigned node;
  std::string message; ///< the user's
  mlir::Value holds;   ///< tensor<1xi1>
};

class Assertions {
public:
  Assertions(const Graph &graph, Emitter &emitter) : graph(graph), e(emitter) {}

  enum class Taken : uint8_t { No, Yes, Failed };
  /// Imports node `index` if it asserts, takes an element out of a tensor, or
  /// computes with such an element. `lookup` gives the values of tensors, null
  /// for those that failed. Failed: `reason()` says why, unless an operand
  /// failed (then it is empty).
  Taken take(unsigned index, llvm::function_ref<mlir::Value(NodeRef)> lookup);
  const std::string &reason() const { return failure; }

  /// Whether the node is an element taken out of a tensor, or computed from
  /// one.
  bool isScalar(unsigned index) const { return scalars.contains(index); }

  llvm::ArrayRef<Assertion> all() const { return assertions; }
  /// One bool for each, or null if there are none.
  mlir::Value result();

private:
  Taken failed(const llvm::Twine &why) {
    failure = why.str();
    return Taken::Failed;
  }
  Taken takeAssertion(unsigned index, int messageAt,
                      llvm::function_ref<mlir::Value(NodeRef)> lookup);
  Taken takeElement(unsigned index,
                    llvm::function_ref<mlir::Value(NodeRef)> lookup);
  Taken takeComparison(unsigned index, llvm::StringRef op);

  const Graph &graph;
  Emitter &e;
  llvm::DenseMap<unsigned, mlir::Value> scalars;
  llvm::SmallVector<Assertion> assertions;
  std::string failure;
};

} // namespace neuron::import

//===- Grouping.h - which ops make one kernel -------------------*- C++ -*-===//
//
// Greedy, in program order: every op first tries to join the groups that make
// its operands, largest saving first; then groups that read the same input are
// joined. A join needs an iteration space that holds both sides, no cycle
// between kernels, and room in SBUF.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "passes/fusion/GroupGraph.h"
#include "passes/fusion/IterationSpace.h"
#include "passes/fusion/Residency.h"
#include "passes/fusion/Views.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace neuron::fusion {

struct Group {
  IterationSpace space;
  llvm::SmallVector<mlir::Operation *> ops;
  /// Operands that came from outside when their op joined the group.
  llvm::SmallVector<mlir::OpOperand *> reads;
  Residency residency;
  /// Dimensions that some of its tensors have beside those of the space: what
  /// is indexed, or contracted by a product.
  unsigned dimensionsBeside = 0;
};

/// Why a value goes through HBM although one kernel might have held both ends.
struct Cut {
  mlir::Operation *producer, *reader;
  std::string reason;
};

class Grouping {
public:
  Grouping(mlir::func::FuncOp func, const Views &views, int64_t sbufBytes);

  /// Groups in an order in which they can run, ops in program order.
  llvm::SmallVector<const Group *> ordered() const;
  /// Values that a group must write, because something outside reads them.
  const llvm::DenseSet<mlir::Value> &written() const { return outputs; }
  llvm::ArrayRef<Cut> cuts() const { return finalCuts; }

  Mask maskOf(mlir::Value computed) const { return masks.lookup(computed); }
  /// What the operand's elements run along; the op is in `space`.
  Mask operandMask(mlir::OpOperand &use, const IterationSpace &space) const;
  const Group *groupOf(mlir::Value computed) const;
  bool isComputed(mlir::Value value) const {
    return views.isComputed(value.getDefiningOp());
  }

private:
  using Node = GroupGraph::Node;
  const Views &views;
  int64_t sbufBytes;
  mlir::func::FuncOp func;
  GroupGraph graph;
  std::vector<Group> groups;
  mutable std::vector<Node> parents;
  llvm::DenseMap<mlir::Operation *, unsigned> index;
  llvm::DenseMap<mlir::Value, Mask> masks;
  llvm::SmallVector<Cut> attempts, finalCuts;
  bool mayWait = true;
  llvm::DenseSet<mlir::Value> outputs;

  Node find(Node node) const;
  Node nodeOf(mlir::Operation *op) const { return find(index.lookup(op)); }
  Node addNode(mlir::Operation *op);
  void joinProducers(mlir::Operation *op);
  void joinWaiting();
  void joinReaders();
  void finish();

  struct Plan;
  llvm::SmallVector<mlir::OpOperand *> usesInside(mlir::Value value,
                                                  Node group) const;
  llvm::SmallVector<mlir::OpOperand *> passing(const Plan &plan) const;
  bool isAlone(Node node) const;
  bool sortsTooMuch(const Plan &plan) const;
  bool hasTooManyDimensions(const Plan &plan) const;
  std::string planJoin(Plan &plan) const;
  void addSharedInputs(Plan &plan) const;
  void delayReaders(Residency &residency, const Plan &plan) const;
  std::string fitBudget(Plan &plan);
  std::string tryJoin(Node a, Node b, mlir::OpOperand *readA = nullptr,
                      mlir::OpOperand *readB = nullptr);
  Residency::Operand residencyOperand(mlir::OpOperand &use, const Plan &plan,
                                      const IterationSpace &space) const;
  llvm::SmallVector<Residency::Operand>
  residencyOperands(mlir::Operation *op, const Plan &plan,
                    const IterationSpace &space) const;
};

} // namespace neuron::fusion

//===- GroupGraph.h - an acyclic graph of groups of ops ---------*- C++ -*-===//
//
// Fusion contracts nodes of the graph of ops, and must never make a cycle.
// Each node keeps a level above those of its predecessors, so that the search
// for a path between two nodes looks only at the levels between theirs.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace neuron::fusion {

class GroupGraph {
public:
  using Node = unsigned;

  /// Adds a node behind its predecessors.
  Node add(llvm::ArrayRef<Node> predecessors);
  /// Whether no path leads from one to the other through a third node. Says no
  /// as well when finding out would take too long.
  bool canContract(Node a, Node b) const;
  /// Makes one node of two; returns which of them stays.
  Node contract(Node a, Node b);
  unsigned level(Node node) const { return nodes[node].level; }
  const llvm::DenseSet<Node> &predecessors(Node node) const {
    return nodes[node].preds;
  }

private:
  struct NodeData {
    llvm::DenseSet<Node> preds, succs;
    unsigned level = 0;
  };
  std::vector<NodeData> nodes;

  void raise(Node node, unsigned level);
};

} // namespace neuron::fusion

//===- GroupGraph.cpp - contraction without cycles ------------------------===//
#include "passes/fusion/GroupGraph.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

using namespace neuron::fusion;
using Node = GroupGraph::Node;

// Edges looked at before a contraction is given up. It keeps the time of a
// compilation linear in the size of the graph, whatever the graph.
static constexpr unsigned searchLimit = 4096;

Node GroupGraph::add(llvm::ArrayRef<Node> predecessors) {
  Node node = nodes.size();
  nodes.emplace_back();
  for (Node pred : predecessors) {
    nodes[node].preds.insert(pred);
    nodes[pred].succs.insert(node);
    nodes[node].level = std::max(nodes[node].level, nodes[pred].level + 1);
  }
  return node;
}

bool GroupGraph::canContract(Node a, Node b) const {
  if (nodes[a].level > nodes[b].level)
    std::swap(a, b);
  llvm::SmallVector<Node> stack{a};
  llvm::DenseSet<Node> seen{a};
  unsigned looked = 0;
  while (!stack.empty()) {
    Node node = stack.pop_back_val();
    for (Node succ : nodes[node].succs) {
      if (++looked > searchLimit)
        return false;
      if (succ == b) {
        if (node != a)
          return false;
        continue;
      }
      if (nodes[succ].level < nodes[b].level && seen.insert(succ).second)
        stack.push_back(succ);
    }
  }
  return true;
}

Node GroupGraph::contract(Node a, Node b) {
  auto degree = [&](Node node) {
    return nodes[node].preds.size() + nodes[node].succs.size();
  };
  Node keep = a, gone = b;
  if (degree(a) < degree(b))
    std::swap(keep, gone);
  unsigned level = std::max(nodes[a].level, nodes[b].level);
  for (Node pred : nodes[gone].preds) {
    nodes[pred].succs.erase(gone);
    if (pred == keep)
      continue;
    nodes[pred].succs.insert(keep);
    nodes[keep].preds.insert(pred);
  }
  for (Node succ : nodes[gone].succs) {
    nodes[succ].preds.erase(gone);
    if (succ == keep)
      continue;
    nodes[succ].preds.insert(keep);
    nodes[keep].succs.insert(succ);
  }
  nodes[keep].preds.erase(gone);
  nodes[keep].succs.erase(gone);
  nodes[gone] = {};
  nodes[keep].level = level;
  for (Node succ : nodes[keep].succs)
    raise(succ, level + 1);
  return keep;
}

void GroupGraph::raise(Node node, unsigned level) {
  llvm::SmallVector<std::pair<Node, unsigned>> stack{{node, level}};
  while (!stack.empty()) {
    auto [at, least] = stack.pop_back_val();
    if (nodes[at].level >= least)
      continue;
    nodes[at].level = least;
    for (Node succ : nodes[at].succs)
      stack.push_back({succ, least + 1});
  }
}

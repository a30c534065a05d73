//===- FxReader.h - from a torch.fx graph to plain data ---------*- C++ -*-===//
#pragma once
#include "compiler/import/Graph.h"
#include <pybind11/pybind11.h>
#include <vector>

namespace neuron::python {

struct FxGraph {
  import::Graph graph;
  std::vector<pybind11::object>
      nodes; ///< the torch.fx.Node of each node of the graph
};

/// Reads a torch.fx.GraphModule. Arguments are put in the order of the schemas
/// that LibTorch has, with defaults.
FxGraph readGraphModule(const pybind11::object &graphModule);

} // namespace neuron::python

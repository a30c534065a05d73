//===- GraphBytes.h - an ATen graph as bytes --------------------*- C++ -*-===//
//
// For keys: what the importer makes of a graph is a function of these bytes.
// They say all that is in the graph, but the names of nodes that are neither
// inputs nor outputs, which nothing shows. A text is written where it comes
// first, so that the layers of a network cost little.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Graph.h"

namespace neuron::import {

std::string bytesOf(const Graph &graph);

} // namespace neuron::import

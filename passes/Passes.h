//===- Passes.h - all passes of the compiler --------------------*- C++ -*-===//
//
// Each folder has its own Passes.td and Passes.h; a new folder adds a line to
// Passes.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace neuron {

/// Makes every pass known by name, for neuron-opt and for printed pipelines.
void registerNeuronPasses();

} // namespace neuron

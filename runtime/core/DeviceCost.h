//===- DeviceCost.h - what transfers and dispatches take --------*- C++ -*-===//
//
// What a program takes by itself comes from its timeline
// (runtime/simulator/Simulator.h); this is what surrounds it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "runtime/core/Clock.h"
#include <span>

namespace neuron::nrt {

/// A published figure of what a dispatch costs.
struct DispatchCost {
  const char *name; ///< value of NEURON_MLIR_DISPATCH_COST
  target::Parameter target::Target::*picoseconds;
  /// Whether the launch on the device, which each prediction has, is in it.
  bool withLaunch;
};

std::span<const DispatchCost> dispatchCosts();

/// Picoseconds of a core that a dispatch takes beside the predicted time of
/// its program.
uint64_t dispatchPs(const target::Target &target, const DispatchCost &cost);

/// Picoseconds that moving so many bytes takes. Not for Lane::Compute.
uint64_t transferPs(const target::Target &target, Lane lane, uint64_t bytes);

} // namespace neuron::nrt

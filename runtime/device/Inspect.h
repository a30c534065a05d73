//===- Inspect.h - the runtime's own record of a profile --------*- C++ -*-===//
#pragma once
#include <string>

namespace neuron::device {

/// Has the runtime record as a NeuronConfig says (its custom_profiler_config).
/// Returns why it cannot; empty if it does, or if nothing is asked for.
std::string beginInspection(const std::string &config);
/// Writes the files, if an inspection was begun. Returns why it cannot.
std::string endInspection();
/// Where the last inspection wrote, or writes; empty if there was none.
std::string inspectionFolder();

} // namespace neuron::device

//===- BuildId.h - which build of the simulator is this? --------*- C++ -*-===//
#pragma once
#include <string>

namespace neuron::simulator::compiled {

/// Differs between builds whose code generator may differ: the build id that
/// the linker gave to the executable or library this function is part of, or
/// else the size and time of its file.
std::string buildId();

} // namespace neuron::simulator::compiled

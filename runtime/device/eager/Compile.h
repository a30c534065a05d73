//===- Compile.h - a graph to a program on the device -----------*- C++ -*-===//
#pragma once
#include "runtime/device/Launch.h"
#include <variant>

namespace neuron::device {

/// Compiles and loads; nothing is written to disk: compiling an operation anew
/// takes about as long as reading it. The reason if the compiler refuses it.
std::variant<Program, std::string> compileGraph(const import::Graph &graph,
                                                c10::DeviceIndex device);

} // namespace neuron::device

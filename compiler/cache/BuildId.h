//===- BuildId.h - which build of the compiler this is ----------*- C++ -*-===//
#pragma once
#include <string>

namespace neuron::cache {

/// The linker's build id of the library that holds the compiler, in hex:
/// another one for every change of its code.
const std::string &buildId();

} // namespace neuron::cache

//===- HostCodeCache.h - where host code is kept ----------------*- C++ -*-===//
//
// Host code is loaded and run, so nobody but the user may write where it
// lies.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/core/Config.h"

namespace neuron::nrt {

/// The directory, made if need be; empty if the cache is off. A directory
/// that the user named and that cannot be used is an error; without one the
/// cache is off with a warning in the log.
Result<std::string> hostCodeDirectory(const Config &config);

} // namespace neuron::nrt

//===- Lifecycle.h - captures and the runtime's start and end ---*- C++ -*-===//
#pragma once
#include "runtime/core/Config.h"
#include "runtime/program/Result.h"

namespace neuron::profile {

/// In nrt_init: begins an inspection if the environment asks for one.
Status beginAsEnvironmentSays(const nrt::Config &config);

/// In nrt_close, and when the process exits: writes what is being captured.
/// `forked`: captures belong to another process and are left to it.
void finishAll(bool forked);

} // namespace neuron::profile

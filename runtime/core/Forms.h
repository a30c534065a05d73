//===- Forms.h - the simulator's forms of execution -------------*- C++ -*-===//
#pragma once
#include "runtime/core/Config.h"
#include "runtime/simulator/Simulator.h"
#include <memory>

namespace neuron::nrt {

Result<std::unique_ptr<simulator::Executable>>
makeExecutable(std::shared_ptr<const program::Program> program, Form form,
               const Config &config);

} // namespace neuron::nrt

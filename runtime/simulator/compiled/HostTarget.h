//===- HostTarget.h - the CPU that host code is made for --------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace neuron::simulator::compiled {

struct HostCpu {
  std::string name, features; ///< as LLVM writes them
  unsigned vectorBits = 128;  ///< of its widest useful registers
};

/// The CPU of this process.
HostCpu hostCpu();

/// For tests of code for other CPUs that this one can run too.
void overrideHostCpu(HostCpu cpu);

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine();

} // namespace neuron::simulator::compiled

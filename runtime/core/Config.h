//===- Config.h - the runtime's environment ---------------------*- C++ -*-===//
//
// NEURON_RT_* variables with AWS's meaning, and NEURON_MLIR_* ones of ours.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/core/DeviceCost.h"
#include "runtime/program/Result.h"
#include <cstdint>
#include <string>
#include <vector>

namespace neuron::nrt {

/// The simulated computer: one Trainium2 device.
struct Instance {
  static constexpr uint32_t kPhysicalCores = 8;
  static constexpr uint32_t kHbms = 4;
  static constexpr uint64_t kCoreMemory = uint64_t(24) << 30;
};

enum class Form : int { Interpreter, Compiled };

struct Config {
  uint32_t virtualCoreSize = 1; ///< physical cores of a logical one
  uint32_t totalCores = Instance::kPhysicalCores;
  std::vector<uint32_t> visibleCores; ///< logical cores of this process
  bool validateHash = true;
  uint64_t coreMemory = Instance::kCoreMemory;
  double execTimeout = 0;         ///< seconds of this computer's time; 0: none
  uint64_t computeQueueDepth = 8; ///< scheduled executions of a core
  /// The only figure that was measured on the device; the others are times of
  /// AWS's hosts, in place of which the timeline has this host's.
  const DispatchCost *dispatchCost = &dispatchCosts().front();
  Form form = Form::Compiled;
  bool hostCodeCache = true;
  std::string cacheDirectory;         ///< empty: there is no place for one
  bool cacheDirectoryIsNamed = false; ///< by the user: failing is an error
  std::vector<std::string> warnings;  ///< of variables without effect
};

Result<Config> readConfig();

} // namespace neuron::nrt

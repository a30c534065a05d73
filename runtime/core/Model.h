//===- Model.h - a loaded NEFF ----------------------------------*- C++ -*-===//
#pragma once
#include "nrt/nrt.h"
#include "runtime/core/Config.h"
#include "runtime/core/Memory.h"
#include "runtime/profile/DeviceProfile.h"
#include "runtime/program/Program.h"
#include "runtime/simulator/Simulator.h"
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace neuron::nrt {

/// Why a model was not loaded.
struct LoadFailure {
  NRT_STATUS status = NRT_SUCCESS;
  std::string message;
};

class Model {
public:
  static std::shared_ptr<Model> load(std::span<const uint8_t> neff,
                                     const Config &config, Form form,
                                     std::shared_ptr<Core> core,
                                     LoadFailure &failure);
  ~Model();

  /// An input or output that clients bind.
  struct Slot {
    uint32_t tensor; ///< index in the program
    const program::Tensor *variable;
  };

  const program::Program &program() const { return *held; }
  const target::Target &target() const { return *device; }
  const std::vector<Slot> &inputs() const { return in; }
  const std::vector<Slot> &outputs() const { return out; }
  simulator::Executable &executable() const { return *runs; }

  /// What profiles need of it; outlives it.
  std::shared_ptr<const profile::ModelInfo> info() const {
    std::lock_guard lock(infoMutex);
    return about;
  }
  /// Where its operations come from, for profiles.
  void setLines(std::vector<profile::SourceLine> lines);

  const std::string name;
  const uint64_t id; ///< counted in the process, from 1
  const Form form;
  const std::shared_ptr<Core> core;
  std::atomic<uint64_t> executions = 0;

  /// Predicted time of one execution; computed once.
  Result<uint64_t> predictedPs();

private:
  Model(std::string name, Form form, std::shared_ptr<Core> core);
  bool bindSlots(LoadFailure &failure);

  std::shared_ptr<const program::Program> held;
  const target::Target *device = nullptr;
  std::vector<Slot> in, out;
  std::optional<MemoryClaim> claim; ///< constants and scratch
  std::unique_ptr<simulator::Executable> runs;
  mutable std::mutex infoMutex;
  std::shared_ptr<const profile::ModelInfo> about;
  std::once_flag predictOnce;
  std::optional<Result<uint64_t>> predicted;
};

} // namespace neuron::nrt

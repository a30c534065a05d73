//===- DeviceProfile.h - an .ntff file --------------------------*- C++ -*-===//
//
// In the format of device_profile.proto.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace neuron::profile {

/// Where an operation of the program comes from, as the client says.
struct SourceLine {
  std::string id;   ///< of the operation, as locations name it
  std::string op;   ///< what it is, may be empty
  std::string file; ///< may be empty
  uint32_t line = 0;
};

/// What of a loaded model its profile needs; outlives the model.
struct ModelInfo {
  uint64_t id = 0;
  std::string name;
  uint64_t number = 0; ///< in the names of its files
  std::string uuid;
  uint32_t core = 0;
  std::shared_ptr<const program::Program> program;
  std::vector<SourceLine> lines;
};

/// The number for the names of files: 48 bits of the NEFF's hash.
uint64_t numberOf(const std::array<uint8_t, 32> &hash);

struct ExecutionRecord {
  uint64_t model = 0;     ///< id
  uint64_t execution = 0; ///< counted on the core
  uint64_t start = 0, end = 0;
  uint64_t sequence = 0;
  uint64_t dispatchPs = 0;
};

struct DeviceProfile {
  uint32_t core = 0;
  uint32_t session = 0;
  std::vector<std::shared_ptr<const ModelInfo>> models;
  std::vector<ExecutionRecord> executions;
};

Result<std::string> encodeDeviceProfile(const DeviceProfile &profile);

} // namespace neuron::profile

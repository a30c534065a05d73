//===- DeviceCapture.h - executions to make device profiles of --*- C++ -*-===//
#pragma once
#include "runtime/profile/Executions.h"
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace neuron::profile {

/// Which files a capture has written, for who reads them together.
struct WrittenModel {
  std::shared_ptr<const ModelInfo> model;
  std::string neffFile, ntffFile; ///< names in the folder; empty: none
};

/// How executions are divided into files.
enum class ProfileMode : uint8_t { Model, Session };

class DeviceCapture final : public ExecutionListener {
public:
  /// Of one model, or of all on these cores.
  explicit DeviceCapture(std::optional<uint64_t> onlyModel = std::nullopt,
                         std::set<uint32_t> disabledCores = {})
      : onlyModel(onlyModel), disabledCores(std::move(disabledCores)) {}

  void executed(const nrt::Model &model,
                const ExecutionRecord &record) override;
  void failed(const nrt::Model &) override {}

  /// Models that executed, by id.
  std::vector<std::shared_ptr<const ModelInfo>> models() const;
  /// The model that a core executed last.
  std::optional<uint64_t> latest(uint32_t core) const;

  /// The profile of one model.
  Result<std::string> encodeModel(uint64_t model) const;
  /// Writes NEFFs and profiles; of one model, or of all.
  Result<std::vector<WrittenModel>>
  write(const std::string &folder, ProfileMode mode, uint32_t session,
        std::optional<uint64_t> model = std::nullopt) const;

private:
  struct Recorded {
    std::shared_ptr<const ModelInfo> info;
    uint32_t instance = 0; ///< among the loads of that NEFF on that core
    std::deque<ExecutionRecord> executions; ///< the last kExecutionsKept
  };
  static constexpr size_t kExecutionsKept = 1 << 20;

  Result<WrittenModel> writeModel(const std::string &folder,
                                  const Recorded &recorded,
                                  uint32_t session) const;

  const std::optional<uint64_t> onlyModel;
  const std::set<uint32_t> disabledCores;
  mutable std::mutex mutex;
  std::map<uint64_t, Recorded> byModel;  ///< by id
  std::map<uint32_t, uint64_t> latestOf; ///< by core
};

/// A pair of files for a model that did not get to execute.
Result<WrittenModel> writeUnexecuted(const std::string &folder,
                                     std::shared_ptr<const ModelInfo> model);

} // namespace neuron::profile

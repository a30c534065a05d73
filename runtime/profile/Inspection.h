//===- Inspection.h - captures a process into a folder ----------*- C++ -*-===//
#pragma once
#include "runtime/core/Config.h"
#include "runtime/profile/InspectConfig.h"
#include "runtime/profile/Samples.h"

namespace neuron::profile {

class Inspection {
public:
  /// Makes the folder and begins to capture. Without `enabled` it only watches
  /// for failures, if that is wanted.
  static Result<std::unique_ptr<Inspection>> begin(InspectConfig config,
                                                   const nrt::Config &runtime);
  /// Ends without writing, unless `finish` was called.
  ~Inspection();

  /// Ends the capture and writes it.
  Status finish();

  /// Where it writes; empty if it is not enabled.
  const std::string &folder() const { return path; }
  const InspectConfig &config() const { return chosen; }

private:
  class OnFailure;
  Inspection(InspectConfig config, const nrt::Config &runtime);
  void detachAll();
  std::string traceInfo(const std::vector<WrittenModel> &models) const;

  const InspectConfig chosen;
  std::string dispatchCost;
  std::vector<uint32_t> physicalCores; ///< first one of each logical core
  uint32_t coreSize;
  std::string path;
  uint64_t startTime = 0, stopTime = 0;
  std::shared_ptr<Session> session;             ///< of the system trace
  std::shared_ptr<DeviceCapture> executions;    ///< also without profiles
  std::shared_ptr<ExecutionListener> onFailure; ///< null unless wanted
  std::unique_ptr<Sampler> sampler;             ///< null if nothing is sampled
};

/// ntrace.pb.
std::string encodeSystemTrace(const std::vector<Session::Taken> &cores);

} // namespace neuron::profile

//===- Captures.h - what is being captured for files ------------*- C++ -*-===//
#pragma once
#include "runtime/profile/Inspection.h"
#include "runtime/profile/Lifecycle.h"

namespace neuron::profile {

struct Captures {
  /// Of nrt_profile_start, by file; each listens to its model.
  struct OfModel {
    uint64_t model; ///< id
    std::string name;
    std::shared_ptr<DeviceCapture> capture;
  };
  std::map<std::string, OfModel> byFile;
  std::shared_ptr<DeviceCapture> continuous; ///< null while it is off
  std::unique_ptr<Inspection> inspection;    ///< null while none is on
  std::string lastFolder;                    ///< of an inspection

  bool inspectsDevice() const {
    return inspection && inspection->config().enabled &&
           inspection->config().wants(Activity::DeviceProfile);
  }
};

/// The process's captures, locked while the result lives.
class LockedCaptures {
public:
  LockedCaptures(std::mutex &mutex, Captures &captures)
      : lock(mutex), captures(&captures) {}
  Captures *operator->() const { return captures; }
  Captures &operator*() const { return *captures; }

private:
  std::unique_lock<std::mutex> lock;
  Captures *captures;
};

LockedCaptures captures();

} // namespace neuron::profile

//===- InspectConfig.h - what an inspection captures ------------*- C++ -*-===//
#pragma once
#include "runtime/profile/DeviceCapture.h"
#include "runtime/profile/Session.h"
#include <string_view>

namespace neuron::profile {

enum class Activity : uint8_t {
  SystemProfile,
  DeviceProfile,
  HostMemory,
  CpuUtil,
};
inline constexpr const char *kActivityNames[] = {
    "system_profile", "device_profile", "host_memory", "cpu_util"};

struct InspectConfig {
  CaptureConfig capture;
  std::string outputFolder = "./output";
  std::set<Activity> activities = {Activity::SystemProfile,
                                   Activity::DeviceProfile,
                                   Activity::HostMemory, Activity::CpuUtil};
  ProfileMode mode = ProfileMode::Model;
  uint32_t session = 1;
  bool enabled = false;
  bool onFailure = false;

  bool wants(Activity activity) const { return activities.contains(activity); }
};

std::optional<Activity> activityNamed(std::string_view name);

/// NEURON_RT_INSPECT_*; `enabled` as NEURON_RT_INSPECT_ENABLE says.
Result<InspectConfig> readInspectConfig();

/// A list as NEURON_RT_INSPECT_EVENT_FILTER_TYPE has it: names of types, and
/// the groups hardware and software; ^ takes out. Without a name that is not
/// taken out, all are in.
Status filterTypes(std::string_view list, CaptureConfig &config);

} // namespace neuron::profile

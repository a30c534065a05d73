//===- InspectConfig.cpp - what an inspection captures --------------------===//
#include "runtime/profile/InspectConfig.h"
#include "runtime/core/Config.h"
#include "runtime/core/Environment.h"
#include <algorithm>
#include <iterator>
#include <strings.h>

namespace neuron::profile {
namespace {

using nrt::badValue;
using nrt::readBool;
using nrt::readNumber;
using nrt::variable;

/// The types that a name in a filter means; empty if it means none.
std::vector<EventType> typesOf(std::string_view name) {
  std::vector<EventType> result;
  for (size_t i = 0; i < eventTypes().size(); ++i) {
    const EventTypeRow &row = eventTypes()[i];
    const char *group =
        row.group == EventGroup::Hardware ? "hardware" : "software";
    if (name == row.name || name == group)
      result.push_back(static_cast<EventType>(i));
  }
  return result;
}

Status readActivities(InspectConfig &config) {
  struct Row {
    const char *variable;
    Activity activity;
    bool byDefault;
  };
  constexpr Row rows[] = {
      {"NEURON_RT_INSPECT_SYSTEM_PROFILE", Activity::SystemProfile, true},
      {"NEURON_RT_INSPECT_CPU_UTIL", Activity::CpuUtil, false},
      {"NEURON_RT_INSPECT_HOST_MEMORY", Activity::HostMemory, false},
  };
  config.activities.clear();
  for (const Row &row : rows) {
    bool on = row.byDefault;
    if (auto status = readBool(row.variable, on); !status)
      return status;
    if (on)
      config.activities.insert(row.activity);
  }
  return {};
}

/// Off unless it is set, as AWS's documentation has it.
Status readDeviceProfile(InspectConfig &config) {
  constexpr char name[] = "NEURON_RT_INSPECT_DEVICE_PROFILE";
  auto text = variable(name);
  if (!text)
    return {};
  auto is = [&](const char *value) {
    return !strcasecmp(text->c_str(), value);
  };
  if (is("0") || is("false"))
    return {};
  config.activities.insert(Activity::DeviceProfile);
  if (is("1") || is("true") || is("model"))
    return {};
  if (!is("session"))
    return badValue(name, *text, "0, 1, model or session");
  config.mode = ProfileMode::Session;
  return {};
}

Status readFilters(InspectConfig &config) {
  if (auto list = variable("NEURON_RT_INSPECT_EVENT_FILTER_TYPE"))
    if (auto status = filterTypes(*list, config.capture); !status)
      return Error{"NEURON_RT_INSPECT_EVENT_FILTER_TYPE: " + status.message()};
  constexpr char name[] = "NEURON_RT_INSPECT_EVENT_FILTER_NC";
  auto list = variable(name);
  if (!list)
    return {};
  auto cores = nrt::coreList(name, *list);
  if (!cores)
    return cores.error();
  for (uint32_t core = 0; core < nrt::Instance::kPhysicalCores; ++core)
    if (std::find(cores->begin(), cores->end(), core) == cores->end())
      config.capture.disabledCores.insert(core);
  return {};
}

} // namespace

std::optional<Activity> activityNamed(std::string_view name) {
  for (size_t i = 0; i < std::size(kActivityNames); ++i)
    if (name == kActivityNames[i])
      return static_cast<Activity>(i);
  return std::nullopt;
}

Status filterTypes(std::string_view list, CaptureConfig &config) {
  std::set<EventType> in, out;
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = std::min(list.find(',', begin), list.size());
    std::string_view name = list.substr(begin, end - begin);
    begin = end + 1;
    bool takesOut = !name.empty() && name[0] == '^';
    if (takesOut)
      name.remove_prefix(1);
    auto types = typesOf(name);
    if (types.empty())
      return Error{"there is no type or group of events '" + std::string(name) +
                   "'"};
    (takesOut ? out : in).insert(types.begin(), types.end());
  }
  for (size_t i = 0; i < eventTypes().size(); ++i) {
    auto type = static_cast<EventType>(i);
    if (out.contains(type) || (!in.empty() && !in.contains(type)))
      config.disabledTypes.insert(type);
  }
  return {};
}

Result<InspectConfig> readInspectConfig() {
  InspectConfig config;
  for (auto read : {readActivities, readDeviceProfile, readFilters})
    if (auto status = read(config); !status)
      return status.error();
  if (auto folder = variable("NEURON_RT_INSPECT_OUTPUT_DIR"))
    config.outputFolder = *folder;
  if (auto status = readBool("NEURON_RT_INSPECT_ENABLE", config.enabled);
      !status)
    return status.error();
  if (auto status = readBool("NEURON_RT_INSPECT_ON_FAIL", config.onFailure);
      !status)
    return status.error();
  if (auto status = readNumber<uint64_t>(
          "NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "a number", 0,
          uint64_t(1) << 40, config.capture.maxEvents);
      !status)
    return status.error();
  return config;
}

} // namespace neuron::profile

//===- Inspect.cpp - the runtime's own record of a profile ----------------===//
#include "runtime/device/Inspect.h"
#include "runtime/device/Runtime.h"
#include <atomic>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

using namespace neuron;
using namespace neuron::device;

namespace {

std::atomic<bool> isOn = false;

/// Modes of NeuronConfig, and the runtime's activities.
constexpr std::pair<const char *, const char *> kActivities[] = {
    {"device", "device_profile"},
    {"runtime", "system_profile"},
    {"cpu_util", "cpu_util"},
    {"host_memory", "host_memory"},
};

std::string fromHex(std::string_view digits) {
  std::string text;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    text += char(value);
  }
  return text;
}

/// The runtime's configuration of an inspection.
class Config {
public:
  Config() { good(api().inspectConfigAllocate(&held)); }
  ~Config() {
    if (held)
      api().inspectConfigFree(held);
  }
  Config(const Config &) = delete;

  void good(NRT_STATUS status) {
    if (status != NRT_SUCCESS && problem.empty())
      problem = library().describe("nrt_inspect_config", status);
  }
  void set(const nlohmann::json &values) {
    good(api().inspectConfigSetEnable(held, true));
    good(api().inspectConfigSetSession(held, 0));
    good(api().inspectConfigSetMode(held,
                                    NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION));
    good(api().inspectConfigSetMaxEvents(held, values["max_events_per_nc"]));
    if (values["profile_output_dir"].is_string())
      good(api().inspectConfigSetOutputDir(
          held, values["profile_output_dir"].get<std::string>().c_str()));
    std::set<std::string> modes = values["modes"];
    for (auto [mode, activity] : kActivities)
      good(
          api().inspectConfigSetActivity(held, activity, modes.contains(mode)));
    if (values["cores"].is_array()) {
      std::set<uint32_t> cores = values["cores"];
      for (c10::DeviceIndex core = 0; core < deviceCount(); ++core)
        good(api().inspectConfigSetCaptureForCore(held, core,
                                                  cores.contains(core)));
    }
  }

  nrt_inspect_config_t *held = nullptr;
  std::string problem;
};

} // namespace

std::string device::beginInspection(const std::string &config) {
  size_t at = config.find("neuron:");
  if (at == std::string::npos)
    return "";
  auto values = nlohmann::json::parse(fromHex(config.substr(at + 7)), nullptr,
                                      /*allow_exceptions=*/false);
  if (values.is_discarded() || values["modes"].empty())
    return "";
  if (!api().inspectBeginWithOptions)
    return "this NRT library cannot inspect";
  Config options;
  if (options.problem.empty())
    options.set(values);
  if (!options.problem.empty())
    return options.problem;
  NRT_STATUS status = api().inspectBeginWithOptions(options.held);
  if (status != NRT_SUCCESS)
    return library().describe("nrt_inspect_begin_with_options", status);
  isOn = true;
  return "";
}

std::string device::endInspection() {
  if (!isOn.exchange(false))
    return "";
  NRT_STATUS status = api().inspectStop();
  return status == NRT_SUCCESS ? ""
                               : library().describe("nrt_inspect_stop", status);
}

std::string device::inspectionFolder() {
  char folder[4096] = "";
  if (!isInitialized() || !api().simInspectFolder ||
      api().simInspectFolder(folder, sizeof(folder)) != NRT_SUCCESS)
    return "";
  return folder;
}

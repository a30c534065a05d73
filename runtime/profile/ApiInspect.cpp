//===- ApiInspect.cpp - nrt_inspect_* -------------------------------------===//
#include "nrt/neuron_sim.h"
#include "nrt/nrt_profile.h"
#include "runtime/core/Runtime.h"
#include "runtime/profile/Captures.h"
#include "runtime/profile/Names.h"
#include <cstring>

using namespace neuron;
using namespace neuron::nrt;

struct nrt_inspect_config {
  profile::InspectConfig config;
};

namespace {

/// The body of a call that changes a configuration.
template <typename Body>
NRT_STATUS change(const char *function, nrt_inspect_config_t *options,
                  Body body) {
  return guarded(function, [&]() -> NRT_STATUS {
    if (!options)
      return nullArgument("the configuration");
    return body(options->config);
  });
}

NRT_STATUS begin(const Runtime &state, profile::InspectConfig config) {
  auto captures = profile::captures();
  if (captures->inspection)
    return fail(NRT_FAILURE,
                "an inspection is on already; call nrt_inspect_stop first");
  bool profiles =
      config.enabled && config.wants(profile::Activity::DeviceProfile);
  if (profiles && (!captures->byFile.empty() || captures->continuous))
    return fail(NRT_FAILURE, "a model is being profiled; end that first, or "
                             "inspect without device_profile");
  auto inspection = profile::Inspection::begin(std::move(config), state.config);
  if (!inspection)
    return fail(NRT_FAILURE, inspection.message());
  captures->inspection = std::move(*inspection);
  if (!captures->inspection->folder().empty())
    captures->lastFolder = captures->inspection->folder();
  return NRT_SUCCESS;
}

std::vector<std::string> activityNames(const profile::InspectConfig *config) {
  std::vector<std::string> result;
  for (size_t i = 0; i < std::size(profile::kActivityNames); ++i)
    if (!config || config->wants(static_cast<profile::Activity>(i)))
      result.push_back(profile::kActivityNames[i]);
  return result;
}

} // namespace

NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t **options) {
  return guarded(__func__, [&] {
    if (!options)
      return nullArgument("the result");
    *options = new nrt_inspect_config;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t *options) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    config = {};
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t *options) {
  delete options;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_session_id(nrt_inspect_config_t *options,
                                             int session) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    if (session < 0)
      return fail(NRT_INVALID,
                  "session " + std::to_string(session) + " is negative");
    config.session = uint32_t(session);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t *options,
                                             const char *folder) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    if (!folder || !*folder)
      return nullArgument("the folder");
    config.outputFolder = folder;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_set_sys_trace_max_events_per_nc(
    nrt_inspect_config_t *options, uint64_t maxEvents) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    config.capture.maxEvents = maxEvents;
    return NRT_SUCCESS;
  });
}

NRT_STATUS
nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t *options,
                                              uint32_t core, bool enabled) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    if (enabled)
      config.capture.disabledCores.erase(core);
    else
      config.capture.disabledCores.insert(core);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_set_capture_enabled_for_event_type_string(
    nrt_inspect_config_t *options, const char *name, bool enabled) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    if (!name)
      return nullArgument("the type");
    return profile::enableType(config.capture, name, enabled);
  });
}

NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t *options,
                                                 bool enabled) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    config.enabled = enabled;
    return NRT_SUCCESS;
  });
}

NRT_STATUS
nrt_inspect_config_set_enable_inspect_on_fail(nrt_inspect_config_t *options,
                                              bool enabled) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    config.onFailure = enabled;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_set_inspect_device_profile_mode(
    nrt_inspect_config_t *options, nrt_inspect_device_profile_mode_t mode) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    if (mode != NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL &&
        mode != NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION)
      return fail(NRT_INVALID, "unknown mode " + std::to_string(int(mode)));
    config.mode = mode == NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION
                      ? profile::ProfileMode::Session
                      : profile::ProfileMode::Model;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_config_get_all_activity_types(const char ***names,
                                                     size_t *count) {
  return guarded(__func__, [&] {
    return profile::giveNames(activityNames(nullptr), names, count);
  });
}

NRT_STATUS
nrt_inspect_config_get_enabled_activity_types(nrt_inspect_config_t *options,
                                              const char ***names,
                                              size_t *count) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    return profile::giveNames(activityNames(&config), names, count);
  });
}

void nrt_inspect_config_free_activity_types(const char **names, size_t count) {
  profile::freeNames(names, count);
}

NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t *options,
                                           const char *name, bool enabled) {
  return change(__func__, options, [&](profile::InspectConfig &config) {
    if (!name)
      return nullArgument("the activity");
    bool all = std::strcmp(name, "all") == 0;
    auto one = profile::activityNamed(name);
    if (!all && !one)
      return fail(NRT_INVALID,
                  std::string("there is no activity '") + name +
                      "'; use system_profile, device_profile, host_memory, "
                      "cpu_util or all");
    for (size_t i = 0; i < std::size(profile::kActivityNames); ++i) {
      auto activity = static_cast<profile::Activity>(i);
      if (!all && activity != *one)
        continue;
      if (enabled)
        config.activities.insert(activity);
      else
        config.activities.erase(activity);
    }
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_inspect_begin(void) {
  return call(__func__, [&](Runtime &state) {
    auto config = profile::readInspectConfig();
    if (!config)
      return fail(NRT_INVALID, config.message());
    config->enabled = true;
    return begin(state, std::move(*config));
  });
}

NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t *options) {
  return call(__func__, [&](Runtime &state) {
    return begin(state, options ? options->config : profile::InspectConfig());
  });
}

NRT_STATUS nrt_inspect_stop(void) {
  return call(__func__, [&](Runtime &) {
    auto captures = profile::captures();
    if (!captures->inspection)
      return fail(NRT_FAILURE, "no inspection is on; call nrt_inspect_begin");
    auto inspection = std::move(captures->inspection);
    auto status = inspection->finish();
    return status ? NRT_SUCCESS : fail(NRT_FAILURE, status.message());
  });
}

NRT_STATUS neuron_sim_inspect_folder(char *buffer, size_t size) {
  return guarded(__func__, [&] {
    if (!buffer || size == 0)
      return nullArgument("the buffer");
    auto captures = profile::captures();
    const std::string &folder = captures->lastFolder;
    if (folder.size() >= size)
      return fail(NRT_RESOURCE, "the folder's name has " +
                                    std::to_string(folder.size()) + " bytes");
    std::memcpy(buffer, folder.c_str(), folder.size() + 1);
    return NRT_SUCCESS;
  });
}

Status profile::beginAsEnvironmentSays(const nrt::Config &runtime) {
  auto config = readInspectConfig();
  if (!config)
    return config.error();
  if (!config->enabled && !config->onFailure)
    return {};
  auto inspection = Inspection::begin(std::move(*config), runtime);
  if (!inspection)
    return Error{"the inspection that the environment asks for cannot begin: " +
                 inspection.message()};
  auto all = captures();
  all->inspection = std::move(*inspection);
  all->lastFolder = all->inspection->folder();
  return {};
}

//===- Config.cpp - the runtime's environment -----------------------------===//
#include "runtime/core/Config.h"
#include "runtime/core/Environment.h"
#include <algorithm>
#include <numeric>
#include <strings.h>

namespace neuron::nrt {
namespace {

Status readCores(Config &config) {
  uint32_t size = config.virtualCoreSize;
  for (const char *name :
       {"NEURON_LOGICAL_NC_CONFIG", "NEURON_RT_VIRTUAL_CORE_SIZE"})
    if (auto status = readNumber<uint32_t>(name, "1 or 2", 1, 2, size); !status)
      return status;
  config.virtualCoreSize = size;
  config.totalCores = Instance::kPhysicalCores / size;
  config.visibleCores.resize(config.totalCores);
  std::iota(config.visibleCores.begin(), config.visibleCores.end(), 0);

  auto unavailable = [&](const std::string &requested) {
    return Error{"NeuronCore(s) not available - Requested:" + requested +
                 " Available:" + std::to_string(config.totalCores)};
  };
  uint32_t wanted = 0;
  if (auto status = readNumber<uint32_t>("NEURON_RT_NUM_CORES", "a number", 0,
                                         1 << 20, wanted);
      !status)
    return status;
  if (auto list = variable("NEURON_RT_VISIBLE_CORES")) {
    auto cores = coreList("NEURON_RT_VISIBLE_CORES", *list);
    if (!cores)
      return cores.error();
    for (uint32_t core : *cores)
      if (core >= config.totalCores)
        return unavailable(*list);
    config.visibleCores = std::move(*cores);
  } else if (wanted > config.totalCores) {
    return unavailable(std::to_string(wanted));
  } else if (wanted > 0) {
    config.visibleCores.resize(wanted);
  }
  return {};
}

Status readForm(Config &config) {
  auto text = variable("NEURON_MLIR_SIMULATOR");
  if (!text)
    return {};
  if (*text == "interpreter")
    config.form = Form::Interpreter;
  else if (*text == "compiled")
    config.form = Form::Compiled;
  else
    return badValue("NEURON_MLIR_SIMULATOR", *text, "interpreter or compiled");
  return {};
}

Status readQueueDepth(Config &config) {
  constexpr uint64_t kMost = 63;
  constexpr char name[] = "NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS";
  auto status =
      readNumber<uint64_t>(name, "a number from 1 to 63", 1, uint64_t(1) << 32,
                           config.computeQueueDepth);
  if (status && config.computeQueueDepth > kMost) {
    config.warnings.push_back(std::string(name) + " is " +
                              std::to_string(config.computeQueueDepth) +
                              "; the most is 63, which is used");
    config.computeQueueDepth = kMost;
  }
  return status;
}

Status readDispatchCost(Config &config) {
  constexpr char name[] = "NEURON_MLIR_DISPATCH_COST";
  auto text = variable(name);
  if (!text)
    return {};
  std::string known;
  for (const DispatchCost &row : dispatchCosts()) {
    if (*text == row.name) {
      config.dispatchCost = &row;
      return {};
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return badValue(name, *text, "one of " + known);
}

Status readCache(Config &config) {
  bool disabled = false;
  if (auto status = readBool("NEURON_MLIR_DISABLE_CACHE", disabled); !status)
    return status;
  config.hostCodeCache = !disabled;
  if (auto directory = variable("NEURON_MLIR_CACHE_DIR")) {
    config.cacheDirectory = *directory + "/host-code";
    config.cacheDirectoryIsNamed = true;
  } else if (auto home = variable("HOME")) {
    config.cacheDirectory = *home + "/.cache/neuron-mlir/host-code";
  }
  return {};
}

/// Variables that do something in AWS's runtime and nothing here.
struct Ignored {
  const char *name, *why;
};
constexpr Ignored kIgnored[] = {
    {"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS",
     "implicit asynchronous execution was removed from the runtime"},
    {"NEURON_RT_INSPECT_DURATION_NSEC", "it was removed from the runtime"},
    {"NEURON_RT_INSPECT_START_OFFSET_NSEC", "it was removed from the runtime"},
    {"NEURON_RT_INSPECT_PRECACHE_ENABLE",
     "profiles of the simulator need nothing before the first execution"},
    {"NEURON_RT_STOCHASTIC_ROUNDING_EN",
     "the simulator rounds to nearest even"},
    {"NEURON_RT_ROOT_COMM_ID", "the simulator has no collectives"},
};

} // namespace

Result<Config> readConfig() {
  Config config;
  for (auto read :
       {readCores, readForm, readQueueDepth, readDispatchCost, readCache})
    if (auto status = read(config); !status)
      return status.error();
  if (auto status = readBool("NEURON_RT_VALIDATE_HASH", config.validateHash);
      !status)
    return status.error();
  if (auto status = readNumber<uint64_t>("NEURON_MLIR_CORE_MEMORY_BYTES",
                                         "a number of bytes", 0,
                                         uint64_t(1) << 50, config.coreMemory);
      !status)
    return status.error();
  if (auto status =
          readNumber<double>("NEURON_RT_EXEC_TIMEOUT", "a number of seconds", 0,
                             1e9, config.execTimeout);
      !status)
    return status.error();
  for (const Ignored &row : kIgnored)
    if (auto value = variable(row.name);
        value && *value != "0" && strcasecmp(value->c_str(), "false") != 0)
      config.warnings.push_back(std::string(row.name) +
                                " has no effect: " + row.why);
  return config;
}

} // namespace neuron::nrt

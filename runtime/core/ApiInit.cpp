//===- ApiInit.cpp - nrt_init, nrt_close, what there is -------------------===//
#include "runtime/core/Runtime.h"
#include "runtime/profile/Lifecycle.h"
#include <cstring>

using namespace neuron;
using namespace neuron::nrt;

namespace {

/// Copies what both sides know of a structure that may have grown.
template <typename T>
NRT_STATUS copyOut(const T &ours, void *theirs, size_t size) {
  if (!theirs)
    return nullArgument("the result");
  std::memcpy(theirs, &ours, std::min(size, sizeof(T)));
  return NRT_SUCCESS;
}

/// Legal at any time: before nrt_init the environment answers.
NRT_STATUS countCores(const char *function, uint32_t *count, bool visible) {
  return guarded(function, [&]() -> NRT_STATUS {
    if (!count)
      return nullArgument("the result");
    Runtime &state = runtime();
    std::shared_lock lock(state.lifecycle);
    Config config;
    if (state.state == State::Ready) {
      config = state.config;
    } else {
      auto read = readConfig();
      if (!read)
        return fail(NRT_FAILURE, read.message());
      config = std::move(*read);
    }
    *count = visible ? static_cast<uint32_t>(config.visibleCores.size())
                     : config.totalCores;
    return NRT_SUCCESS;
  });
}

/// Under the lifecycle's lock.
void closeAll(Runtime &state) {
  state.state = State::Closed;
  // A forked process has none of the threads, nor anyone who would unlock
  // what they had locked.
  if (RequestQueues::isForked())
    (void)state.queues.release();
  state.queues.reset();
  profile::finishAll(RequestQueues::isForked());
  for (const auto &core : state.cores)
    core->retired = true;
  state.models.clear();
  state.sets.clear();
  state.tensors.clear();
  state.cores.clear();
}

} // namespace

NRT_STATUS nrt_init(nrt_framework_type_t framework, const char *,
                    const char *) {
  return guarded(__func__, [&]() -> NRT_STATUS {
    if (framework < NRT_FRAMEWORK_TYPE_NO_FW ||
        framework > NRT_FRAMEWORK_TYPE_PRECHECK)
      return fail(NRT_INVALID,
                  "unknown framework " + std::to_string(int(framework)));
    Runtime &state = runtime();
    std::unique_lock lock(state.lifecycle);
    if (state.state == State::Ready)
      return fail(NRT_FAILURE, "the runtime is initialized already");
    std::string problem;
    if (!configureLog(problem))
      return fail(NRT_INVALID, problem);
    auto config = readConfig();
    if (!config)
      return fail(NRT_FAILURE, config.message());
    std::vector<std::shared_ptr<Core>> cores;
    for (uint32_t i = 0; i < config->visibleCores.size(); ++i)
      cores.push_back(std::make_shared<Core>(i, config->coreMemory));
    for (const std::string &warning : config->warnings)
      log(LogLevel::Warning, __func__, warning);
    state.queues = std::make_unique<RequestQueues>(cores.size(),
                                                   config->computeQueueDepth);
    RequestQueues::claim();
    state.config = std::move(*config);
    state.cores = std::move(cores);
    state.state = State::Ready;
    if (auto status = profile::beginAsEnvironmentSays(state.config); !status) {
      closeAll(state);
      return fail(NRT_FAILURE, status.message());
    }
    log(LogLevel::Info, __func__,
        "neuron-mlir simulator with " + std::to_string(state.cores.size()) +
            " core(s)");
    return NRT_SUCCESS;
  });
}

void nrt_close(void) {
  // There is no status to return: closing twice, or before nrt_init, does
  // nothing.
  (void)guarded(__func__, [&]() -> NRT_STATUS {
    Runtime &state = runtime();
    std::unique_lock lock(state.lifecycle);
    if (state.state != State::Ready)
      return NRT_SUCCESS;
    closeAll(state);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_get_total_nc_count(uint32_t *count) {
  return countCores(__func__, count, /*visible=*/false);
}
NRT_STATUS nrt_get_total_vnc_count(uint32_t *count) {
  return countCores(__func__, count, /*visible=*/false);
}
NRT_STATUS nrt_get_visible_nc_count(uint32_t *count) {
  return countCores(__func__, count, /*visible=*/true);
}
NRT_STATUS nrt_get_visible_vnc_count(uint32_t *count) {
  return countCores(__func__, count, /*visible=*/true);
}

NRT_STATUS nrt_get_version(nrt_version_t *version, size_t size) {
  return guarded(__func__, [&] {
    // The release whose interface this is.
    nrt_version_t ours = {};
    ours.rt_major = 2;
    ours.rt_minor = 32;
    std::strncpy(ours.rt_detail,
                 "neuron-mlir " NEURON_MLIR_VERSION " simulator",
                 sizeof(ours.rt_detail) - 1);
    return copyOut(ours, version, size);
  });
}

NRT_STATUS nrt_get_instance_info(nrt_instance_info_t *info, size_t length) {
  return guarded(__func__, [&] {
    nrt_instance_info_t ours = {};
    ours.family = NRT_INSTANCE_FAMILY_TRN2;
    ours.size = NRT_INSTANCE_SIZE_3XL; // the size that has one device
    std::strncpy(ours.arch_name, "NCv3", sizeof(ours.arch_name) - 1);
    std::strncpy(ours.device_revision, "sim", sizeof(ours.device_revision) - 1);
    return copyOut(ours, info, length);
  });
}

NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t *stats,
                                    size_t sizeIn, size_t *sizeOut) {
  return call(__func__, [&](Runtime &state) {
    if (vnc >= state.cores.size())
      return fail(NRT_INVALID, "there is no core " + std::to_string(vnc));
    nrt_vnc_memory_stats_t ours = {state.cores[vnc]->used,
                                   state.cores[vnc]->limit};
    if (sizeOut)
      *sizeOut = sizeof(ours);
    return copyOut(ours, stats, sizeIn);
  });
}

const char *nrt_get_status_as_str(NRT_STATUS status) {
  switch (status) {
#define NEURON_NRT_STATUS_NAME(name, value, meaning)                           \
  case name:                                                                   \
    return #name;
    NEURON_NRT_STATUSES(NEURON_NRT_STATUS_NAME)
#undef NEURON_NRT_STATUS_NAME
  }
  return "UNKNOWN STATUS";
}

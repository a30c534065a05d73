//===- ApiSysTrace.cpp - nrt_sys_trace_* ----------------------------------===//
#include "nrt/nrt_sys_trace.h"
#include "runtime/core/Runtime.h"
#include "runtime/profile/EventJson.h"
#include "runtime/profile/Names.h"
#include "runtime/profile/Recorder.h"
#include <cstdlib>
#include <cstring>

using namespace neuron::nrt;
namespace profile = neuron::profile;

struct nrt_sys_trace_config {
  profile::CaptureConfig capture;
};

struct nrt_sys_trace_fetch_options {
  uint64_t maxEvents = UINT64_MAX;
  std::optional<uint64_t> core;
};

namespace {

/// The trace that is on.
struct Trace {
  std::mutex mutex;
  std::shared_ptr<profile::Session> session;
};

Trace &theTrace() {
  static Trace *trace = new Trace;
  return *trace;
}

NRT_STATUS noTrace() {
  return fail(NRT_FAILURE, "no trace is on; call nrt_sys_trace_start");
}

/// The body of a call that has no status to return.
template <typename Body> void quietly(const char *function, Body body) {
  (void)guarded(function, [&]() -> NRT_STATUS {
    body();
    return NRT_SUCCESS;
  });
}

} // namespace

NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t **options) {
  return guarded(__func__, [&] {
    if (!options)
      return nullArgument("the result");
    *options = new nrt_sys_trace_config;
    return NRT_SUCCESS;
  });
}

void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t *options) {
  quietly(__func__, [&] {
    if (options)
      *options = {};
  });
}

void nrt_sys_trace_config_free(nrt_sys_trace_config_t *options) {
  delete options;
}

void nrt_sys_trace_config_set_max_events_per_nc(nrt_sys_trace_config_t *options,
                                                uint64_t maxEvents) {
  quietly(__func__, [&] {
    if (options)
      options->capture.maxEvents = maxEvents;
  });
}

void nrt_sys_trace_config_set_capture_enabled_for_nc(
    nrt_sys_trace_config_t *options, uint32_t core, bool enabled) {
  quietly(__func__, [&] {
    if (!options)
      return;
    if (enabled)
      options->capture.disabledCores.erase(core);
    else
      options->capture.disabledCores.insert(core);
  });
}

NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(
    nrt_sys_trace_config_t *options, const char *name, bool enabled) {
  return guarded(__func__, [&] {
    if (!options || !name)
      return nullArgument("an argument");
    return profile::enableType(options->capture, name, enabled);
  });
}

NRT_STATUS nrt_sys_trace_get_event_types(const char ***names, size_t *count) {
  return guarded(__func__, [&] {
    return profile::giveNames(profile::typeNames(nullptr), names, count);
  });
}

NRT_STATUS nrt_sys_trace_config_get_enabled_event_types(
    nrt_sys_trace_config_t *options, const char ***names, size_t *count) {
  return guarded(__func__, [&] {
    if (!options)
      return nullArgument("the configuration");
    return profile::giveNames(profile::typeNames(&options->capture), names,
                              count);
  });
}

void nrt_sys_trace_free_event_types(const char **names, size_t count) {
  profile::freeNames(names, count);
}

NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t *options) {
  return call(__func__, [&](Runtime &) {
    Trace &trace = theTrace();
    std::lock_guard lock(trace.mutex);
    if (trace.session)
      return fail(NRT_FAILURE,
                  "a trace is on already; call nrt_sys_trace_stop first");
    trace.session = std::make_shared<profile::Session>(
        options ? options->capture : profile::CaptureConfig());
    profile::attach(trace.session);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_sys_trace_stop(void) {
  // Also after nrt_close, which leaves a trace on.
  return guarded(__func__, [&] {
    Trace &trace = theTrace();
    std::lock_guard lock(trace.mutex);
    if (!trace.session)
      return noTrace();
    profile::detach(trace.session);
    trace.session.reset();
    return NRT_SUCCESS;
  });
}

NRT_STATUS
nrt_sys_trace_fetch_options_allocate(nrt_sys_trace_fetch_options_t **options) {
  return guarded(__func__, [&] {
    if (!options)
      return nullArgument("the result");
    *options = new nrt_sys_trace_fetch_options;
    return NRT_SUCCESS;
  });
}

void nrt_sys_trace_fetch_options_set_defaults(
    nrt_sys_trace_fetch_options_t *options) {
  quietly(__func__, [&] {
    if (options)
      *options = {};
  });
}

void nrt_sys_trace_fetch_options_free(nrt_sys_trace_fetch_options_t *options) {
  delete options;
}

void nrt_sys_trace_fetch_options_set_max_events_per_nc(
    nrt_sys_trace_fetch_options_t *options, uint64_t maxEvents) {
  quietly(__func__, [&] {
    if (options)
      options->maxEvents = maxEvents;
  });
}

void nrt_sys_trace_fetch_options_set_nc_idx(
    nrt_sys_trace_fetch_options_t *options, uint64_t core) {
  quietly(__func__, [&] {
    if (options)
      options->core = core;
  });
}

NRT_STATUS
nrt_sys_trace_fetch_events(char **buffer, size_t *size,
                           const nrt_sys_trace_fetch_options_t *options) {
  return guarded(__func__, [&] {
    if (!buffer || !size)
      return nullArgument("a result");
    nrt_sys_trace_fetch_options chosen;
    if (options)
      chosen = *options;
    std::shared_ptr<profile::Session> session;
    {
      std::lock_guard lock(theTrace().mutex);
      session = theTrace().session;
    }
    if (!session)
      return noTrace();
    std::string text =
        profile::toJson(session->take(chosen.maxEvents, chosen.core),
                        !session->config.disabledTypes.contains(
                            profile::EventType::TimestampSyncPoint));
    auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
    if (!copy)
      throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    *buffer = copy;
    *size = text.size();
    return NRT_SUCCESS;
  });
}

void nrt_sys_trace_buffer_free(char *buffer) { std::free(buffer); }

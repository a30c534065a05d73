//===- ApiProfile.cpp - nrt_profile_* -------------------------------------===//
#include "nrt/neuron_sim.h"
#include "nrt/nrt_profile.h"
#include "runtime/core/Runtime.h"
#include "runtime/profile/Captures.h"
#include "runtime/profile/Files.h"
#include <cstdlib>

using namespace neuron;
using namespace neuron::nrt;

struct nrt_profile_continuous_options {
  std::string folder = "./output";
};

namespace {

std::atomic<profile::Captures *> theCaptures = new profile::Captures;
std::mutex captureMutex;

NRT_STATUS inspected() {
  return fail(NRT_FAILURE, "an inspection captures device profiles; end it "
                           "first, or inspect without device_profile");
}

/// Writes the profile of a model; one that did not execute has no executions.
Status finish(const std::string &file,
              const profile::Captures::OfModel &started) {
  auto encoded = started.capture->encodeModel(started.model);
  if (!encoded)
    return Error{"model '" + started.name + "': " + encoded.message()};
  return profile::writeFile(file, *encoded);
}

} // namespace

profile::LockedCaptures profile::captures() {
  // Not every client calls nrt_close: Python programs just end.
  static const int registered =
      std::atexit([] { profile::finishAll(RequestQueues::isForked()); });
  (void)registered;
  return LockedCaptures(captureMutex, *theCaptures);
}

void profile::finishAll(bool forked) {
  if (forked) {
    // Threads and files are the other process's.
    theCaptures = new Captures;
    return;
  }
  auto all = captures();
  auto report = [](const Status &status) {
    if (!status)
      (void)fail(NRT_FAILURE, status.message());
  };
  for (const auto &[file, started] : all->byFile) {
    unlisten(started.capture);
    report(finish(file, started));
  }
  all->byFile.clear();
  if (all->continuous)
    unlisten(all->continuous);
  all->continuous.reset();
  if (auto inspection = std::move(all->inspection))
    report(inspection->finish());
}

NRT_STATUS nrt_profile_start(nrt_model_t *model, const char *filename) {
  return call(__func__, [&](Runtime &state) {
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    if (!filename || !*filename)
      return nullArgument("the file's name");
    auto all = profile::captures();
    if (all->inspectsDevice())
      return inspected();
    if (all->byFile.contains(filename))
      return fail(NRT_FAILURE, std::string("a profile for '") + filename +
                                   "' is on already");
    // Whether it can be written shows now, not when all has been captured.
    if (auto status = profile::writeFile(filename, ""); !status)
      return fail(NRT_FAILURE, status.message());
    auto capture = std::make_shared<profile::DeviceCapture>(found->id);
    all->byFile.emplace(
        filename, profile::Captures::OfModel{found->id, found->name, capture});
    profile::listen(std::move(capture));
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_profile_stop(const char *filename) {
  return call(__func__, [&](Runtime &) {
    if (!filename)
      return nullArgument("the file's name");
    auto all = profile::captures();
    auto node = all->byFile.extract(filename);
    if (!node)
      return fail(NRT_INVALID,
                  std::string("no profile was started for '") + filename + "'");
    profile::unlisten(node.mapped().capture);
    auto status = finish(node.key(), node.mapped());
    return status ? NRT_SUCCESS : fail(NRT_FAILURE, status.message());
  });
}

NRT_STATUS nrt_profile_continuous_options_allocate(
    nrt_profile_continuous_options_t **options) {
  return guarded(__func__, [&] {
    if (!options)
      return nullArgument("the result");
    *options = new nrt_profile_continuous_options;
    return NRT_SUCCESS;
  });
}

NRT_STATUS
nrt_profile_continuous_options_free(nrt_profile_continuous_options_t *options) {
  delete options;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_profile_continuous_options_set_output_dir(
    nrt_profile_continuous_options_t *options, const char *folder) {
  return guarded(__func__, [&] {
    if (!options || !folder || !*folder)
      return nullArgument("an argument");
    options->folder = folder;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_profile_continuous_start(nrt_profile_continuous_options_t *) {
  return call(__func__, [&](Runtime &) {
    auto all = profile::captures();
    if (all->inspectsDevice())
      return inspected();
    if (all->continuous)
      return fail(NRT_FAILURE, "continuous profiling is on already");
    all->continuous = std::make_shared<profile::DeviceCapture>();
    profile::listen(all->continuous);
    return NRT_SUCCESS;
  });
}

NRT_STATUS
nrt_profile_continuous_save(uint32_t core,
                            nrt_profile_continuous_options_t *options) {
  return call(__func__, [&](Runtime &state) {
    if (core >= state.cores.size())
      return fail(NRT_INVALID, "there is no core " + std::to_string(core));
    auto all = profile::captures();
    if (!all->continuous)
      return fail(NRT_FAILURE, "continuous profiling is off; call "
                               "nrt_profile_continuous_start");
    auto model = all->continuous->latest(core);
    if (!model)
      return fail(NRT_FAILURE, "core " + std::to_string(core) +
                                   " has executed no model since the start");
    auto folder = profile::makeFolder(
        options ? options->folder : nrt_profile_continuous_options().folder);
    if (!folder)
      return fail(NRT_FAILURE, folder.message());
    auto written = all->continuous->write(*folder, profile::ProfileMode::Model,
                                          /*session=*/0, model);
    return written ? NRT_SUCCESS : fail(NRT_FAILURE, written.message());
  });
}

NRT_STATUS nrt_profile_continuous_stop(void) {
  return call(__func__, [&](Runtime &) {
    auto all = profile::captures();
    if (!all->continuous)
      return fail(NRT_FAILURE, "continuous profiling is off");
    profile::unlisten(all->continuous);
    all->continuous.reset();
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_set_source_lines(nrt_model_t *model,
                                       const neuron_sim_source_line_t *lines,
                                       size_t count) {
  return call(__func__, [&](Runtime &state) {
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    if (!lines && count)
      return nullArgument("the list of lines");
    std::vector<profile::SourceLine> copies;
    for (size_t i = 0; i < count; ++i) {
      if (!lines[i].id)
        return nullArgument("an id");
      auto textOf = [](const char *text) { return text ? text : ""; };
      copies.push_back({lines[i].id, textOf(lines[i].op), textOf(lines[i].file),
                        lines[i].line});
    }
    found->setLines(std::move(copies));
    return NRT_SUCCESS;
  });
}

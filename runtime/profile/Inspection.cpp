//===- Inspection.cpp - captures a process into a folder ------------------===//
#include "runtime/profile/Inspection.h"
#include "runtime/core/Clock.h"
#include "runtime/core/Log.h"
#include "runtime/core/Model.h"
#include "runtime/profile/Files.h"
#include "runtime/profile/Proto.h"
#include "runtime/profile/Recorder.h"
#include <functional>
#include <unistd.h>

namespace neuron::profile {

/// Writes the files of a model whose execution failed, in a folder of their
/// own; once a model.
class Inspection::OnFailure final : public ExecutionListener {
public:
  explicit OnFailure(std::string parent) : parent(std::move(parent)) {}

  void executed(const nrt::Model &, const ExecutionRecord &) override {}
  void failed(const nrt::Model &model) override {
    std::lock_guard lock(mutex);
    if (!done.insert(model.id).second)
      return;
    auto folder = makeFolder(parent);
    auto written = folder ? writeUnexecuted(*folder, model.info())
                          : Result<WrittenModel>(folder.error());
    if (written)
      nrt::log(nrt::LogLevel::Warning, "inspect",
               "an execution of '" + model.name + "' failed; its NEFF is in " +
                   *folder);
    else
      nrt::log(nrt::LogLevel::Error, "inspect",
               "the files of a failed execution could not be written: " +
                   written.message());
  }

private:
  const std::string parent;
  std::mutex mutex;
  std::set<uint64_t> done; ///< ids of models
};

Inspection::Inspection(InspectConfig config, const nrt::Config &runtime)
    : chosen(std::move(config)), dispatchCost(runtime.dispatchCost->name),
      coreSize(runtime.virtualCoreSize) {
  for (uint32_t core : runtime.visibleCores)
    physicalCores.push_back(core * coreSize);
}

Result<std::unique_ptr<Inspection>>
Inspection::begin(InspectConfig config, const nrt::Config &runtime) {
  std::unique_ptr<Inspection> result(
      new Inspection(std::move(config), runtime));
  const InspectConfig &chosen = result->chosen;
  if (chosen.enabled) {
    auto folder = makeFolder(chosen.outputFolder);
    if (!folder)
      return folder.error();
    result->path = std::move(*folder);
    result->startTime = nrt::hostNow();
    result->executions = std::make_shared<DeviceCapture>(
        std::nullopt, chosen.capture.disabledCores);
    listen(result->executions);
    if (chosen.wants(Activity::SystemProfile)) {
      result->session = std::make_shared<Session>(chosen.capture);
      attach(result->session);
    }
    bool cpu = chosen.wants(Activity::CpuUtil);
    bool memory = chosen.wants(Activity::HostMemory);
    if (cpu || memory)
      result->sampler = std::make_unique<Sampler>(cpu, memory);
  }
  if (chosen.onFailure) {
    result->onFailure = std::make_shared<OnFailure>(chosen.outputFolder);
    listen(result->onFailure);
  }
  return result;
}

Inspection::~Inspection() { detachAll(); }

void Inspection::detachAll() {
  if (session)
    detach(session);
  if (executions)
    unlisten(executions);
  if (onFailure)
    unlisten(onFailure);
  if (sampler)
    sampler->stop();
}

Status Inspection::finish() {
  detachAll();
  if (path.empty())
    return {};
  stopTime = nrt::hostNow();
  std::vector<WrittenModel> models;
  if (chosen.wants(Activity::DeviceProfile)) {
    auto written = executions->write(path, chosen.mode, chosen.session);
    if (!written)
      return written.error();
    models = std::move(*written);
  } else {
    for (auto &model : executions->models())
      models.push_back({std::move(model), "", ""});
  }
  struct File {
    Activity activity;
    const char *name;
    std::function<std::string()> content;
  };
  const File files[] = {
      {Activity::SystemProfile, "ntrace.pb",
       [&] { return encodeSystemTrace(session->take()); }},
      {Activity::CpuUtil, "cpu_util.pb", [&] { return sampler->cpuFile(); }},
      {Activity::HostMemory, "host_mem.pb",
       [&] { return sampler->memoryFile(); }},
  };
  for (const File &file : files)
    if (chosen.wants(file.activity))
      if (auto status = writeFile(path + "/" + file.name, file.content());
          !status)
        return status;
  return writeFile(path + "/trace_info.pb", traceInfo(models));
}

std::string
Inspection::traceInfo(const std::vector<WrittenModel> &models) const {
  char host[256] = {};
  (void)gethostname(host, sizeof host - 1);
  ProtoWriter out;
  out.text(1, "neuron-mlir trace info");
  out.number(2, 1);
  out.number(3, true);
  out.text(4, kRuntimeName);
  out.text(5, kInstance);
  out.text(6, host);
  out.number(7, uint64_t(getpid()));
  out.number(8, startTime);
  out.number(9, stopTime);
  out.number(10, chosen.session);
  out.text(11, chosen.mode == ProfileMode::Session ? "session" : "model");
  out.text(12, dispatchCost);
  out.packed(13, physicalCores);
  out.number(14, coreSize);
  for (Activity activity : chosen.activities)
    out.bytes(15, kActivityNames[size_t(activity)]);
  for (const WrittenModel &written : models) {
    ProtoWriter model;
    model.number(1, written.model->id);
    model.text(2, written.model->name);
    model.number(3, written.model->number);
    model.text(4, written.model->uuid);
    model.number(5, written.model->core);
    model.text(6, written.neffFile);
    model.text(7, written.ntffFile);
    out.message(16, model);
  }
  out.number(17, chosen.capture.maxEvents);
  return out.take();
}

std::string encodeSystemTrace(const std::vector<Session::Taken> &cores) {
  ProtoWriter out;
  out.text(1, "neuron-mlir system trace");
  out.number(2, 1);
  out.number(3, true);
  for (const EventTypeRow &row : eventTypes())
    out.bytes(4, row.name);
  for (const Session::Taken &core : cores)
    for (const Event &event : core.events) {
      ProtoWriter one;
      one.number(1, uint64_t(event.type));
      one.number(2, event.core);
      one.number(3, event.tracking);
      one.number(4, event.start);
      one.number(5, event.end);
      one.number(6, event.thread);
      one.number(7, event.sequence);
      one.number(8, event.execution);
      one.number(9, event.model);
      if (event.name)
        one.text(event.model ? 10 : 11, *event.name);
      one.number(12, event.size.value_or(0));
      one.number(13, event.deviceStart);
      one.number(14, event.deviceEnd);
      one.number(15, uint64_t(event.physicalCore + 1));
      one.number(16, event.instant);
      out.message(5, one);
    }
  return out.take();
}

} // namespace neuron::profile

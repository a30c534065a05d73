//===- Profiler.cpp - the device in torch.profiler ------------------------===//
//
// Device spans have the durations that the simulator predicts and stand where
// the simulated clock has them: not before they were asked for, and after what
// the device did before. They link to the operation that asked for them.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/Inspect.h"
#include "runtime/device/Register.h"
#include "runtime/device/Runtime.h"
#include "runtime/device/Spans.h"
#include <c10/util/Exception.h>
#include <libkineto.h>
#include <output_base.h>
#include <set>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>
#include <unistd.h>

using namespace neuron;
using namespace neuron::device;
using libkineto::ActivityType;
using libkineto::GenericTraceActivity;

namespace {

/// "correlate:0" in the configuration leaves the device out of PyTorch's own
/// trace (NeuronConfig.correlate_device_time).
bool isCorrelated(const std::string &config) {
  return config.find("correlate:0") == std::string::npos;
}

/// Numbers of calls are apart from those of operations: what has an operation's
/// number is taken for it, and given the device's time once more.
constexpr int32_t kFirstCall = 1 << 30;

struct KindNames {
  ActivityType type;
  const char *runtime; ///< what the host called
  const char *driver;  ///< what the stream's thread then did
};

const KindNames &namesOf(Task::Kind kind) {
  static const KindNames names[] = {
      {ActivityType::CONCURRENT_KERNEL, "nrta_execute_schedule",
       "nrt_model_submit"},
      {ActivityType::GPU_MEMCPY, "nrta_tensor_write", "nrt_tensor_write"},
      {ActivityType::GPU_MEMCPY, "nrta_tensor_read", "nrt_tensor_read"},
      {ActivityType::GPU_MEMCPY, "nrta_tensor_copy", "nrt_tensor_copy"},
  };
  return names[size_t(kind)];
}

const char *directionOf(Task::Kind kind) {
  switch (kind) {
  case Task::Kind::Write:
    return "Memcpy HtoD (Pageable -> Device)";
  case Task::Kind::Read:
    return "Memcpy DtoH (Device -> Pageable)";
  default:
    return "Memcpy DtoD (Device -> Device)";
  }
}

class Session final : public libkineto::IActivityProfilerSession {
public:
  Session(std::set<ActivityType> types, std::string config)
      : types(std::move(types)), config(std::move(config)),
        correlated(isCorrelated(this->config)) {}

  void start() override {
    note(beginInspection(config));
    takeSpans();
    setRecording(true);
    status_ = libkineto::TraceStatus::RECORDING;
  }
  void stop() override {
    setRecording(false);
    note(endInspection());
    status_ = libkineto::TraceStatus::PROCESSING;
  }
  std::vector<std::string> errors() override { return problems; }
  void processTrace(libkineto::ActivityLogger &logger) override {
    processTrace(logger, nullptr, 0, std::numeric_limits<int64_t>::max());
  }
  void processTrace(libkineto::ActivityLogger &logger,
                    libkineto::getLinkedActivityCallback linked, int64_t begin,
                    int64_t end) override;

  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override {
    // Not null, or kineto would name the first lanes after GPUs.
    return std::make_unique<libkineto::DeviceInfo>(libkineto::DeviceInfo{
        0, libkineto::kExceedMaxPid, "neuron", "NEURON 0"});
  }
  std::vector<libkineto::ResourceInfo> getResourceInfos() override {
    std::vector<libkineto::ResourceInfo> infos;
    for (auto [device, stream] : lanes)
      infos.push_back(
          {stream, stream, device,
           "stream " + std::to_string(stream) + " (simulated clock)"});
    return infos;
  }
  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override {
    return std::move(buffer);
  }

  void pushCorrelationId(uint64_t id) override { pushCorrelation(id); }
  void popCorrelationId() override { popCorrelation(); }

private:
  bool wants(ActivityType type) const { return types.contains(type); }
  GenericTraceActivity &add(ActivityType type, const std::string &name,
                            uint64_t start, uint64_t end);
  void addDevice(const DeviceSpan &span, unsigned flow,
                 const libkineto::getLinkedActivityCallback &linked,
                 libkineto::ActivityLogger &logger);
  void addHost(const DeviceSpan &span, unsigned flow,
               libkineto::ActivityLogger &logger);

  /// PyTorch does not show what errors() has.
  void note(std::string problem) {
    if (problem.empty())
      return;
    TORCH_WARN("the runtime's part of this profile is missing: ", problem);
    problems.push_back(std::move(problem));
  }

  std::set<ActivityType> types;
  std::string config;
  bool correlated;
  std::vector<std::string> problems;
  std::unique_ptr<libkineto::CpuTraceBuffer> buffer;
  std::set<std::pair<int64_t, int64_t>> lanes;
};

GenericTraceActivity &Session::add(ActivityType type, const std::string &name,
                                   uint64_t start, uint64_t end) {
  buffer->emplace_activity(buffer->span, type, name);
  GenericTraceActivity &activity = *buffer->activities.back();
  activity.startTime = start;
  activity.endTime = std::max(end, start + 1);
  return activity;
}

void Session::addDevice(const DeviceSpan &span, unsigned flow,
                        const libkineto::getLinkedActivityCallback &linked,
                        libkineto::ActivityLogger &logger) {
  const KindNames &names = namesOf(span.kind);
  if (!wants(names.type))
    return;
  bool isKernel = span.kind == Task::Kind::Execute;
  GenericTraceActivity &activity =
      add(names.type,
          isKernel ? "nc_exec_running(" + std::string(span.name) + ")"
                   : directionOf(span.kind),
          span.span.start, span.span.end);
  activity.id = kFirstCall + flow;
  activity.device = span.device;
  activity.resource = span.stream;
  activity.flow.id = flow;
  activity.flow.type = libkineto::kLinkAsyncCpuGpu;
  activity.flow.start = 0;
  activity.linked =
      linked && span.correlation ? linked(span.correlation) : nullptr;
  activity.addMetadata("correlation", span.correlation);
  activity.addMetadata("predicted by the simulator", "true");
  if (!isKernel) {
    activity.addMetadata("bytes", span.bytes);
    double nanoseconds = double(span.span.end - span.span.start);
    activity.addMetadata("memory bandwidth (GB/s)",
                         nanoseconds > 0 ? span.bytes / nanoseconds : 0.0);
    activity.addMetadataQuoted("for", span.name);
  }
  if (span.place.file)
    activity.addMetadataQuoted("line", std::string(span.place.file) + ":" +
                                           std::to_string(span.place.line));
  lanes.emplace(span.device, span.stream);
  activity.log(logger);
}

void Session::addHost(const DeviceSpan &span, unsigned flow,
                      libkineto::ActivityLogger &logger) {
  const KindNames &names = namesOf(span.kind);
  if (wants(ActivityType::PRIVATEUSE1_RUNTIME)) {
    GenericTraceActivity &call =
        add(ActivityType::PRIVATEUSE1_RUNTIME, names.runtime, span.submitted,
            span.enqueued);
    call.id = kFirstCall + flow;
    call.device = libkineto::processId();
    call.resource = span.thread;
    call.threadId = span.thread;
    call.flow.id = flow;
    call.flow.type = libkineto::kLinkAsyncCpuGpu;
    call.flow.start = 1;
    call.addMetadataQuoted("for", span.name);
    call.log(logger);
  }
  if (wants(ActivityType::PRIVATEUSE1_DRIVER)) {
    GenericTraceActivity &work = add(ActivityType::PRIVATEUSE1_DRIVER,
                                     names.driver, span.begun, span.ended);
    work.id = kFirstCall + flow;
    work.device = libkineto::processId();
    work.resource = span.worker;
    work.threadId = span.worker;
    work.addMetadataQuoted("for", span.name);
    work.addMetadata("stream", span.stream);
    work.log(logger);
  }
}

void Session::processTrace(libkineto::ActivityLogger &logger,
                           libkineto::getLinkedActivityCallback linked,
                           int64_t begin, int64_t end) {
  buffer = std::make_unique<libkineto::CpuTraceBuffer>();
  buffer->span = libkineto::TraceSpan(begin, end, "neuron");
  buffer->gpuOpCount = 0;
  unsigned flow = 0;
  for (const DeviceSpan &span : takeSpans()) {
    // What was asked for in the window belongs to it, however late the device
    // ends it.
    if (int64_t(span.submitted) < begin || int64_t(span.submitted) > end)
      continue;
    ++flow;
    addHost(span, flow, logger);
    if (!correlated)
      continue;
    addDevice(span, flow, linked, logger);
    buffer->gpuOpCount++;
  }
  for (c10::DeviceIndex device = 1; device < deviceCount(); ++device)
    for (auto &[index, stream] : lanes)
      if (index == device) {
        logger.handleDeviceInfo({device, libkineto::kExceedMaxPid + device,
                                 "neuron", "NEURON " + std::to_string(device)},
                                begin);
        break;
      }
}

class Profiler final : public libkineto::IActivityProfiler {
public:
  const std::string &name() const override {
    static const std::string name = "neuron";
    return name;
  }
  const std::set<ActivityType> &availableActivities() const override {
    static const std::set<ActivityType> types = {
        ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY,
        ActivityType::PRIVATEUSE1_RUNTIME, ActivityType::PRIVATEUSE1_DRIVER};
    return types;
  }
  std::unique_ptr<libkineto::IActivityProfilerSession>
  configure(const std::set<ActivityType> &types,
            const libkineto::Config &config) override {
    // PyTorch asks for the host's half of it in traces of the CPU alone, too.
    if (!types.contains(ActivityType::CONCURRENT_KERNEL))
      return nullptr;
    return std::make_unique<Session>(types, config.getCustomConfig());
  }
  std::unique_ptr<libkineto::IActivityProfilerSession>
  configure(int64_t, int64_t, const std::set<ActivityType> &types,
            const libkineto::Config &config) override {
    return configure(types, config);
  }
};

} // namespace

void device::registerProfiler() {
  static torch::profiler::impl::RegisterPrivateUse1Profiler<Profiler> registrar;
}

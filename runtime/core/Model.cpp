//===- Model.cpp - loads a NEFF -------------------------------------------===//
#include "runtime/core/Model.h"
#include "compiler/neff/Neff.h"
#include "runtime/core/Forms.h"
#include "runtime/program/Verify.h"
#include <set>

namespace neuron::nrt {
namespace {

using program::TensorKind;

std::atomic<uint64_t> lastId = 0;

NRT_STATUS statusOf(neff::NeffFault fault) {
  switch (fault) {
  case neff::NeffFault::WrongVersion:
  case neff::NeffFault::Foreign:
    return NRT_UNSUPPORTED_NEFF_VERSION;
  default:
    return NRT_INVALID;
  }
}

/// Bytes of HBM that a model holds while it is loaded.
std::optional<uint64_t> residentBytes(const program::Program &program) {
  uint64_t sum = 0;
  for (const program::Tensor &tensor : program.tensors) {
    bool resident = tensor.kind == TensorKind::Scratch ||
                    tensor.kind == TensorKind::Constant;
    if (resident && __builtin_add_overflow(sum, uint64_t(tensor.bytes()), &sum))
      return std::nullopt;
  }
  return sum;
}

} // namespace

Model::Model(std::string name, Form form, std::shared_ptr<Core> core)
    : name(std::move(name)), id(++lastId), form(form), core(std::move(core)) {}

std::shared_ptr<Model> Model::load(std::span<const uint8_t> bytes,
                                   const Config &config, Form form,
                                   std::shared_ptr<Core> core,
                                   LoadFailure &failure) {
  auto refuse = [&](NRT_STATUS status, std::string message) {
    failure = {status, std::move(message)};
    return nullptr;
  };
  neff::NeffFault fault;
  neff::ReadOptions options;
  options.checkHash = config.validateHash;
  auto file = neff::readNeff(bytes, &fault, options);
  if (!file)
    return refuse(statusOf(fault), file.message());
  auto decoded = neff::programOf(*file, &fault);
  if (!decoded)
    return refuse(statusOf(fault), decoded.message());
  if (file->header.lncSize != config.virtualCoreSize) {
    std::string needed = std::to_string(file->header.lncSize);
    return refuse(NRT_INVALID,
                  "the NEFF was compiled for logical cores of " + needed +
                      " physical core(s), but the runtime has " +
                      std::to_string(config.virtualCoreSize) +
                      "; set NEURON_RT_VIRTUAL_CORE_SIZE=" + needed);
  }
  if (auto status = program::verify(*decoded); !status)
    return refuse(NRT_INVALID,
                  "the NEFF's program is invalid: " + status.message());

  std::shared_ptr<Model> model(
      new Model(file->header.name, form, std::move(core)));
  model->held = std::make_shared<const program::Program>(std::move(*decoded));
  auto device = target::find(model->held->target);
  if (!device)
    return refuse(NRT_INVALID, device.message());
  model->device = *device;
  if (!model->bindSlots(failure))
    return nullptr;

  auto resident = residentBytes(*model->held);
  if (resident)
    model->claim = MemoryClaim::take(model->core, *resident);
  if (!model->claim)
    return refuse(NRT_RESOURCE,
                  "core " + std::to_string(model->core->index) +
                      " has no memory left for the model's " +
                      (resident ? std::to_string(*resident) : "too many") +
                      " bytes of constants and intermediates; it uses " +
                      std::to_string(model->core->used) + " of " +
                      std::to_string(model->core->limit));

  auto executable = makeExecutable(model->held, form, config);
  if (!executable)
    return refuse(NRT_FAILURE, executable.message());
  model->runs = std::move(*executable);
  auto about = std::make_shared<profile::ModelInfo>();
  about->id = model->id;
  about->name = model->name;
  about->number = profile::numberOf(file->header.hash);
  about->uuid = neff::uuidText(file->header.uuid);
  about->core = model->core->index;
  about->program = model->held;
  model->about = std::move(about);
  return model;
}

bool Model::bindSlots(LoadFailure &failure) {
  std::set<std::string_view> inputNames, outputNames;
  for (uint32_t i = 0; i < held->tensors.size(); ++i) {
    const program::Tensor &tensor = held->tensors[i];
    bool isInput = tensor.kind == TensorKind::Input;
    if (!isInput && tensor.kind != TensorKind::Output)
      continue;
    if (tensor.name.size() >= NRT_TENSOR_NAME_MAX) {
      failure = {NRT_INVALID, "the name of tensor '" + tensor.name +
                                  "' has more than 255 bytes"};
      return false;
    }
    if (!(isInput ? inputNames : outputNames).insert(tensor.name).second) {
      failure = {NRT_INVALID, std::string("two ") +
                                  (isInput ? "inputs" : "outputs") +
                                  " are named '" + tensor.name + "'"};
      return false;
    }
    (isInput ? in : out).push_back({i, &tensor});
  }
  return true;
}

void Model::setLines(std::vector<profile::SourceLine> lines) {
  std::lock_guard lock(infoMutex);
  auto changed = std::make_shared<profile::ModelInfo>(*about);
  changed->lines = std::move(lines);
  about = std::move(changed);
}

Result<uint64_t> Model::predictedPs() {
  std::call_once(predictOnce, [&] {
    auto timeline = simulator::predictTimeline(*held, /*withEvents=*/false);
    if (timeline)
      predicted = static_cast<uint64_t>(timeline->total);
    else
      predicted = timeline.error();
  });
  return *predicted;
}

Model::~Model() {
  // The core's clock keeps the time of models that are unloaded.
  if (executions == 0 || core->retired)
    return;
  if (auto time = predictedPs())
    core->elapsedPs += *time * executions;
}

} // namespace neuron::nrt

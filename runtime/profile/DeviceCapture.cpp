//===- DeviceCapture.cpp - executions to make device profiles of ----------===//
#include "runtime/profile/DeviceCapture.h"
#include "compiler/neff/Neff.h"
#include "runtime/core/Model.h"
#include "runtime/profile/Files.h"

namespace neuron::profile {
namespace {

std::string neffName(const ModelInfo &model) {
  return "neff_" + std::to_string(model.number) + "_vnc_" +
         std::to_string(model.core) + ".neff";
}

/// A NEFF depends on the program and the name alone, so it need not be kept.
Status writeNeff(const std::string &folder, const ModelInfo &model) {
  auto bytes = neff::writeNeff(*model.program, {model.name});
  if (!bytes)
    return bytes.error();
  return writeFile(
      folder + "/" + neffName(model),
      {reinterpret_cast<const char *>(bytes->data()), bytes->size()});
}

Status writeProfile(const std::string &path, const DeviceProfile &profile) {
  auto encoded = encodeDeviceProfile(profile);
  if (!encoded)
    return encoded.error();
  return writeFile(path, *encoded);
}

/// The pair of a model's files.
Result<WrittenModel> writePair(const std::string &folder,
                               const std::shared_ptr<const ModelInfo> &model,
                               uint32_t instance,
                               const DeviceProfile &profile) {
  WrittenModel written = {model, neffName(*model),
                          std::to_string(model->number) + "_instid_" +
                              std::to_string(instance) + "_vnc_" +
                              std::to_string(model->core) + ".ntff"};
  if (auto status = writeNeff(folder, *model); !status)
    return status.error();
  if (auto status = writeProfile(folder + "/" + written.ntffFile, profile);
      !status)
    return status.error();
  return written;
}

} // namespace

void DeviceCapture::executed(const nrt::Model &model,
                             const ExecutionRecord &record) {
  if (onlyModel && *onlyModel != model.id)
    return;
  if (disabledCores.contains(model.core->index))
    return;
  std::lock_guard lock(mutex);
  auto [found, isNew] = byModel.try_emplace(model.id);
  Recorded &recorded = found->second;
  // Lines may have been given since.
  recorded.info = model.info();
  if (isNew)
    for (const auto &[id, other] : byModel)
      recorded.instance += id != model.id &&
                           other.info->number == recorded.info->number &&
                           other.info->core == recorded.info->core;
  recorded.executions.push_back(record);
  if (recorded.executions.size() > kExecutionsKept)
    recorded.executions.pop_front();
  latestOf[model.core->index] = model.id;
}

std::vector<std::shared_ptr<const ModelInfo>> DeviceCapture::models() const {
  std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<const ModelInfo>> result;
  for (const auto &[id, recorded] : byModel)
    result.push_back(recorded.info);
  return result;
}

std::optional<uint64_t> DeviceCapture::latest(uint32_t core) const {
  std::lock_guard lock(mutex);
  auto at = latestOf.find(core);
  return at == latestOf.end() ? std::nullopt : std::optional(at->second);
}

Result<std::string> DeviceCapture::encodeModel(uint64_t model) const {
  DeviceProfile profile;
  {
    std::lock_guard lock(mutex);
    auto at = byModel.find(model);
    if (at == byModel.end())
      return Error{"the model did not execute while it was profiled"};
    profile.core = at->second.info->core;
    profile.models = {at->second.info};
    profile.executions.assign(at->second.executions.begin(),
                              at->second.executions.end());
  }
  return encodeDeviceProfile(profile);
}

Result<std::vector<WrittenModel>>
DeviceCapture::write(const std::string &folder, ProfileMode mode,
                     uint32_t session, std::optional<uint64_t> model) const {
  std::map<uint64_t, Recorded> all;
  {
    std::lock_guard lock(mutex);
    all = byModel;
  }
  std::vector<WrittenModel> result;
  std::map<uint32_t, DeviceProfile> byCore;
  for (const auto &[id, recorded] : all) {
    if (model && *model != id)
      continue;
    const auto &info = recorded.info;
    DeviceProfile alone;
    DeviceProfile &profile =
        mode == ProfileMode::Session ? byCore[info->core] : alone;
    profile.core = info->core;
    profile.session = session;
    profile.models.push_back(info);
    profile.executions.insert(profile.executions.end(),
                              recorded.executions.begin(),
                              recorded.executions.end());
    if (mode == ProfileMode::Model) {
      auto written = writePair(folder, info, recorded.instance, alone);
      if (!written)
        return written.error();
      result.push_back(std::move(*written));
      continue;
    }
    if (auto status = writeNeff(folder, *info); !status)
      return status.error();
    result.push_back({info, neffName(*info),
                      "profile_nc_" + std::to_string(info->core) + "_session_" +
                          std::to_string(session) + ".ntff"});
  }
  for (const auto &[core, profile] : byCore)
    if (auto status =
            writeProfile(folder + "/profile_nc_" + std::to_string(core) +
                             "_session_" + std::to_string(session) + ".ntff",
                         profile);
        !status)
      return status.error();
  return result;
}

Result<WrittenModel> writeUnexecuted(const std::string &folder,
                                     std::shared_ptr<const ModelInfo> model) {
  DeviceProfile profile;
  profile.core = model->core;
  profile.models = {model};
  return writePair(folder, model, 0, profile);
}

} // namespace neuron::profile

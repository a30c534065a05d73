//===- ApiModel.cpp - loading models and asking about them ----------------===//
#include "runtime/core/Execution.h"
#include <cstdlib>
#include <cstring>

using namespace neuron;
using namespace neuron::nrt;

namespace {

/// The codes of nrt.h in the order of NEURON_DTYPES.
constexpr nrt_dtype_t kDTypeCodes[] = {
    NRT_DTYPE_UINT8,   NRT_DTYPE_UINT8,   NRT_DTYPE_INT8,     NRT_DTYPE_UINT16,
    NRT_DTYPE_INT16,   NRT_DTYPE_UINT32,  NRT_DTYPE_INT32,    NRT_DTYPE_UINT64,
    NRT_DTYPE_INT64,   NRT_DTYPE_FLOAT16, NRT_DTYPE_BFLOAT16, NRT_DTYPE_FLOAT32,
    NRT_DTYPE_UNKNOWN, NRT_DTYPE_FP8_E4,  NRT_DTYPE_FP8_E5,   NRT_DTYPE_UNKNOWN,
    NRT_DTYPE_UNKNOWN, NRT_DTYPE_UNKNOWN};
static_assert(std::size(kDTypeCodes) == program::kNumDTypes);

NRT_STATUS loadModel(Runtime &state, const void *bytes, size_t size,
                     int32_t vnc, int32_t vncCount, nrt_model_t **result) {
  if (!result)
    return nullArgument("the result");
  if (!bytes)
    return nullArgument("the NEFF");
  auto available = static_cast<int32_t>(state.cores.size());
  if (vncCount > available)
    return fail(NRT_LOAD_NOT_ENOUGH_NC, "the model needs " +
                                            std::to_string(vncCount) +
                                            " cores, but this process sees " +
                                            std::to_string(available));
  if (vncCount != 1 && vncCount != -1)
    return fail(NRT_INVALID, "vnc_count is " + std::to_string(vncCount) +
                                 "; a NEFF needs one core: use 1 or -1");
  if (vnc < -1 || vnc >= available)
    return fail(NRT_INVALID, "there is no core " + std::to_string(vnc) +
                                 "; this process sees " +
                                 std::to_string(available));
  profile::Scope whole(profile::EventType::NrtLoad);
  profile::Scope inner(profile::EventType::ModelLoad);
  LoadFailure failure;
  auto model =
      Model::load({static_cast<const uint8_t *>(bytes), size}, state.config,
                  state.form(), state.cores[size_t(std::max(vnc, 0))], failure);
  if (!model)
    return fail(failure.status, failure.message);
  for (profile::Scope *scope : {&whole, &inner})
    if (*scope)
      describe(*scope, *model);
  inner.finish();
  *result = reinterpret_cast<nrt_model_t *>(state.models.add(std::move(model)));
  return NRT_SUCCESS;
}

bool describe(const program::Tensor &tensor, nrt_tensor_usage_t usage,
              nrt_tensor_info_t &info) {
  std::strncpy(info.name, tensor.name.c_str(), NRT_TENSOR_NAME_MAX - 1);
  info.usage = usage;
  info.size = static_cast<size_t>(tensor.bytes());
  info.dtype = kDTypeCodes[static_cast<unsigned>(tensor.dtype)];
  info.ndim = static_cast<uint32_t>(tensor.shape.size());
  info.shape = static_cast<uint32_t *>(
      std::calloc(std::max<size_t>(info.ndim, 1), sizeof(uint32_t)));
  if (!info.shape)
    return false;
  for (uint32_t i = 0; i < info.ndim; ++i)
    info.shape[i] = static_cast<uint32_t>(tensor.shape[i]);
  return true;
}

void freeInfo(nrt_tensor_info_array_t *info) {
  if (!info)
    return;
  for (uint64_t i = 0; i < info->tensor_count; ++i)
    std::free(info->tensor_array[i].shape);
  std::free(info);
}

NRT_STATUS modelNumber(const char *function, const nrt_model_t *model,
                       uint32_t *result) {
  return call(function, [&](Runtime &state) {
    if (!result)
      return nullArgument("the result");
    if (!state.models.find(model))
      return badHandle("model");
    *result = 1; // a model has one core, and one thread keeps it busy
    return NRT_SUCCESS;
  });
}

} // namespace

NRT_STATUS nrt_load(const void *bytes, size_t size, int32_t vnc,
                    int32_t vncCount, nrt_model_t **model) {
  return call(__func__, [&](Runtime &state) {
    return loadModel(state, bytes, size, vnc, vncCount, model);
  });
}

NRT_STATUS nrt_load_collectives(const void *bytes, size_t size, int32_t vnc,
                                int32_t vncCount, uint32_t, uint32_t devices,
                                nrt_model_t **model) {
  return call(__func__, [&](Runtime &state) {
    if (devices > 1)
      return fail(NRT_FAILURE, "the simulator has no collectives: it cannot "
                               "load a model for " +
                                   std::to_string(devices) + " devices");
    return loadModel(state, bytes, size, vnc, vncCount, model);
  });
}

NRT_STATUS nrt_unload(nrt_model_t *model) {
  return call(__func__, [&](Runtime &state) {
    return state.models.remove(model) ? NRT_SUCCESS : badHandle("model");
  });
}

NRT_STATUS nrt_get_model_nc_count(const nrt_model_t *model, uint32_t *count) {
  return modelNumber(__func__, model, count);
}
NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t *model, uint32_t *count) {
  return modelNumber(__func__, model, count);
}
NRT_STATUS nrt_get_model_instance_count(nrt_model_t *model, uint32_t *count) {
  return modelNumber(__func__, model, count);
}

NRT_STATUS nrt_get_model_info(const nrt_model_t *model, nrt_model_info_t *info,
                              size_t sizeIn, size_t *sizeOut) {
  return call(__func__, [&](Runtime &state) {
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    if (!info)
      return nullArgument("the result");
    nrt_model_info_t ours = {found->core->index};
    std::memcpy(info, &ours, std::min(sizeIn, sizeof(ours)));
    if (sizeOut)
      *sizeOut = sizeof(ours);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_get_model_tensor_info(nrt_model_t *model,
                                     nrt_tensor_info_array_t **result) {
  return call(__func__, [&](Runtime &state) {
    if (!result)
      return nullArgument("the result");
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    for (const auto *slots : {&found->inputs(), &found->outputs()})
      for (const Model::Slot &slot : *slots)
        for (int64_t size : slot.variable->shape)
          if (size < 0 || size > UINT32_MAX)
            return fail(NRT_INVALID, "a dimension of tensor '" +
                                         slot.variable->name +
                                         "' does not fit 32 bits");
    size_t count = found->inputs().size() + found->outputs().size();
    auto *info = static_cast<nrt_tensor_info_array_t *>(
        std::calloc(1, sizeof(nrt_tensor_info_array_t) +
                           count * sizeof(nrt_tensor_info_t)));
    if (!info)
      throw std::bad_alloc();
    auto add = [&](const Model::Slot &slot, nrt_tensor_usage_t usage) {
      return describe(*slot.variable, usage,
                      info->tensor_array[info->tensor_count++]);
    };
    bool complete = true;
    for (const Model::Slot &slot : found->inputs())
      complete = complete && add(slot, NRT_TENSOR_USAGE_INPUT);
    for (const Model::Slot &slot : found->outputs())
      complete = complete && add(slot, NRT_TENSOR_USAGE_OUTPUT);
    if (!complete) {
      freeInfo(info);
      throw std::bad_alloc();
    }
    *result = info;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t *info) {
  return guarded(__func__, [&] {
    freeInfo(info);
    return NRT_SUCCESS;
  });
}

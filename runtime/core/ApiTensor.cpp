//===- ApiTensor.cpp - tensors --------------------------------------------===//
#include "runtime/core/TensorRange.h"
#include "runtime/core/Transfer.h"
#include <algorithm>
#include <cstring>

using namespace neuron;
using namespace neuron::nrt;

namespace {

std::string nameOr(const char *name) { return name ? name : "(unnamed)"; }

NRT_STATUS publish(Runtime &state, std::string name, View view,
                   nrt_tensor_t **result) {
  auto tensor = std::make_shared<Tensor>(std::move(name), std::move(view));
  tensor->handle = state.tensors.add(tensor);
  *result = reinterpret_cast<nrt_tensor_t *>(tensor->handle);
  return NRT_SUCCESS;
}

std::string outOfMemory(const Core &core, const std::string &name,
                        uint64_t size) {
  return "core " + std::to_string(core.index) + " has no memory left for the " +
         std::to_string(size) + " bytes of tensor '" + name + "': it uses " +
         std::to_string(core.used) + " of " + std::to_string(core.limit) +
         "; free tensors, or use another core";
}

/// Which tensor an event is about; one of the host belongs to no core.
void describe(profile::Scope &scope, const Tensor &tensor) {
  View view = tensor.current();
  if (!view.storage || !view.storage->core)
    return;
  scope.setCore(view.storage->core->index);
  scope->setTensor(tensor.name, view.size);
}

/// Runs a transfer whose preparation went well, and places it.
NRT_STATUS runNow(uint64_t submitted, NRT_STATUS prepared,
                  const Transfer &transfer) {
  if (prepared != NRT_SUCCESS)
    return prepared;
  setLastSpan(transfer.carryOut(submitted));
  return NRT_SUCCESS;
}

/// A batch has one span, from its first transfer to its last.
template <typename Prepare>
NRT_STATUS eachOf(const nrt_tensor_batch_t *batches, uint64_t count,
                  Prepare prepare) {
  if (!batches && count)
    return nullArgument("the list of batches");
  uint64_t submitted = submissionTime();
  std::optional<Span> whole;
  for (uint64_t i = 0; i < count; ++i) {
    if (!batches[i].ops && batches[i].num_ops)
      return nullArgument("a batch's list of operations");
    for (uint32_t j = 0; j < batches[i].num_ops; ++j) {
      Transfer transfer;
      NRT_STATUS status = runNow(
          submitted, prepare(batches[i].tensor, batches[i].ops[j], transfer),
          transfer);
      if (status != NRT_SUCCESS)
        return status;
      Span span = *lastSpan();
      whole = whole ? Span{std::min(whole->start, span.start),
                           std::max(whole->end, span.end)}
                    : span;
    }
  }
  if (whole)
    setLastSpan(whole);
  return NRT_SUCCESS;
}

} // namespace

NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t placement, int vnc,
                               size_t size, const char *name,
                               nrt_tensor_t **tensor) {
  return call(__func__, [&](Runtime &state) {
    if (!tensor)
      return nullArgument("the result");
    if (size == 0)
      return fail(NRT_INVALID,
                  "tensor '" + nameOr(name) + "' would have no bytes");
    if (placement != NRT_TENSOR_PLACEMENT_DEVICE &&
        placement != NRT_TENSOR_PLACEMENT_HOST)
      return fail(NRT_INVALID, "unknown placement " +
                                   std::to_string(int(placement)) +
                                   "; use DEVICE or HOST");
    profile::Scope scope(profile::EventType::NrtTensorAllocate);
    bool onDevice = placement == NRT_TENSOR_PLACEMENT_DEVICE;
    std::shared_ptr<Core> core;
    std::optional<MemoryClaim> claim;
    if (onDevice) {
      if (vnc < 0 || size_t(vnc) >= state.cores.size())
        return fail(NRT_INVALID, "there is no core " + std::to_string(vnc) +
                                     "; this process sees " +
                                     std::to_string(state.cores.size()));
      core = state.cores[size_t(vnc)];
      claim = MemoryClaim::take(core, size);
      if (!claim)
        return fail(NRT_RESOURCE, outOfMemory(*core, nameOr(name), size));
    }
    auto storage = allocateStorage(size);
    if (!storage)
      return fail(NRT_FAIL_HOST_MEM_ALLOC,
                  "no host memory for the " + std::to_string(size) +
                      " bytes of tensor '" + nameOr(name) + "'");
    if (scope && core) {
      scope.setCore(core->index);
      scope->setTensor(nameOr(name), size);
    }
    storage->placement = placement;
    storage->core = std::move(core);
    if (claim)
      storage->claim.emplace(std::move(*claim));
    return publish(state, nameOr(name), {std::move(storage), 0, size}, tensor);
  });
}

NRT_STATUS nrt_tensor_allocate_empty(const char *name, nrt_tensor_t **tensor) {
  return call(__func__, [&](Runtime &state) {
    if (!tensor)
      return nullArgument("the result");
    return publish(state, nameOr(name), {}, tensor);
  });
}

NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t *handle, void *buffer,
                                    size_t size) {
  return call(__func__, [&](Runtime &state) {
    auto tensor = state.tensors.find(handle);
    if (!tensor)
      return badHandle("tensor");
    if (!buffer || size == 0)
      return fail(NRT_INVALID, "tensor '" + tensor->name +
                                   "' cannot be attached to no buffer");
    auto storage = std::make_shared<Storage>();
    storage->data = static_cast<uint8_t *>(buffer);
    storage->size = size;
    storage->placement = NRT_TENSOR_PLACEMENT_VIRTUAL;
    tensor->attach({std::move(storage), 0, size});
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t *source, size_t offset,
                                     size_t size, const char *name,
                                     nrt_tensor_t **slice) {
  return call(__func__, [&](Runtime &state) {
    if (!slice)
      return nullArgument("the result");
    if (size == 0)
      return fail(NRT_INVALID,
                  "slice '" + nameOr(name) + "' would have no bytes");
    return withRange(
        state, source, offset, size, [&](const View &view, uint8_t *) {
          return publish(state, nameOr(name),
                         {view.storage, view.offset + offset, size}, slice);
        });
  });
}

void nrt_tensor_free(nrt_tensor_t **tensor) {
  (void)guarded(__func__, [&]() -> NRT_STATUS {
    if (!tensor)
      return NRT_SUCCESS;
    profile::Scope scope(profile::EventType::NrtTensorFree);
    auto removed = runtime().tensors.remove(*tensor);
    if (removed && scope)
      describe(scope, *removed);
    if (*tensor && !removed) {
      std::shared_lock lock(runtime().lifecycle);
      // nrt_close has freed everything already.
      if (runtime().state == State::Ready)
        log(LogLevel::Warning, currentFunction(),
            "that is no tensor, or it was freed already");
    }
    removed.reset(); // its memory is given back in the event
    *tensor = nullptr;
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_tensor_read(const nrt_tensor_t *tensor, void *buffer,
                           size_t offset, size_t size) {
  return call(__func__, [&](Runtime &state) {
    uint64_t submitted = submissionTime();
    Transfer transfer;
    NRT_STATUS status =
        prepareRead(state, tensor, buffer, offset, size, transfer);
    return runNow(submitted, status, transfer);
  });
}

NRT_STATUS nrt_tensor_write(nrt_tensor_t *tensor, const void *buffer,
                            size_t offset, size_t size) {
  return call(__func__, [&](Runtime &state) {
    uint64_t submitted = submissionTime();
    Transfer transfer;
    NRT_STATUS status =
        prepareWrite(state, tensor, buffer, offset, size, transfer);
    return runNow(submitted, status, transfer);
  });
}

NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t *batches,
                                 uint64_t count, bool) {
  return call(__func__, [&](Runtime &state) {
    return eachOf(batches, count,
                  [&](const nrt_tensor_t *tensor,
                      const nrt_tensor_batch_op_t &op, Transfer &transfer) {
                    return prepareRead(state, tensor, op.buffer, op.offset,
                                       op.size, transfer);
                  });
  });
}

NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t *batches,
                                  uint64_t count, bool) {
  return call(__func__, [&](Runtime &state) {
    return eachOf(batches, count,
                  [&](const nrt_tensor_t *tensor,
                      const nrt_tensor_batch_op_t &op, Transfer &transfer) {
                    return prepareWrite(state, tensor, op.buffer, op.offset,
                                        op.size, transfer);
                  });
  });
}

NRT_STATUS nrt_tensor_copy(const nrt_tensor_t *source, size_t sourceOffset,
                           nrt_tensor_t *destination, size_t offset,
                           size_t size) {
  return call(__func__, [&](Runtime &state) {
    uint64_t submitted = submissionTime();
    Transfer transfer;
    NRT_STATUS status = prepareCopy(state, source, sourceOffset, destination,
                                    offset, size, transfer);
    return runNow(submitted, status, transfer);
  });
}

NRT_STATUS nrt_tensor_memset(nrt_tensor_t *tensor, uint64_t offset, int value,
                             size_t size) {
  return call(__func__, [&](Runtime &state) {
    uint64_t submitted = submissionTime();
    Transfer transfer;
    NRT_STATUS status =
        prepareFill(state, tensor, offset, value, size, transfer);
    return runNow(submitted, status, transfer);
  });
}

size_t nrt_tensor_get_size(const nrt_tensor_t *tensor) {
  size_t size = 0;
  (void)call(__func__, [&](Runtime &state) {
    auto found = state.tensors.find(tensor);
    if (!found)
      return badHandle("tensor");
    size = found->current().size;
    return NRT_SUCCESS;
  });
  return size;
}

void *nrt_tensor_get_va(const nrt_tensor_t *tensor) {
  void *address = nullptr;
  (void)call(__func__, [&](Runtime &state) {
    auto found = state.tensors.find(tensor);
    if (!found)
      return badHandle("tensor");
    address = found->current().data();
    return NRT_SUCCESS;
  });
  return address;
}

NRT_STATUS nrt_tensor_get_device_allocation_info(
    const nrt_tensor_t *tensor, nrt_tensor_device_allocation_info_t *info) {
  return call(__func__, [&](Runtime &state) {
    if (!info)
      return nullArgument("the result");
    return withRange(
        state, tensor, 0, 0, [&](const View &view, const uint8_t *data) {
          const Storage &storage = *view.storage;
          if (!storage.core)
            return fail(NRT_INVALID, "the tensor is not on a device");
          // A simulated device's addresses are this process's.
          *info = {};
          info->physical_address = reinterpret_cast<uint64_t>(data);
          info->size = storage.size;
          info->hbm_index =
              static_cast<int>(state.config.visibleCores[storage.core->index] *
                               Instance::kHbms / state.config.totalCores);
          return NRT_SUCCESS;
        });
  });
}

NRT_STATUS nrt_tensor_get_lnc_index(const nrt_tensor_t *tensor, int *lnc) {
  return call(__func__, [&](Runtime &state) {
    if (!lnc)
      return nullArgument("the result");
    auto found = state.tensors.find(tensor);
    if (!found)
      return badHandle("tensor");
    View view = found->current();
    if (!view.storage || !view.storage->core)
      return fail(NRT_INVALID,
                  "tensor '" + found->name + "' is not on a device");
    *lnc = static_cast<int>(view.storage->core->index);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_memcpy_to_device(void *destination, const void *source,
                                size_t size) {
  return call(__func__, [&](Runtime &) {
    if ((!destination || !source) && size)
      return nullArgument("an address");
    if (size)
      std::memcpy(destination, source, size);
    return NRT_SUCCESS;
  });
}

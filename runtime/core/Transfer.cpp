//===- Transfer.cpp - moving bytes to, from and on a device ---------------===//
#include "runtime/core/Transfer.h"
#include "runtime/core/TensorRange.h"
#include <cstring>

namespace neuron::nrt {
namespace {

std::string nameOf(const Runtime &state, const nrt_tensor_t *handle) {
  auto tensor = state.tensors.find(handle);
  return tensor ? tensor->name : std::string();
}

} // namespace

void Transfer::move() const {
  if (size == 0)
    return;
  if (from)
    std::memmove(to, from, size);
  else
    std::memset(to, value, size);
}

Span Transfer::carryOut(uint64_t earliest) const {
  if (!core) {
    move();
    return {earliest, earliest};
  }
  std::optional<profile::Scope> whole, copy;
  if (event) {
    whole.emplace(*event, core->index);
    if (*whole)
      (*whole)->setTensor(tensor, size);
  }
  if (lane != Lane::OnDevice) {
    copy.emplace(lane == Lane::HostToDevice
                     ? profile::EventType::DmemBufCopyin
                     : profile::EventType::DmemBufCopyout,
                 core->index);
    if (*copy)
      (*copy)->size = size;
  }
  move();
  // The simulated computer has one kind of device.
  const target::Target &target = target::defaultTarget();
  Span span = core->clock.place(lane, earliest, transferPs(target, lane, size));
  if (copy && *copy) {
    (*copy)->deviceStart = span.start;
    (*copy)->deviceEnd = span.end;
  }
  return span;
}

NRT_STATUS prepareWrite(Runtime &state, const nrt_tensor_t *tensor,
                        const void *buffer, uint64_t offset, uint64_t size,
                        Transfer &result) {
  if (!buffer && size)
    return nullArgument("the buffer");
  return withRange(state, tensor, offset, size,
                   [&](const View &view, uint8_t *data) {
                     result.to = data;
                     result.from = static_cast<const uint8_t *>(buffer);
                     result.size = size;
                     result.held[0] = view.storage;
                     result.core = view.storage->core;
                     result.lane = Lane::HostToDevice;
                     result.event = profile::EventType::NrtTensorWrite;
                     if (profile::isOn())
                       result.tensor = nameOf(state, tensor);
                     return NRT_SUCCESS;
                   });
}

NRT_STATUS prepareRead(Runtime &state, const nrt_tensor_t *tensor, void *buffer,
                       uint64_t offset, uint64_t size, Transfer &result) {
  if (!buffer && size)
    return nullArgument("the buffer");
  return withRange(state, tensor, offset, size,
                   [&](const View &view, const uint8_t *data) {
                     result.to = static_cast<uint8_t *>(buffer);
                     result.from = data;
                     result.size = size;
                     result.held[0] = view.storage;
                     result.core = view.storage->core;
                     result.lane = Lane::DeviceToHost;
                     result.event = profile::EventType::NrtTensorRead;
                     if (profile::isOn())
                       result.tensor = nameOf(state, tensor);
                     return NRT_SUCCESS;
                   });
}

NRT_STATUS prepareCopy(Runtime &state, const nrt_tensor_t *source,
                       uint64_t sourceOffset, const nrt_tensor_t *destination,
                       uint64_t offset, uint64_t size, Transfer &result) {
  return withRange(state, source, sourceOffset, size,
                   [&](const View &from, const uint8_t *fromData) {
                     return withRange(
                         state, destination, offset, size,
                         [&](const View &to, uint8_t *toData) {
                           const auto &reads = from.storage->core;
                           const auto &writes = to.storage->core;
                           if (reads && writes && reads != writes)
                             return fail(NRT_INVALID,
                                         "the tensors are on cores " +
                                             std::to_string(reads->index) +
                                             " and " +
                                             std::to_string(writes->index) +
                                             "; copy by way of the host");
                           result.to = toData;
                           result.from = fromData;
                           result.size = size;
                           result.held[0] = from.storage;
                           result.held[1] = to.storage;
                           result.core = reads ? reads : writes;
                           result.lane = !reads    ? Lane::HostToDevice
                                         : !writes ? Lane::DeviceToHost
                                                   : Lane::OnDevice;
                           return NRT_SUCCESS;
                         });
                   });
}

NRT_STATUS prepareFill(Runtime &state, const nrt_tensor_t *tensor,
                       uint64_t offset, int value, uint64_t size,
                       Transfer &result) {
  return withRange(state, tensor, offset, size,
                   [&](const View &view, uint8_t *data) {
                     result.to = data;
                     result.value = value;
                     result.size = size;
                     result.held[0] = view.storage;
                     result.core = view.storage->core;
                     result.lane = Lane::OnDevice;
                     return NRT_SUCCESS;
                   });
}

} // namespace neuron::nrt

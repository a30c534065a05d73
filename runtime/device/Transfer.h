//===- Transfer.h - bytes between host and device ---------------*- C++ -*-===//
//
// What is copied without a look at it. All of it happens in the order of the
// current stream of the device concerned.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/device/Allocator.h"
#include <ATen/core/TensorBody.h>

namespace neuron::device {

/// Copies `bytes` of `source`, which lies on the host, to the device. The
/// source may be changed or freed at once unless it is pinned and `keep` says
/// who holds it.
void writeBytes(const DeviceRange &target, const void *source, size_t bytes,
                const char *name, std::optional<at::Tensor> keep = {});
/// Copies from the device. Waits for it unless `keep` says who holds the
/// target.
void readBytes(const DeviceRange &source, void *target, size_t bytes,
               const char *name, std::optional<at::Tensor> keep = {});
/// Copies within the device.
void copyBytes(const DeviceRange &source, const DeviceRange &target,
               size_t bytes, const char *name);

/// Keeps the bytes that fit.
void resizeStorage(const c10::Storage &storage, size_t bytes);

/// Bytes from the first element to the last; 0 for no elements.
size_t spanBytes(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                 size_t elementSize);
inline size_t spanBytes(const at::Tensor &tensor) {
  return spanBytes(tensor.sizes(), tensor.strides(), tensor.element_size());
}

/// Whether a tensor's elements lie as the strides say; dimensions of size 1 do
/// not matter.
bool liesAs(const at::Tensor &tensor, c10::IntArrayRef strides);

} // namespace neuron::device

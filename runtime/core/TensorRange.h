//===- TensorRange.h - a checked range of a tensor --------------*- C++ -*-===//
#pragma once
#include "runtime/core/Runtime.h"

namespace neuron::nrt {

/// Resolves a handle and a range of it, and hands the bytes to `use`.
template <typename Use>
NRT_STATUS withRange(Runtime &state, const nrt_tensor_t *handle,
                     uint64_t offset, uint64_t size, Use use) {
  auto tensor = state.tensors.find(handle);
  if (!tensor)
    return badHandle("tensor");
  View view = tensor->current();
  if (!view.storage)
    return fail(NRT_INVALID, "tensor '" + tensor->name +
                                 "' has no storage; attach a buffer first");
  if (!view.holds(offset, size))
    return fail(NRT_INVALID,
                "[" + std::to_string(offset) + ", +" + std::to_string(size) +
                    ") is not inside tensor '" + tensor->name + "' of " +
                    std::to_string(view.size) + " bytes");
  return use(view, view.data() + offset);
}

} // namespace neuron::nrt

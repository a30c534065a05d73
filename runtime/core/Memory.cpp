//===- Memory.cpp - cores and the memory of tensors -----------------------===//
#include "runtime/core/Memory.h"
#include "runtime/profile/Recorder.h"
#include <cstdlib>

namespace neuron::nrt {

std::optional<MemoryClaim> MemoryClaim::take(std::shared_ptr<Core> core,
                                             uint64_t bytes) {
  profile::Scope scope(profile::EventType::NrtDmaMemAlloc);
  uint64_t used = core->used;
  do {
    if (bytes > core->limit - used)
      return std::nullopt;
  } while (!core->used.compare_exchange_weak(used, used + bytes));
  if (scope) {
    scope.setCore(core->index);
    scope->size = bytes;
  }
  return MemoryClaim(std::move(core), bytes);
}

MemoryClaim::~MemoryClaim() {
  if (!core)
    return;
  profile::Scope scope(profile::EventType::NrtDmaMemDealloc, core->index);
  if (scope)
    scope->size = bytes;
  core->used -= bytes;
}

Storage::~Storage() {
  if (owned)
    std::free(data);
}

std::shared_ptr<Storage> allocateStorage(size_t size) {
  constexpr size_t kAlignment = 64; // a cache line, as compiled code likes it
  if (size > SIZE_MAX - kAlignment)
    return nullptr;
  auto storage = std::make_shared<Storage>();
  size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  storage->data =
      static_cast<uint8_t *>(std::aligned_alloc(kAlignment, rounded));
  if (!storage->data)
    return nullptr;
  storage->size = size;
  storage->owned = true;
  return storage;
}

} // namespace neuron::nrt

//===- Memory.h - cores and the memory of tensors ---------------*- C++ -*-===//
#pragma once
#include "nrt/nrt.h"
#include "runtime/core/Clock.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace neuron::nrt {

/// A logical core: its memory is an account, its storage the host's.
class Core {
public:
  Core(uint32_t index, uint64_t limit) : index(index), limit(limit) {}

  const uint32_t index; ///< as clients count
  const uint64_t limit;
  std::mutex executing; ///< a core runs one model at a time
  DeviceClock clock;
  std::atomic<uint64_t> used = 0;
  std::atomic<uint64_t> executions = 0; ///< begun
  std::atomic<uint64_t> lastModel = 0;  ///< id of the one that executed last
  /// Predicted time of executions of models that are gone.
  std::atomic<uint64_t> elapsedPs = 0;
  std::atomic<bool> retired = false; ///< nobody can ask for its time any more
};

/// Bytes of a core's memory, given back on destruction.
class MemoryClaim {
public:
  /// Empty if the core has not that much left.
  static std::optional<MemoryClaim> take(std::shared_ptr<Core> core,
                                         uint64_t bytes);
  MemoryClaim(MemoryClaim &&) = default;
  MemoryClaim &operator=(MemoryClaim &&other) noexcept {
    std::swap(core, other.core);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~MemoryClaim();

private:
  MemoryClaim(std::shared_ptr<Core> core, uint64_t bytes)
      : core(std::move(core)), bytes(bytes) {}
  std::shared_ptr<Core> core; ///< null after a move
  uint64_t bytes;
};

/// Memory of a tensor and of its slices.
struct Storage {
  uint8_t *data = nullptr;
  size_t size = 0;
  nrt_tensor_placement_t placement = NRT_TENSOR_PLACEMENT_HOST;
  std::shared_ptr<Core> core;       ///< DEVICE only
  std::optional<MemoryClaim> claim; ///< DEVICE only
  bool owned = false;               ///< `data` is freed with it

  Storage() = default;
  Storage(const Storage &) = delete;
  ~Storage();
};

/// Null if the host has no memory left. Undefined content.
std::shared_ptr<Storage> allocateStorage(size_t size);

/// A range of a storage; none for an empty tensor.
struct View {
  std::shared_ptr<Storage> storage;
  size_t offset = 0, size = 0;

  uint8_t *data() const { return storage ? storage->data + offset : nullptr; }
  /// Whether [at, at + length) lies inside.
  bool holds(uint64_t at, uint64_t length) const {
    return at <= size && length <= size - at;
  }
};

class Tensor {
public:
  Tensor(std::string name, View view)
      : name(std::move(name)), view(std::move(view)) {}

  const std::string name; ///< for messages
  uintptr_t handle = 0;

  View current() const {
    std::lock_guard lock(mutex);
    return view;
  }
  void attach(View other) {
    std::lock_guard lock(mutex);
    std::swap(view, other);
  }

private:
  mutable std::mutex mutex;
  View view;
};

} // namespace neuron::nrt

//===- Handles.h - opaque handles that cannot dangle ------------*- C++ -*-===//
//
// What clients hold are numbers in the shape of pointers, each used once in
// the life of the process, with the kind of the object in their low bits. So
// a stale handle, a handle of another kind, or any other pointer is found out
// instead of followed.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace neuron::nrt {

enum class HandleKind : uintptr_t { Tensor = 1, TensorSet = 2, Model = 3 };

template <typename T, HandleKind Kind> class Handles {
public:
  uintptr_t add(std::shared_ptr<T> object) {
    uintptr_t handle = next.fetch_add(16) | static_cast<uintptr_t>(Kind);
    std::unique_lock lock(mutex);
    objects.emplace(handle, std::move(object));
    return handle;
  }

  std::shared_ptr<T> find(const void *handle) const {
    std::shared_lock lock(mutex);
    auto at = objects.find(reinterpret_cast<uintptr_t>(handle));
    return at == objects.end() ? nullptr : at->second;
  }

  /// The object dies with the last reference, outside the lock.
  std::shared_ptr<T> remove(const void *handle) {
    std::unique_lock lock(mutex);
    auto node = objects.extract(reinterpret_cast<uintptr_t>(handle));
    return node ? std::move(node.mapped()) : nullptr;
  }

  std::vector<std::shared_ptr<T>> all() const {
    std::vector<std::shared_ptr<T>> result;
    std::shared_lock lock(mutex);
    for (const auto &[handle, object] : objects)
      result.push_back(object);
    return result;
  }

  void clear() {
    std::unordered_map<uintptr_t, std::shared_ptr<T>> dying;
    std::unique_lock lock(mutex);
    dying.swap(objects);
    lock.unlock();
  }

private:
  mutable std::shared_mutex mutex;
  std::unordered_map<uintptr_t, std::shared_ptr<T>> objects;
  static inline std::atomic<uintptr_t> next = 1 << 20;
};

} // namespace neuron::nrt

//===- Allocator.h - PyTorch's allocator for the device ---------*- C++ -*-===//
#pragma once
#include "runtime/device/Blocks.h"
#include "runtime/device/Runtime.h"
#include <ATen/core/TensorBody.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <memory>
#include <mutex>

namespace neuron::device {

/// A part of a segment, as the runtime wants it.
struct DeviceRange {
  nrt_tensor_t *segment = nullptr;
  size_t offset = 0;
  c10::DeviceIndex device = 0;
};

/// The caching allocator. Thread-safe.
class Allocator final : public c10::DeviceAllocator {
public:
  static Allocator &get();

  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void *dest, const void *source, size_t bytes) const override;

  bool initialized() override { return isInitialized(); }
  void emptyCache(c10::MempoolId_t pool = {0, 0}) override;
  void recordStream(const c10::DataPtr &pointer, c10::Stream stream) override;
  c10::CachingDeviceAllocator::DeviceStats
  getDeviceStats(c10::DeviceIndex device) override;
  void resetAccumulatedStats(c10::DeviceIndex device) override;
  void resetPeakStats(c10::DeviceIndex device) override;
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override;

  /// Where the memory of a storage is; throws c10::Error if it is not ours.
  DeviceRange rangeOf(const void *address) const;
  DeviceRange rangeOf(const at::Tensor &tensor) const;

  /// One taken block: address, bytes asked for, bytes taken, owner.
  struct Held {
    size_t address, requested, size, segment;
    const char *owner;
  };
  /// The taken blocks of a device.
  std::vector<Held> held(c10::DeviceIndex device) const;

private:
  struct Core;
  Core &core(c10::DeviceIndex device) const;
  std::optional<DeviceRange> find(const void *address,
                                  c10::DeviceIndex device) const;
  Block *obtain(Core &core, size_t bytes, c10::DeviceIndex device,
                c10::StreamId stream);
  void release(Core &core);
  void settle(Core &core);
  std::string report(Core &core, c10::DeviceIndex device, size_t bytes) const;
  void free(Block *block);
  static void freeContext(void *context);

  mutable std::mutex mutex; ///< guards `cores`
  mutable std::vector<std::unique_ptr<Core>> cores;
};

/// What this thread allocates for, until it is changed back. The text must live
/// for ever.
class AllocationOwner {
public:
  explicit AllocationOwner(const char *name);
  ~AllocationOwner();

private:
  const char *previous;
};

/// nrt_tensor_allocate_slice of a range; the caller frees it.
nrt_tensor_t *sliceOf(const DeviceRange &range, size_t bytes);

} // namespace neuron::device

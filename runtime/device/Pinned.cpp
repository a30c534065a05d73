//===- Pinned.cpp - host memory that the device copies from ---------------===//
#include "runtime/device/Pinned.h"
#include <c10/util/Exception.h>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace neuron;
using namespace neuron::device;

namespace {

class Pinned final : public c10::Allocator {
public:
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0)
      return {nullptr, nullptr, &release, c10::Device(c10::kCPU)};
    constexpr size_t kAlignment = 64;
    void *data = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) /
                                                    kAlignment * kAlignment);
    TORCH_CHECK_WITH(OutOfMemoryError, data, "no host memory: ", bytes,
                     " bytes of pinned memory were asked for");
    std::lock_guard lock(mutex);
    ranges.emplace(static_cast<uint8_t *>(data), bytes);
    return {data, data, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void *dest, const void *source, size_t bytes) const override {
    std::memcpy(dest, source, bytes);
  }

  bool holds(const void *data) const {
    const auto *byte = static_cast<const uint8_t *>(data);
    std::lock_guard lock(mutex);
    auto at = ranges.upper_bound(byte);
    return at != ranges.begin() &&
           byte < std::prev(at)->first + std::prev(at)->second;
  }

private:
  static void release(void *data);

  mutable std::mutex mutex;
  std::map<const uint8_t *, size_t> ranges;
};

Pinned &pinned() {
  static Pinned *pinned = new Pinned;
  return *pinned;
}

void Pinned::release(void *data) {
  if (!data)
    return;
  {
    std::lock_guard lock(pinned().mutex);
    pinned().ranges.erase(static_cast<uint8_t *>(data));
  }
  std::free(data);
}

} // namespace

c10::Allocator &device::pinnedAllocator() { return pinned(); }
bool device::isPinned(const void *data) { return data && pinned().holds(data); }

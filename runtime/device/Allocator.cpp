//===- Allocator.cpp - PyTorch's allocator for the device -----------------===//
#include "runtime/device/Allocator.h"
#include "runtime/device/Stream.h"
#include <algorithm>
#include <c10/util/Exception.h>
#include <cstring>
#include <map>

using namespace neuron;
using namespace neuron::device;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

namespace {

thread_local const char *allocationOwner = "";

/// Allocations that other streams used, until these are past it.
struct Pending {
  Block *block;
  std::vector<std::shared_ptr<Mark>> marks;
};

std::string sizeText(size_t bytes) {
  char text[32];
  double mib = bytes / 1048576.0;
  if (mib < 1)
    std::snprintf(text, sizeof(text), "%zu bytes", bytes);
  else if (mib < 1024)
    std::snprintf(text, sizeof(text), "%.2f MiB", mib);
  else
    std::snprintf(text, sizeof(text), "%.2f GiB", mib / 1024);
  return text;
}

} // namespace

AllocationOwner::AllocationOwner(const char *name)
    : previous(std::exchange(allocationOwner, name)) {}
AllocationOwner::~AllocationOwner() { allocationOwner = previous; }

struct Allocator::Core {
  mutable std::mutex mutex;
  Blocks blocks;
  std::map<const uint8_t *, Segment *> byAddress;
  std::vector<Pending> pending;
  DeviceStats stats;

  template <typename Change>
  void change(StatArray &array, bool isLarge, Change change) {
    change(array[size_t(StatType::AGGREGATE)]);
    change(
        array[size_t(isLarge ? StatType::LARGE_POOL : StatType::SMALL_POOL)]);
  }
  void increase(StatArray &array, bool isLarge, size_t amount) {
    change(array, isLarge, [&](auto &stat) { stat.increase(amount); });
  }
  void decrease(StatArray &array, bool isLarge, size_t amount) {
    change(array, isLarge, [&](auto &stat) { stat.decrease(amount); });
  }
};

Allocator &Allocator::get() {
  static Allocator *allocator = new Allocator; // tensors may outlive statics
  return *allocator;
}

Allocator::Core &Allocator::core(c10::DeviceIndex device) const {
  std::lock_guard lock(mutex);
  if (cores.empty())
    cores.resize(std::max<int>(deviceCount(), 1));
  auto &core = cores.at(device);
  if (!core)
    core = std::make_unique<Core>();
  return *core;
}

void Allocator::freeContext(void *context) {
  get().free(static_cast<Block *>(context));
}

c10::DeleterFnPtr Allocator::raw_deleter() const {
  return nullptr; // a raw pointer does not say which block it is
}

void Allocator::copy_data(void *dest, const void *source, size_t bytes) const {
  DeviceRange to = rangeOf(dest), from = rangeOf(source);
  synchronizeDevice(to.device);
  check("nrt_tensor_copy", api().tensorCopy(from.segment, from.offset,
                                            to.segment, to.offset, bytes));
}

//===----------------------------------------------------------------------===//
// Taking and giving back
//===----------------------------------------------------------------------===//

/// Blocks that the streams beside their own are past.
void Allocator::settle(Core &core) {
  std::erase_if(core.pending, [&](Pending &pending) {
    for (const auto &mark : pending.marks)
      if (!mark->reached())
        return false;
    Block *block = pending.block;
    core.decrease(core.stats.active, block->segment->isLarge, 1);
    core.decrease(core.stats.active_bytes, block->segment->isLarge,
                  block->size);
    core.blocks.giveBack(block);
    return true;
  });
}

/// Hands free segments back to the runtime.
void Allocator::release(Core &core) {
  core.blocks.releaseFree([&](Segment &segment) {
    core.byAddress.erase(segment.address);
    core.decrease(core.stats.segment, segment.isLarge, 1);
    core.decrease(core.stats.reserved_bytes, segment.isLarge, segment.size);
    core.stats.num_device_free++;
    api().tensorFree(&segment.tensor);
  });
}

/// Of a core: what it has, and what is in use. Throws if the library cannot
/// say.
static nrt_vnc_memory_stats_t memoryOf(c10::DeviceIndex device) {
  nrt_vnc_memory_stats_t stats{};
  size_t written = 0;
  check("nrt_get_vnc_memory_stats",
        api().getMemoryStats(device, &stats, sizeof(stats), &written));
  return stats;
}

static size_t freeBytes(const nrt_vnc_memory_stats_t &memory) {
  return memory.bytes_limit - memory.bytes_used;
}

/// What the memory is full of.
std::string Allocator::report(Core &core, c10::DeviceIndex device,
                              size_t bytes) const {
  nrt_vnc_memory_stats_t memory = memoryOf(device);
  auto current = [](const StatArray &array) {
    return size_t(array[size_t(StatType::AGGREGATE)].current);
  };
  std::string text =
      "neuron:" + std::to_string(int(device)) +
      " is out of memory: " + sizeText(bytes) + " were asked for, " +
      sizeText(freeBytes(memory)) + " of " + sizeText(memory.bytes_limit) +
      " are free. PyTorch holds " +
      sizeText(current(core.stats.reserved_bytes)) + ", " +
      sizeText(current(core.stats.allocated_bytes)) +
      " of them in tensors; models and their constants the rest.";
  std::map<std::string, std::pair<size_t, size_t>> owners;
  core.blocks.forEach([&](const Block &block) {
    if (block.requested == 0)
      return;
    auto &[count, size] = owners[*block.owner ? block.owner : "other"];
    count++, size += block.size;
  });
  std::vector<std::pair<size_t, std::string>> most;
  for (auto &[owner, held] : owners)
    most.emplace_back(held.second, owner + " (" + std::to_string(held.first) +
                                       " tensors): " + sizeText(held.second));
  std::sort(most.rbegin(), most.rend());
  if (most.size() > 5)
    most.resize(5);
  for (auto &[size, line] : most)
    text += "\n  made by " + line;
  size_t stranded = core.blocks.strandedBytes();
  if (stranded >= bytes)
    text += "\n" + sizeText(stranded) +
            " are free but in pieces between tensors (fragmentation).";
  return text + "\nFree tensors, use a smaller batch, or see "
                "torch.neuron.memory_summary().";
}

Block *Allocator::obtain(Core &core, size_t bytes, c10::DeviceIndex device,
                         c10::StreamId stream) {
  if (Block *block = core.blocks.take(bytes, stream))
    return block;
  Segment segment;
  segment.size = Blocks::segmentSize(bytes);
  segment.isLarge = bytes >= kLargeRequest;
  NRT_STATUS status = NRT_RESOURCE;
  // First as usual; then without what is only cached; then no more than needed.
  for (int attempt = 0; attempt < 3 && status == NRT_RESOURCE; ++attempt) {
    if (attempt == 1) {
      core.stats.num_alloc_retries++;
      release(core);
    }
    if (attempt == 2)
      segment.size = bytes;
    // The runtime would log it as an error, which a second try may not be.
    if (freeBytes(memoryOf(device)) < segment.size)
      continue;
    status = api().tensorAllocate(NRT_TENSOR_PLACEMENT_DEVICE, device,
                                  segment.size, "torch", &segment.tensor);
  }
  if (status == NRT_RESOURCE) {
    core.stats.num_ooms++;
    return nullptr;
  }
  check("nrt_tensor_allocate", status);
  segment.address = static_cast<uint8_t *>(api().tensorGetVa(segment.tensor));
  TORCH_CHECK(segment.address, "the NRT library does not map device memory: "
                               "set NEURON_RT_MAP_HBM=1");
  core.increase(core.stats.segment, segment.isLarge, 1);
  core.increase(core.stats.reserved_bytes, segment.isLarge, segment.size);
  core.stats.num_device_alloc++;
  Block *block = core.blocks.take(bytes, stream, segment);
  core.byAddress.emplace(segment.address, block->segment);
  return block;
}

c10::DataPtr Allocator::allocate(size_t bytes) {
  c10::DeviceIndex index = currentDevice();
  c10::Device device(kNeuron, index);
  library(); // the first tensor initializes the runtime
  if (bytes == 0)
    return {nullptr, nullptr, &freeContext, device};
  size_t size = sizeClass(bytes);
  TORCH_CHECK(size >= bytes, "a tensor of ", bytes, " bytes is too large");
  c10::StreamId stream = currentStream(index).id;
  Core &core = this->core(index);
  std::unique_lock lock(core.mutex);
  settle(core);
  Block *block = obtain(core, size, index, stream);
  if (!block && !core.pending.empty()) {
    lock.unlock();
    synchronizeDevice(index);
    lock.lock();
    settle(core);
    block = obtain(core, size, index, stream);
  }
  if (!block) {
    std::string text = report(core, index, bytes);
    lock.unlock();
    TORCH_CHECK_WITH(OutOfMemoryError, false, text);
  }
  block->requested = bytes;
  block->stream = stream;
  block->device = index;
  block->owner = allocationOwner;
  bool isLarge = block->segment->isLarge;
  core.increase(core.stats.allocation, isLarge, 1);
  core.increase(core.stats.active, isLarge, 1);
  core.increase(core.stats.allocated_bytes, isLarge, block->size);
  core.increase(core.stats.active_bytes, isLarge, block->size);
  core.increase(core.stats.requested_bytes, isLarge, bytes);
  size_t allocated =
      core.stats.allocated_bytes[size_t(StatType::AGGREGATE)].current;
  size_t reserved =
      core.stats.reserved_bytes[size_t(StatType::AGGREGATE)].current;
  lock.unlock();
  c10::reportMemoryUsageToProfiler(block->address(), int64_t(block->size),
                                   allocated, reserved, device);
  return {block->address(), block, &freeContext, device};
}

void Allocator::free(Block *block) {
  if (!block || isInBadFork())
    return;
  c10::Device device(kNeuron, block->device);
  void *address = block->address();
  size_t size = block->size;
  Core &core = this->core(block->device);
  std::unique_lock lock(core.mutex);
  bool isLarge = block->segment->isLarge;
  core.decrease(core.stats.allocation, isLarge, 1);
  core.decrease(core.stats.allocated_bytes, isLarge, size);
  core.decrease(core.stats.requested_bytes, isLarge, block->requested);
  if (block->users.empty()) {
    core.decrease(core.stats.active, isLarge, 1);
    core.decrease(core.stats.active_bytes, isLarge, size);
    core.blocks.giveBack(block);
  } else {
    Pending pending{block, {}};
    for (c10::StreamId user : block->users)
      pending.marks.push_back(streamOf(device.index(), user).record());
    core.pending.push_back(std::move(pending));
  }
  size_t allocated =
      core.stats.allocated_bytes[size_t(StatType::AGGREGATE)].current;
  size_t reserved =
      core.stats.reserved_bytes[size_t(StatType::AGGREGATE)].current;
  lock.unlock();
  c10::reportMemoryUsageToProfiler(address, -int64_t(size), allocated, reserved,
                                   device);
}

void Allocator::recordStream(const c10::DataPtr &pointer, c10::Stream stream) {
  if (pointer.get_deleter() != &freeContext || !pointer.get_context())
    return; // not ours, or empty
  auto *block = static_cast<Block *>(pointer.get_context());
  Core &core = this->core(block->device);
  std::lock_guard lock(core.mutex);
  if (stream.id() != block->stream &&
      std::find(block->users.begin(), block->users.end(), stream.id()) ==
          block->users.end())
    block->users.push_back(stream.id());
}

void Allocator::emptyCache(c10::MempoolId_t) {
  if (!initialized())
    return;
  for (c10::DeviceIndex index = 0; index < deviceCount(); ++index) {
    {
      std::lock_guard lock(mutex);
      if (cores.empty() || !cores.at(index))
        continue;
    }
    // What the streams still do may use the freed blocks.
    synchronizeDevice(index);
    Core &core = this->core(index);
    std::lock_guard lock(core.mutex);
    settle(core);
    release(core);
  }
}

//===----------------------------------------------------------------------===//
// What is where
//===----------------------------------------------------------------------===//

std::optional<DeviceRange> Allocator::find(const void *address,
                                           c10::DeviceIndex device) const {
  const auto *byte = static_cast<const uint8_t *>(address);
  Core &core = this->core(device);
  std::lock_guard lock(core.mutex);
  auto at = core.byAddress.upper_bound(byte);
  if (at == core.byAddress.begin())
    return std::nullopt;
  --at;
  if (byte >= at->first + at->second->size)
    return std::nullopt;
  return DeviceRange{at->second->tensor, size_t(byte - at->first), device};
}

DeviceRange Allocator::rangeOf(const void *address) const {
  for (c10::DeviceIndex device = 0; device < deviceCount(); ++device)
    if (auto range = find(address, device))
      return *range;
  TORCH_CHECK(false, "that memory is not of a neuron device");
}

DeviceRange Allocator::rangeOf(const at::Tensor &tensor) const {
  auto range = find(tensor.const_data_ptr(), tensor.device().index());
  TORCH_CHECK(range, "that memory is not of ", tensor.device());
  return *range;
}

std::vector<Allocator::Held> Allocator::held(c10::DeviceIndex device) const {
  Core &core = this->core(device);
  std::vector<Held> result;
  std::lock_guard lock(core.mutex);
  core.blocks.forEach([&](const Block &block) {
    result.push_back(
        {reinterpret_cast<size_t>(block.address()), block.requested, block.size,
         reinterpret_cast<size_t>(block.segment->address), block.owner});
  });
  return result;
}

DeviceStats Allocator::getDeviceStats(c10::DeviceIndex device) {
  Core &core = this->core(device);
  std::lock_guard lock(core.mutex);
  settle(core);
  DeviceStats stats = core.stats;
  stats.inactive_split_bytes[size_t(StatType::AGGREGATE)].current =
      core.blocks.strandedBytes();
  return stats;
}

/// Calls `reset` with every counter that has a peak and a sum.
template <typename Reset>
static void forEachStat(DeviceStats &stats, Reset reset) {
  for (StatArray *array : {&stats.allocation, &stats.segment, &stats.active,
                           &stats.allocated_bytes, &stats.reserved_bytes,
                           &stats.active_bytes, &stats.requested_bytes})
    for (auto &stat : *array)
      reset(stat);
}

void Allocator::resetAccumulatedStats(c10::DeviceIndex device) {
  Core &core = this->core(device);
  std::lock_guard lock(core.mutex);
  forEachStat(core.stats, [](auto &stat) { stat.reset_accumulated(); });
  core.stats.num_alloc_retries = core.stats.num_ooms = 0;
}

void Allocator::resetPeakStats(c10::DeviceIndex device) {
  Core &core = this->core(device);
  std::lock_guard lock(core.mutex);
  forEachStat(core.stats, [](auto &stat) { stat.reset_peak(); });
}

std::pair<size_t, size_t> Allocator::getMemoryInfo(c10::DeviceIndex device) {
  nrt_vnc_memory_stats_t memory = memoryOf(device);
  return {freeBytes(memory), memory.bytes_limit};
}

nrt_tensor_t *device::sliceOf(const DeviceRange &range, size_t bytes) {
  nrt_tensor_t *slice = nullptr;
  check("nrt_tensor_allocate_slice",
        api().tensorAllocateSlice(range.segment, range.offset, bytes, nullptr,
                                  &slice));
  return slice;
}

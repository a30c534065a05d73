//===- Transfer.cpp - bytes between host and device -----------------------===//
#include "runtime/device/Transfer.h"
#include "runtime/device/Request.h"
#include "runtime/device/Stream.h"
#include <cstring>

using namespace neuron;
using namespace neuron::device;

namespace {

/// A part of device memory, alive until the task is done.
class Slice {
public:
  Slice(const DeviceRange &range, size_t bytes)
      : tensor(sliceOf(range, bytes)) {}
  ~Slice() { api().tensorFree(&tensor); }
  Slice(const Slice &) = delete;
  nrt_tensor_t *tensor;
};

class WriteTask final : public Task {
public:
  WriteTask(const DeviceRange &target, const void *source, size_t bytes,
            const char *name, std::optional<at::Tensor> keep)
      : Task(Kind::Write, name, bytes), target(target, bytes),
        core(target.device), keep(std::move(keep)) {
    if (this->keep) {
      data = source;
    } else {
      staged.reset(new uint8_t[bytes]);
      std::memcpy(staged.get(), source, bytes);
      data = staged.get();
    }
  }
  bool run(uint64_t, Span &span, TaskFailure &failure) override {
    return runWrite(core, target.tensor, data, bytes, span, failure);
  }

private:
  Slice target;
  c10::DeviceIndex core;
  std::optional<at::Tensor> keep;
  std::unique_ptr<uint8_t[]> staged;
  const void *data;
};

class ReadTask final : public Task {
public:
  ReadTask(const DeviceRange &source, void *target, size_t bytes,
           const char *name, std::optional<at::Tensor> keep)
      : Task(Kind::Read, name, bytes), source(source, bytes),
        core(source.device), target(target), keep(std::move(keep)) {}
  bool run(uint64_t, Span &span, TaskFailure &failure) override {
    return runRead(core, source.tensor, target, bytes, span, failure);
  }

private:
  Slice source;
  c10::DeviceIndex core;
  void *target;
  std::optional<at::Tensor> keep;
};

class CopyTask final : public Task {
public:
  CopyTask(const DeviceRange &source, const DeviceRange &target, size_t bytes,
           const char *name)
      : Task(Kind::Copy, name, bytes), source(source, bytes),
        target(target, bytes), core(source.device) {}
  bool run(uint64_t, Span &span, TaskFailure &failure) override {
    return runCopy(core, source.tensor, target.tensor, bytes, span, failure);
  }

private:
  Slice source, target;
  c10::DeviceIndex core;
};

} // namespace

void device::writeBytes(const DeviceRange &target, const void *source,
                        size_t bytes, const char *name,
                        std::optional<at::Tensor> keep) {
  if (bytes == 0)
    return;
  // What is not pinned is copied once more, so that the caller may go on;
  // beyond this size the wait is cheaper than the memory.
  constexpr size_t kMostStaged = size_t(64) << 20;
  bool wait = !keep && bytes > kMostStaged;
  Stream &stream = currentStream(target.device);
  stream.enqueue(std::make_unique<WriteTask>(
      target, source, bytes, name,
      wait ? std::optional<at::Tensor>(at::Tensor()) : std::move(keep)));
  if (wait)
    stream.synchronize();
}

void device::readBytes(const DeviceRange &source, void *target, size_t bytes,
                       const char *name, std::optional<at::Tensor> keep) {
  if (bytes == 0)
    return;
  bool wait = !keep;
  Stream &stream = currentStream(source.device);
  stream.enqueue(
      std::make_unique<ReadTask>(source, target, bytes, name, std::move(keep)));
  if (wait)
    stream.synchronize();
}

void device::copyBytes(const DeviceRange &source, const DeviceRange &target,
                       size_t bytes, const char *name) {
  if (bytes != 0)
    currentStream(source.device)
        .enqueue(std::make_unique<CopyTask>(source, target, bytes, name));
}

void device::resizeStorage(const c10::Storage &storage, size_t bytes) {
  c10::DeviceIndex before = currentDevice();
  setCurrentDevice(resolve(storage.device()));
  c10::DataPtr data = Allocator::get().allocate(bytes);
  Allocator &allocator = Allocator::get();
  size_t kept = std::min(bytes, storage.nbytes());
  if (kept != 0)
    copyBytes(allocator.rangeOf(storage.data()), allocator.rangeOf(data.get()),
              kept, "aten::resize_");
  storage.set_data_ptr_noswap(std::move(data));
  storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  setCurrentDevice(before);
}

size_t device::spanBytes(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                         size_t elementSize) {
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return (last + 1) * elementSize;
}

bool device::liesAs(const at::Tensor &tensor, c10::IntArrayRef strides) {
  c10::IntArrayRef sizes = tensor.sizes(), actual = tensor.strides();
  for (size_t i = 0; i < strides.size(); ++i)
    if (actual[i] != strides[i] && sizes[i] != 1)
      return false;
  return true;
}

//===- Guard.cpp - devices, streams and events for c10 --------------------===//
#include "runtime/device/Allocator.h"
#include "runtime/device/Register.h"
#include "runtime/device/Stream.h"
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

using namespace neuron;
using namespace neuron::device;

namespace {

/// A torch.Event: the mark of its last recording.
struct Event {
  std::shared_ptr<Mark> mark;
  bool isTimed = false;
};

Event &eventOf(void *event) { return *static_cast<Event *>(event); }

class Guard final : public c10::impl::DeviceGuardImplInterface {
public:
  c10::DeviceType type() const override { return kNeuron; }

  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device before = getDevice();
    setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {kNeuron, currentDevice()}; }
  void setDevice(c10::Device device) const override {
    setCurrentDevice(resolve(device));
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index() && device.index() < deviceCount())
      setCurrentDevice(device.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return device::deviceCount();
  }
  c10::DeviceCapability getDeviceCapability(c10::Device) const override {
    return {};
  }

  // Streams
  c10::Stream getStream(c10::Device device) const override {
    return currentStream(resolve(device)).unwrap();
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return defaultStream(resolve(device)).unwrap();
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return newStream(resolve(device)).unwrap();
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return newStream(resolve(device)).unwrap();
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    Stream &before = currentStream(resolve(stream.device()));
    setCurrentStream(streamOf(stream));
    return before.unwrap();
  }
  void *getStreamNativeHandle(const c10::Stream stream) const override {
    return &streamOf(stream);
  }
  bool queryStream(const c10::Stream &stream) const override {
    return streamOf(stream).isIdle();
  }
  void synchronizeStream(const c10::Stream &stream) const override {
    streamOf(stream).synchronize();
  }
  void synchronizeDevice(const c10::DeviceIndex index) const override {
    device::synchronizeDevice(resolve({kNeuron, index}));
  }
  void recordDataPtrOnStream(const c10::DataPtr &pointer,
                             const c10::Stream &stream) const override {
    Allocator::get().recordStream(pointer, stream);
  }

  // Events
  void destroyEvent(void *event,
                    const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event *>(event);
  }
  void record(void **event, const c10::Stream &stream, const c10::DeviceIndex,
              const c10::EventFlag flag) const override {
    if (!*event)
      *event = new Event{nullptr, flag == c10::EventFlag::BACKEND_DEFAULT};
    eventOf(*event).mark = streamOf(stream).record();
  }
  void block(void *event, const c10::Stream &stream) const override {
    if (event && eventOf(event).mark)
      streamOf(stream).waitFor(eventOf(event).mark);
  }
  bool queryEvent(void *event) const override {
    return !event || !eventOf(event).mark || eventOf(event).mark->reached();
  }
  void synchronizeEvent(void *event) const override {
    if (event && eventOf(event).mark)
      eventOf(event).mark->waitOnHost();
  }
  double elapsedTime(void *start, void *end,
                     const c10::DeviceIndex) const override {
    TORCH_CHECK(start && end && eventOf(start).mark && eventOf(end).mark,
                "Both events must be recorded before calculating elapsed "
                "time.");
    TORCH_CHECK_VALUE(eventOf(start).isTimed && eventOf(end).isTimed,
                      "Both events must be created with argument "
                      "'enable_timing=True'.");
    TORCH_CHECK(eventOf(start).mark->reached() && eventOf(end).mark->reached(),
                "Both events must be completed before calculating elapsed "
                "time.");
    int64_t nanoseconds = int64_t(eventOf(end).mark->clock()) -
                          int64_t(eventOf(start).mark->clock());
    return nanoseconds / 1e6;
  }
};

} // namespace

void device::registerGuard() {
  static c10::impl::DeviceGuardImplRegistrar registrar(kNeuron, new Guard);
}

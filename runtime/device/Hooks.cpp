//===- Hooks.cpp - what PyTorch asks the device ---------------------------===//
#include "runtime/device/Allocator.h"
#include "runtime/device/Generator.h"
#include "runtime/device/Pinned.h"
#include "runtime/device/Register.h"
#include "runtime/device/Stream.h"
#include "runtime/device/Transfer.h"
#include <ATen/detail/PrivateUse1HooksInterface.h>

using namespace neuron;
using namespace neuron::device;

namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  void init() const override { library(); }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device::deviceCount() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex index) const override {
    return isInitialized() && index < device::deviceCount();
  }
  c10::DeviceIndex deviceCount() const override {
    return device::deviceCount();
  }
  void setCurrentDevice(c10::DeviceIndex index) const override {
    device::setCurrentDevice(index);
  }
  c10::DeviceIndex getCurrentDevice() const override { return currentDevice(); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    c10::DeviceIndex before = currentDevice();
    device::setCurrentDevice(index);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? currentDevice() : exchangeDevice(index);
  }
  const at::Generator &
  getDefaultGenerator(c10::DeviceIndex index) const override {
    return defaultGenerator(index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return newGenerator(index);
  }
  at::Device getDeviceFromPtr(void *data) const override {
    return {kNeuron, Allocator::get().rangeOf(data).device};
  }
  bool isPinnedPtr(const void *data) const override { return isPinned(data); }
  at::Allocator *getPinnedMemoryAllocator() const override {
    return &pinnedAllocator();
  }
  void resizePrivateUse1Bytes(const c10::Storage &storage,
                              size_t bytes) const override {
    resizeStorage(storage, bytes);
  }
};

} // namespace

void device::registerHooks() {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
}

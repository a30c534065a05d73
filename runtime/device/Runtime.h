//===- Runtime.h - the NRT library behind the device 'neuron' ---*- C++ -*-===//
//
// The library is opened and initialized by the first thing that needs a device,
// not by `import torch`. A process that was forked from one in which it runs
// has no device: its threads and locks are not there.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/hardware/Library.h"
#include <c10/core/Device.h>

namespace neuron::device {

constexpr c10::DeviceType kNeuron = c10::DeviceType::PrivateUse1;

/// The library, initialized; the message says what to do if it cannot be.
Result<const hardware::Library *> initialize();
/// The same; throws c10::Error.
const hardware::Library &library();
inline const hardware::NrtApi &api() { return library().api(); }

bool isInitialized();
/// Whether the runtime ran when this process was forked.
bool isInBadFork();

/// Logical cores that this process may use; 0 if there is no library. Does not
/// initialize.
c10::DeviceIndex deviceCount() noexcept;
/// Of this thread.
c10::DeviceIndex currentDevice() noexcept;
/// Throws c10::Error for a device that there is not.
void setCurrentDevice(c10::DeviceIndex index);
/// The current device for an index of -1; throws c10::Error for a device that
/// there is not.
c10::DeviceIndex resolve(c10::Device device);

/// Throws c10::Error (c10::OutOfMemoryError never) unless `status` is success.
void check(const char *function, NRT_STATUS status);

/// `check` is asked a few times a second by whoever waits for the device; true:
/// stop waiting, and call `raise`, which throws.
void setInterruptCheck(bool (*check)(), void (*raise)());
/// Throws if the user wants no more.
void throwIfInterrupted();

} // namespace neuron::device

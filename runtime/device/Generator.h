//===- Generator.h - random numbers of the device ---------------*- C++ -*-===//
//
// The device computes its random numbers from keys (see neuron.random); these
// are drawn on the host, for every execution anew. A generator is therefore a
// CPU generator with another device, and a seed gives the same numbers in eager
// and compiled code.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>
#include <optional>

namespace neuron::device {

const at::Generator &defaultGenerator(c10::DeviceIndex device);
at::Generator newGenerator(c10::DeviceIndex device);

/// The CPU generator behind a generator of the device, or behind the device's
/// own.
at::Generator hostGenerator(const std::optional<at::Generator> &generator,
                            c10::DeviceIndex device);

/// Keys for the random numbers of one execution, on the host.
at::Tensor drawKeys(int64_t count,
                    const std::optional<at::Generator> &hostGenerator);

} // namespace neuron::device

//===- Factory.h - new tensors of the device --------------------*- C++ -*-===//
#pragma once
#include <ATen/core/TensorBody.h>

namespace neuron::device {

at::Tensor emptyStrided(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                        c10::ScalarType dtype, c10::DeviceIndex device);

} // namespace neuron::device

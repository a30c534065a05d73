//===- Copy.h - aten::copy_ to, from and on the device ----------*- C++ -*-===//
#pragma once
#include <ATen/core/TensorBody.h>

namespace neuron::device {

/// aten::_copy_from: dtypes, strides and devices may differ; the shapes are the
/// same.
at::Tensor copyFrom(const at::Tensor &source, const at::Tensor &target,
                    bool nonBlocking);
at::Tensor copyFromAndResize(const at::Tensor &source,
                             const at::Tensor &target);
/// A tensor on the CPU with the same elements and dtype; waits for the device.
at::Tensor toHost(const at::Tensor &tensor);

} // namespace neuron::device

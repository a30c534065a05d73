//===- Launch.h - runs a program on tensors of the device -------*- C++ -*-===//
#pragma once
#include "runtime/device/Model.h"
#include "runtime/device/Plan.h"
#include <ATen/core/TensorBody.h>
#include <map>

namespace neuron::device {

/// A program and how it is bound.
struct Program {
  Plan plan;
  std::shared_ptr<Model> model; ///< null: there is nothing to compute
  /// What to say of each location id ("L3") that a failure names.
  std::shared_ptr<const std::map<unsigned, std::string>> places;
};

/// Puts the execution on the current stream of the device. `inputs` lie as the
/// plan says, on the device; `keys` has the random keys, on the host. The
/// outputs: one for each of the plan's, undefined for numbers and None. `name`
/// lives for ever.
std::vector<at::Tensor> launch(const Program &program, const char *name,
                               c10::DeviceIndex device,
                               c10::ArrayRef<at::Tensor> inputs,
                               const at::Tensor &keys);

/// Executions put on streams so far.
uint64_t launches();

} // namespace neuron::device

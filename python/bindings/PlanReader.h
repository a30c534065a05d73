//===- PlanReader.h - plans and calls of compiled graphs --------*- C++ -*-===//
//
// What the executors on the CPU's memory and on the device's have in common:
// reading Module.plan(), taking the caller's tensors, and giving back outputs.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/device/Plan.h"
#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>
#include <optional>
#include <pybind11/pybind11.h>

namespace neuron::python {

struct ReadPlan {
  device::Plan plan;
  std::vector<pybind11::object> values; ///< of outputs that are no tensors
  std::vector<bool> isOnHost;           ///< outputs, where a device is
  /// Where the tensors are that are on the device 'neuron'.
  std::optional<c10::Device> where;
};

/// `plan` as Module.plan() gives it.
ReadPlan readPlan(const pybind11::dict &plan);

/// The tensors of a call, undefined for what is none; throws
/// NEFFExecutionError if they are not those that the plan expects.
std::vector<at::Tensor> takeTensors(const pybind11::list &list,
                                    const device::Plan &plan);
/// Throws NEFFExecutionError: "input 3 (primals_4) is on device ...".
[[noreturn]] void throwBadInput(const device::Plan &plan, size_t index,
                                const std::string &what);
/// So that an input can be freed as soon as it is not needed.
void emptyList(pybind11::list &list);
/// Outputs for Python; those that are undefined are `values`.
pybind11::list listOf(std::vector<at::Tensor> outputs,
                      const std::vector<pybind11::object> &values);

} // namespace neuron::python

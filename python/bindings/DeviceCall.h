//===- DeviceCall.h - a compiled graph on tensors of the device -*- C++ -*-===//
#pragma once
#include "runtime/device/Launch.h"
#include <map>
#include <pybind11/pybind11.h>

namespace neuron::python {

/// The graph of a plan of which some tensor is on the device.
class DeviceCall {
public:
  /// Whether a plan is for it.
  static bool isFor(const pybind11::dict &plan);

  DeviceCall(const std::string &neff, const pybind11::dict &plan,
             const std::string &form, const std::string &name,
             std::map<unsigned, std::string> places);

  /// Takes the inputs out of the list; returns the outputs. The device may not
  /// be done yet; what fails is raised when somebody waits for it.
  pybind11::list call(pybind11::list inputs);

  nrt_model_t *handle() const {
    return program.model ? program.model->handle() : nullptr;
  }

private:
  at::Tensor place(const at::Tensor &tensor, unsigned index) const;

  device::Program program;
  c10::DeviceIndex device = 0;
  std::vector<bool> outputOnHost;
  std::vector<pybind11::object> values; ///< of outputs that are no tensors
  const char *name;                     ///< of the graph; lives for ever
};

} // namespace neuron::python

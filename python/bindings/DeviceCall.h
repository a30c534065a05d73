//===- DeviceCall.h - a compiled graph on tensors of the device -*- C++ -*-===//
#pragma once
#include "python/bindings/PlanReader.h"
#include "runtime/device/Launch.h"
#include <map>
#include <pybind11/pybind11.h>

namespace neuron::python {

/// The graph of a plan of which some tensor is on the device.
class DeviceCall {
public:
  /// `read.where` is there.
  DeviceCall(const std::string &neff, ReadPlan read, const std::string &form,
             const std::string &name, std::map<unsigned, std::string> places,
             std::vector<device::SourceLine> lines);

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
  std::vector<bool> isOnHost;           ///< of the outputs
  std::vector<pybind11::object> values; ///< of outputs that are no tensors
  const char *name;                     ///< of the graph; lives for ever
};

} // namespace neuron::python

//===- DeviceBindings.h - the device 'neuron' for Python --------*- C++ -*-===//
#pragma once
#include <pybind11/pybind11.h>

namespace neuron::python {

void bindDevice(pybind11::module_ &module);
void bindTracer(pybind11::module_ &module);

} // namespace neuron::python

//===- CompilerBindings.h - import, options, compilation --------*- C++ -*-===//
#pragma once
#include <pybind11/pybind11.h>

namespace neuron::python {

void bindOptions(pybind11::module_ &module);
void bindImporter(pybind11::module_ &module);
void bindCompile(pybind11::module_ &module);

} // namespace neuron::python

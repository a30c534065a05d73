//===- Module.cpp - torch_neuronx._C --------------------------------------===//
#include "python/bindings/CompilerBindings.h"
#include "python/bindings/DeviceBindings.h"
#include "python/bindings/Executor.h"

PYBIND11_MODULE(_C, m) {
  m.doc() = "The compiler and the executor of torch_neuronx.";
  neuron::python::bindOptions(m);
  neuron::python::bindImporter(m);
  neuron::python::bindCompile(m);
  neuron::python::bindExecutor(m);
  neuron::python::bindDevice(m);
  neuron::python::bindTracer(m);
}

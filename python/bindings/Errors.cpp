//===- Errors.cpp - our Python exceptions from ------------------*- C++ -*-===//
#include "python/bindings/Errors.h"
#include <pybind11/pybind11.h>

namespace py = pybind11;

[[noreturn]] static void raise(const char *name, const std::string &message) {
  py::object type =
      py::module_::import("torch_neuronx.neuron_dynamo_backend.exceptions")
          .attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
  throw py::error_already_set();
}

void neuron::python::throwCompilationError(const std::string &message) {
  raise("NEFFCompilationError", message);
}
void neuron::python::throwExecutionError(const std::string &message) {
  // The simulator's word for what eager raises.
  bool isIndex = message.find(": IndexError\n") != std::string::npos;
  raise(isIndex ? "NEFFIndexError" : "NEFFExecutionError", message);
}

//===- Interrupt.cpp - Ctrl-C while the GIL is released -------------------===//
#include "python/bindings/Interrupt.h"
#include <Python.h>
#include <torch/csrc/Exceptions.h>
#include <unistd.h>

using namespace neuron;

bool python::isInterrupted() {
  if (!Py_IsInitialized())
    return true;
  // Other threads must not wait for the GIL: who has it may wait for them.
  if (gettid() != getpid())
    return false;
  PyGILState_STATE state = PyGILState_Ensure();
  bool raised = PyErr_Occurred() || PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised;
}

void python::raiseInterrupt() {
  PyGILState_STATE state = PyGILState_Ensure();
  python_error error;
  error.persist();
  PyGILState_Release(state);
  throw error;
}

void python::installInterrupt(const hardware::Library &library) {
  if (library.api().simSetInterrupt)
    library.api().simSetInterrupt([](void *) { return int(isInterrupted()); },
                                  nullptr);
}

//===- Device.cpp - the NRT library of this process
//-----------------------------===//
#include "python/bindings/Device.h"
#include "python/bindings/Errors.h"
#include <Python.h>
#include <cstdlib>
#include <mutex>
#include <pybind11/pybind11.h>
#include <torch/version.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::python;
using hardware::Library;

/// Asked during executions, with the GIL released: has the user pressed Ctrl-C?
/// If so the exception is set on this thread and raised once the execution has
/// ended. Signals are handled by the main thread only.
static int interrupted(void *) {
  if (!Py_IsInitialized())
    return 1;
  PyGILState_STATE state = PyGILState_Ensure();
  int raised = PyErr_CheckSignals();
  PyGILState_Release(state);
  return raised;
}

const Library &python::device() {
  static std::mutex mutex;
  static const Library *ready = nullptr;
  std::lock_guard lock(mutex);
  if (ready)
    return *ready;
  const Result<Library> &library = Library::get();
  if (!library)
    throwExecutionError(library.message());
  NRT_STATUS status = library->api().init(NRT_FRAMEWORK_TYPE_PYTORCH,
                                          TORCH_VERSION, NEURON_MLIR_VERSION);
  if (status != NRT_SUCCESS)
    throwExecutionError(library->describe("nrt_init", status));
  if (library->api().simSetInterrupt)
    library->api().simSetInterrupt(interrupted, nullptr);
  ready = &*library;
  return *ready;
}

Model::Model(const std::string &neff, const std::string &form) {
  const Library &library = device();
  NRT_STATUS status;
  {
    py::gil_scoped_release release;
    static std::mutex mutex; // the form is a setting of the process
    std::lock_guard lock(mutex);
    if (library.api().simSetForm) {
      const char *inherited = std::getenv("NEURON_MLIR_SIMULATOR");
      std::string wanted = !form.empty() ? form
                           : inherited   ? inherited
                                         : "compiled";
      library.api().simSetForm(wanted == "interpreter" ? NEURON_SIM_INTERPRETER
                                                       : NEURON_SIM_COMPILED);
    }
    status = library.api().load(neff.data(), neff.size(), 0, 1, &model);
  }
  if (status != NRT_SUCCESS)
    throwExecutionError(library.describe("nrt_load", status));
}

Model::~Model() {
  if (model)
    Library::get()->api().unload(model);
}

void Binding::make(const std::vector<std::string> &names,
                   std::vector<nrt_tensor_t *> &tensors,
                   nrt_tensor_set_t *&set) {
  const Library &library = *Library::get();
  auto check = [&](const char *function, NRT_STATUS status) {
    if (status != NRT_SUCCESS && failure.empty())
      failure = library.describe(function, status);
    return status == NRT_SUCCESS;
  };
  if (!check("nrt_allocate_tensor_set", library.api().allocateTensorSet(&set)))
    return;
  for (const std::string &name : names) {
    nrt_tensor_t *tensor = nullptr;
    if (!check("nrt_tensor_allocate_empty",
               library.api().tensorAllocateEmpty(name.c_str(), &tensor)))
      return;
    tensors.push_back(tensor);
    if (!check("nrt_add_tensor_to_tensor_set",
               library.api().addTensorToTensorSet(set, name.c_str(), tensor)))
      return;
  }
}

Binding::Binding(const std::vector<std::string> &inputNames,
                 const std::vector<std::string> &outputNames) {
  make(inputNames, inputs, inputSet);
  if (ok())
    make(outputNames, outputs, outputSet);
}

Binding::~Binding() {
  const hardware::NrtApi &api = Library::get()->api();
  for (nrt_tensor_set_t *set : {inputSet, outputSet})
    if (set)
      api.destroyTensorSet(&set);
  for (auto *tensors : {&inputs, &outputs})
    for (nrt_tensor_t *tensor : *tensors)
      api.tensorFree(&tensor);
}

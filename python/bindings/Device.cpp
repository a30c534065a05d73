//===- Device.cpp - the NRT library of this process -----------------------===//
#include "python/bindings/Device.h"
#include "python/bindings/Errors.h"
#include "python/bindings/Interrupt.h"
#include <Python.h>
#include <mutex>
#include <pybind11/pybind11.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::python;
using hardware::Library;

const Library &python::nrtLibrary() {
  Result<const Library *> library = device::initialize();
  if (!library)
    throwExecutionError(library.message());
  static std::once_flag once;
  std::call_once(once, [&] { installInterrupt(**library); });
  return **library;
}

Model::Model(const std::string &neff, const std::string &form,
             const std::vector<device::SourceLine> &lines) {
  const Library &library = nrtLibrary();
  NRT_STATUS status;
  {
    py::gil_scoped_release release;
    status = device::loadInForm(neff.data(), neff.size(), 0, form, &model);
  }
  if (status != NRT_SUCCESS)
    throwExecutionError(library.describe("nrt_load", status));
  device::giveLines(model, lines);
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

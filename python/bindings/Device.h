//===- Device.h - the NRT library of this process ---------------*- C++ -*-===//
#pragma once
#include "runtime/device/Model.h"
#include "runtime/hardware/Library.h"
#include <memory>
#include <vector>

namespace neuron::python {

/// The library, initialized. Throws NEFFExecutionError. The GIL must be held.
const hardware::Library &nrtLibrary();

/// A model on the device.
class Model {
public:
  /// `form` is "", "interpreter" or "compiled". Throws NEFFExecutionError; the
  /// GIL must be held.
  Model(const std::string &neff, const std::string &form,
        const std::vector<device::SourceLine> &lines);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  nrt_model_t *handle() const { return model; }

private:
  nrt_model_t *model = nullptr;
};

/// Tensor objects and sets for one execution at a time; memory is attached anew
/// for each.
class Binding {
public:
  Binding(const std::vector<std::string> &inputs,
          const std::vector<std::string> &outputs);
  ~Binding();
  Binding(const Binding &) = delete;
  Binding &operator=(const Binding &) = delete;

  bool ok() const { return failure.empty(); }
  const std::string &message() const { return failure; }

  std::vector<nrt_tensor_t *> inputs, outputs;
  nrt_tensor_set_t *inputSet = nullptr, *outputSet = nullptr;

private:
  std::string failure;
  void make(const std::vector<std::string> &names,
            std::vector<nrt_tensor_t *> &tensors, nrt_tensor_set_t *&set);
};

} // namespace neuron::python

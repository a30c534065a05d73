//===- Executor.h - runs a compiled graph -----------------------*- C++ -*-===//
//
// The boxed callable behind a compiled graph. CPU tensors are attached where
// they lie as the NEFF wants them; others are copied first. Nothing of the
// caller's memory, and no copy of it, is kept after a call. Calls may come from
// several threads at once.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "python/bindings/Device.h"
#include "python/bindings/DeviceCall.h"
#include <ATen/core/TensorBody.h>
#include <atomic>
#include <mutex>
#include <pybind11/pybind11.h>

namespace neuron::python {

/// What happened since the start or the last reset; shown by
/// torch_neuronx.metrics.
struct Counters {
  std::atomic<uint64_t> calls, executions, bytesAttached, bytesCopiedIn,
      bytesCopiedBack;
};
Counters &counters();

class Executor {
public:
  /// Of each location id: the operation, file and line ("" and 0 if unknown).
  using Lines = std::vector<std::tuple<std::string, std::string, uint32_t>>;

  /// `plan` as Module.plan() gives it; the NEFF may be empty if nothing is to
  /// be computed.
  Executor(const std::string &neff, const pybind11::dict &plan,
           const std::string &form, const std::string &name,
           std::map<unsigned, std::string> places, const Lines &lines);

  /// Takes the inputs out of the list, returns a list of outputs.
  pybind11::list call(pybind11::list inputs);

  /// Predicted device time of one execution in picoseconds; None if the library
  /// cannot say.
  pybind11::object predictedTime() const;

private:
  /// The tensors of one call.
  struct Call;

  void takeInputs(pybind11::list &list, Call &call);
  void attach(nrt_tensor_t *tensor, const at::Tensor &memory, size_t bytes,
              Call &call);
  void execute(Call &call);
  void checkAssertions(const Call &call) const;
  std::unique_ptr<Binding> takeBinding();
  void giveBack(std::unique_ptr<Binding> binding);
  at::Tensor outputTensor(const device::PlanOutput &output,
                          const Call &call) const;

  /// Instead of all below, if a tensor is on the device.
  std::unique_ptr<DeviceCall> onDevice;
  device::Plan plan;
  std::vector<pybind11::object> values; ///< of outputs that are no tensors
  std::vector<std::string> resultNames;
  const hardware::NrtApi *api = nullptr;
  std::unique_ptr<Model> model;
  std::mutex mutex; ///< guards `idle`
  std::vector<std::unique_ptr<Binding>> idle;
};

void bindExecutor(pybind11::module_ &module);

} // namespace neuron::python

//===- Executor.h - runs a compiled graph -------------------------*- C++
//-*-===//
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
  /// `plan` as Module.plan() gives it; the NEFF may be empty if nothing is to
  /// be computed.
  Executor(const std::string &neff, const pybind11::dict &plan,
           const std::string &form, const std::string &name,
           std::map<unsigned, std::string> places);

  /// Takes the inputs out of the list, returns a list of outputs.
  pybind11::list call(pybind11::list inputs);

  /// Predicted device time of one execution in picoseconds; None if the library
  /// cannot say.
  pybind11::object predictedTime() const;

private:
  struct TensorSpec {
    c10::ScalarType dtype = c10::ScalarType::Float;
    std::vector<int64_t> shape, strides;
    int64_t offset = 0;
    size_t bytes = 0; ///< from the first to the last element
  };
  struct Input : TensorSpec {
    std::string name;
    bool isTensor = false;
    int argument = -1; ///< of the NEFF; -1: the device does not read it
  };
  struct ResultTensor : TensorSpec {
    std::string name;
    int mutatedInput = -1;
    int aliasedArgument = -1; ///< whose memory it is written into
  };
  struct Output : TensorSpec {
    enum class Kind : uint8_t {
      Value,
      Empty,
      Input,
      Result
    } kind = Kind::Value;
    unsigned index = 0;
    bool whole = false;
    pybind11::object value;
  };
  /// The tensors of one call.
  struct Call;

  static TensorSpec tensorSpec(const pybind11::handle &plan);
  void takeInputs(pybind11::list &list, Call &call);
  void attach(nrt_tensor_t *tensor, const at::Tensor &memory, size_t bytes,
              Call &call);
  void execute(Call &call);
  void checkAssertions(const Call &call) const;
  std::unique_ptr<Binding> takeBinding();
  void giveBack(std::unique_ptr<Binding> binding);
  at::Tensor outputTensor(const Output &output, const Call &call) const;

  /// Instead of all below, if a tensor is on the device.
  std::unique_ptr<DeviceCall> onDevice;
  std::vector<Input> inputs; ///< the caller's, and then random keys
  size_t callerInputs = 0;
  int64_t randomKeys = 0;
  std::vector<unsigned> arguments; ///< input of each argument of the NEFF
  std::vector<ResultTensor> results;
  std::vector<Output> outputs;
  struct Assertion {
    unsigned location;
    std::string message;
  };
  std::vector<Assertion> assertions; ///< bools of the last result
  std::vector<std::string> argumentNames, resultNames;
  const hardware::NrtApi *api = nullptr;
  std::unique_ptr<Model> model;
  std::mutex mutex; ///< guards `idle`
  std::vector<std::unique_ptr<Binding>> idle;
};

void bindExecutor(pybind11::module_ &module);

} // namespace neuron::python

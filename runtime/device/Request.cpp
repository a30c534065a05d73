//===- Request.cpp - one call of the runtime, on a stream's thread --------===//
#include "runtime/device/Request.h"
#include "runtime/device/Stream.h"

using namespace neuron;
using namespace neuron::device;

static bool finish(const char *function, NRT_STATUS status,
                   TaskFailure &failure) {
  if (status == NRT_SUCCESS)
    return true;
  failure.message = library().describe(function, status);
  failure.isIndexError =
      failure.message.find(": IndexError\n") != std::string::npos;
  return false;
}

bool device::runWrite(c10::DeviceIndex, nrt_tensor_t *target,
                      const void *source, size_t bytes, Span &,
                      TaskFailure &failure) {
  return finish("nrt_tensor_write",
                api().tensorWrite(target, source, 0, bytes), failure);
}

bool device::runRead(c10::DeviceIndex, nrt_tensor_t *source, void *target,
                     size_t bytes, Span &, TaskFailure &failure) {
  return finish("nrt_tensor_read", api().tensorRead(source, target, 0, bytes),
                failure);
}

bool device::runCopy(c10::DeviceIndex, nrt_tensor_t *source,
                     nrt_tensor_t *target, size_t bytes, Span &,
                     TaskFailure &failure) {
  return finish("nrt_tensor_copy",
                api().tensorCopy(source, 0, target, 0, bytes), failure);
}

bool device::runModel(c10::DeviceIndex, nrt_model_t *model,
                      nrt_tensor_set_t *inputs, nrt_tensor_set_t *outputs,
                      Span &span, TaskFailure &failure) {
  uint64_t begin = hostNow();
  if (!finish("nrt_execute", api().execute(model, inputs, outputs), failure))
    return false;
  uint64_t picoseconds = 0;
  if (api().simPredictedTimePs &&
      api().simPredictedTimePs(model, &picoseconds) == NRT_SUCCESS)
    span = {begin, begin + picoseconds / 1000};
  return true;
}

//===- Request.h - one call of the runtime, on a stream's thread *- C++ -*-===//
//
// Where the asynchronous API of the library is used if it has one, so that its
// traces show the queues, and the synchronous one if not. Each returns when the
// device is done, with the predicted time that it took.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/device/Runtime.h"
#include "runtime/device/Task.h"

namespace neuron::device {

bool runWrite(c10::DeviceIndex core, nrt_tensor_t *target, const void *source,
              size_t bytes, Span &span, TaskFailure &failure);
bool runRead(c10::DeviceIndex core, nrt_tensor_t *source, void *target,
             size_t bytes, Span &span, TaskFailure &failure);
bool runCopy(c10::DeviceIndex core, nrt_tensor_t *source, nrt_tensor_t *target,
             size_t bytes, Span &span, TaskFailure &failure);
bool runModel(c10::DeviceIndex core, nrt_model_t *model,
              nrt_tensor_set_t *inputs, nrt_tensor_set_t *outputs, Span &span,
              TaskFailure &failure);

} // namespace neuron::device

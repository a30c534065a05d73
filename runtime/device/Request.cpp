//===- Request.cpp - one call of the runtime, on a stream's thread --------===//
#include "runtime/device/Request.h"
#include <c10/util/Exception.h>
#include <chrono>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

using namespace neuron;
using namespace neuron::device;

namespace {

/// Which of a core's two queues for transfers.
constexpr int kWriteQueue = 0, kReadQueue = 1, kComputeQueue = 0;

bool fail(TaskFailure &failure, std::string message) {
  failure.message = std::move(message);
  failure.isIndexError =
      failure.message.find(": IndexError\n") != std::string::npos;
  return false;
}

/// Told of completions; one for each thread.
class Bell {
public:
  Bell() : descriptor(eventfd(0, EFD_CLOEXEC)) {
    TORCH_CHECK(descriptor >= 0, "no eventfd: too many open files?");
  }
  ~Bell() { close(descriptor); }
  void wait(nrta_seq_t sequence) {
    bool done = false;
    // An answer of the runtime, not of the bell alone, orders what this thread
    // does next behind the request on the simulated clock.
    while (api().asyncIsCompleted(sequence, &done) == NRT_SUCCESS && !done) {
      api().asyncRegisterSeqCompletion(sequence, descriptor);
      uint64_t count = 0;
      (void)!read(descriptor, &count, sizeof(count));
    }
  }

private:
  int descriptor;
};

/// Schedules a request and waits for it. Nothing else waits in the queues of a
/// stream's thread; full ones are other streams'.
template <typename Schedule>
bool runAsync(const char *function, Span &span, TaskFailure &failure,
              Schedule schedule) {
  NRT_STATUS done = NRT_SUCCESS;
  nrta_seq_t sequence = 0;
  NRT_STATUS status;
  while ((status = schedule(&done, &sequence)) == NRT_QUEUE_FULL)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (status != NRT_SUCCESS)
    return fail(failure, library().describe(function, status));
  thread_local Bell bell;
  bell.wait(sequence);
  if (done != NRT_SUCCESS) {
    std::string text =
        std::string(function) + " failed with " + hardware::nameOf(done);
    char reason[4096] = "";
    if (api().simRequestError &&
        api().simRequestError(sequence, reason, sizeof(reason)) ==
            NRT_SUCCESS &&
        *reason)
      text += std::string(": ") + reason;
    return fail(failure, std::move(text));
  }
  if (api().simRequestSpan)
    api().simRequestSpan(sequence, &span.start, &span.end);
  return true;
}

bool runSync(const char *function, NRT_STATUS status, Span &span,
             TaskFailure &failure) {
  if (status != NRT_SUCCESS)
    return fail(failure, library().describe(function, status));
  if (api().simLastSpan)
    api().simLastSpan(&span.start, &span.end);
  return true;
}

} // namespace

bool device::runWrite(c10::DeviceIndex core, nrt_tensor_t *target,
                      const void *source, size_t bytes, Span &span,
                      TaskFailure &failure) {
  if (!library().hasAsync())
    return runSync("nrt_tensor_write",
                   api().tensorWrite(target, source, 0, bytes), span, failure);
  return runAsync("nrta_tensor_write", span, failure,
                  [&](auto *ret, auto *seq) {
                    return api().asyncTensorWrite(target, source, 0, bytes,
                                                  core, kWriteQueue, ret, seq);
                  });
}

bool device::runRead(c10::DeviceIndex core, nrt_tensor_t *source, void *target,
                     size_t bytes, Span &span, TaskFailure &failure) {
  if (!library().hasAsync())
    return runSync("nrt_tensor_read",
                   api().tensorRead(source, target, 0, bytes), span, failure);
  return runAsync("nrta_tensor_read", span, failure, [&](auto *ret, auto *seq) {
    return api().asyncTensorRead(target, source, 0, bytes, core, kReadQueue,
                                 ret, seq);
  });
}

bool device::runCopy(c10::DeviceIndex, nrt_tensor_t *source,
                     nrt_tensor_t *target, size_t bytes, Span &span,
                     TaskFailure &failure) {
  if (!library().hasAsync())
    return runSync("nrt_tensor_copy",
                   api().tensorCopy(source, 0, target, 0, bytes), span,
                   failure);
  return runAsync("nrta_tensor_copy", span, failure, [&](auto *ret, auto *seq) {
    return api().asyncTensorCopy(source, 0, target, 0, bytes, kWriteQueue, ret,
                                 seq);
  });
}

bool device::runModel(c10::DeviceIndex, nrt_model_t *model,
                      nrt_tensor_set_t *inputs, nrt_tensor_set_t *outputs,
                      Span &span, TaskFailure &failure) {
  if (!library().hasAsync())
    return runSync("nrt_execute", api().execute(model, inputs, outputs), span,
                   failure);
  return runAsync("nrta_execute_schedule", span, failure,
                  [&](auto *ret, auto *seq) {
                    return api().asyncExecuteSchedule(model, inputs, outputs,
                                                      kComputeQueue, ret, seq);
                  });
}

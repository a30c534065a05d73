//===- ApiAsync.cpp - scheduling, and asking for completion ---------------===//
#include "nrt/neuron_sim.h"
#include "nrt/nrt_async.h"
#include "runtime/core/Execution.h"
#include "runtime/core/Transfer.h"
#include "runtime/core/async/RequestQueues.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>

using namespace neuron;
using namespace neuron::nrt;

namespace {

/// The body of a call that needs the queues.
template <typename Body>
NRT_STATUS callAsync(const char *function, Body body) noexcept {
  return call(function, [&](Runtime &state) -> NRT_STATUS {
    if (RequestQueues::isForked())
      return fail(NRT_FAILURE, "this process was forked after nrt_init, and "
                               "the threads that run requests did not come "
                               "along; call nrt_close and nrt_init here");
    return body(state);
  });
}

NRT_STATUS findQueue(const Runtime &state, int64_t core, nrta_xu_t unit,
                     int queue, RequestQueue *&result) {
  result = state.queues->find(core, unit, queue);
  if (result)
    return NRT_SUCCESS;
  if (core < 0 || core >= int64_t(state.cores.size()))
    return fail(NRT_INVALID, "there is no core " + std::to_string(core) +
                                 "; this process sees " +
                                 std::to_string(state.cores.size()));
  return fail(NRT_INVALID, "execution unit " + std::to_string(unit) +
                               " has no queue " + std::to_string(queue) +
                               "; it has " +
                               std::to_string(RequestQueues::numQueues(unit)));
}

NRT_STATUS findRequest(const Runtime &state, nrta_seq_t seq,
                       RequestQueue *&result) {
  result = state.queues->of(seq);
  if (result && result->state(seq) != RequestQueue::Known::NeverScheduled)
    return NRT_SUCCESS;
  return fail(NRT_INVALID,
              "no request has the sequence number " + std::to_string(seq));
}

NRT_STATUS checkAnswers(const NRT_STATUS *ret, const nrta_seq_t *seq) {
  if (!ret)
    return nullArgument("the place of the request's status");
  if (!seq)
    return nullArgument("the place of the sequence number");
  return NRT_SUCCESS;
}

NRT_STATUS submit(const Runtime &state, const char *function, int64_t core,
                  int queue, Transfer transfer, NRT_STATUS *ret,
                  nrta_seq_t *seq) {
  if (transfer.core && int64_t(transfer.core->index) != core)
    return fail(NRT_INVALID, "the tensor is on core " +
                                 std::to_string(transfer.core->index) +
                                 ", but the request is for core " +
                                 std::to_string(core));
  RequestQueue *found;
  if (NRT_STATUS status =
          findQueue(state, core, NRTA_XU_TENSOR_OP, queue, found);
      status != NRT_SUCCESS)
    return status;
  auto shared = std::make_shared<const Transfer>(std::move(transfer));
  Request request;
  request.function = function;
  request.ret = ret;
  request.submitted = submissionTime();
  request.carryOut = [shared](uint64_t earliest, const std::atomic<bool> &,
                              std::optional<Span> &span) {
    span = shared->carryOut(earliest);
    return NRT_SUCCESS;
  };
  return found->submit(std::move(request), seq);
}

/// An execution that is bound and waits.
struct Scheduled {
  std::shared_ptr<Model> model;
  Binding binding;
};

NRT_STATUS submit(const Runtime &state, const char *function,
                  Scheduled scheduled, int queue, NRT_STATUS *ret,
                  nrta_seq_t *seq) {
  RequestQueue *found;
  if (NRT_STATUS status = findQueue(state, scheduled.model->core->index,
                                    NRTA_XU_COMPUTE, queue, found);
      status != NRT_SUCCESS)
    return status;
  auto shared = std::make_shared<Scheduled>(std::move(scheduled));
  Request request;
  request.function = function;
  request.ret = ret;
  request.submitted = submissionTime();
  request.carryOut = [shared, config = &state.config](
                         uint64_t earliest, const std::atomic<bool> &stopping,
                         std::optional<Span> &span) {
    return executeModel(*shared->model, shared->binding,
                        {.seconds = config->execTimeout,
                         .stopping = &stopping,
                         .deadlock = NRT_EXEC_UNIT_UNRECOVERABLE},
                        {*config, earliest}, span);
  };
  return found->submit(std::move(request), seq);
}

/// A descriptor of our own for the client's eventfd, or -1 for -1.
NRT_STATUS duplicate(int event, int &result) {
  result = event < 0 ? -1 : fcntl(event, F_DUPFD_CLOEXEC, 0);
  if (event >= 0 && result < 0)
    return fail(NRT_INVALID, std::to_string(event) +
                                 " is no eventfd: " + std::strerror(errno));
  return NRT_SUCCESS;
}

/// The text for what a queue knows of a request that it cannot tell more of.
NRT_STATUS refuse(RequestQueue::Known known, nrta_seq_t seq) {
  std::string name = "request " + std::to_string(seq);
  if (known == RequestQueue::Known::Pending)
    return fail(NRT_INVALID, name + " has not completed");
  return fail(NRT_INVALID, name + " completed too long ago to be known");
}

} // namespace

NRT_STATUS nrta_tensor_write(nrt_tensor_t *tensor, const void *buffer,
                             uint64_t offset, uint64_t size, int lnc, int queue,
                             NRT_STATUS *ret, nrta_seq_t *seq) {
  return callAsync(__func__, [&](Runtime &state) {
    NRT_STATUS status = checkAnswers(ret, seq);
    Transfer transfer;
    if (status == NRT_SUCCESS)
      status = prepareWrite(state, tensor, buffer, offset, size, transfer);
    if (status == NRT_SUCCESS)
      status = submit(state, "nrta_tensor_write", lnc, queue,
                      std::move(transfer), ret, seq);
    return status;
  });
}

NRT_STATUS nrta_tensor_read(void *buffer, nrt_tensor_t *tensor, uint64_t offset,
                            uint64_t size, int lnc, int queue, NRT_STATUS *ret,
                            nrta_seq_t *seq) {
  return callAsync(__func__, [&](Runtime &state) {
    NRT_STATUS status = checkAnswers(ret, seq);
    Transfer transfer;
    if (status == NRT_SUCCESS)
      status = prepareRead(state, tensor, buffer, offset, size, transfer);
    if (status == NRT_SUCCESS)
      status = submit(state, "nrta_tensor_read", lnc, queue,
                      std::move(transfer), ret, seq);
    return status;
  });
}

NRT_STATUS nrta_tensor_copy(nrt_tensor_t *source, uint64_t sourceOffset,
                            nrt_tensor_t *destination, uint64_t offset,
                            uint64_t size, int queue, NRT_STATUS *ret,
                            nrta_seq_t *seq) {
  return callAsync(__func__, [&](Runtime &state) {
    NRT_STATUS status = checkAnswers(ret, seq);
    Transfer transfer;
    if (status == NRT_SUCCESS)
      status = prepareCopy(state, source, sourceOffset, destination, offset,
                           size, transfer);
    if (status != NRT_SUCCESS)
      return status;
    if (!transfer.core)
      return fail(NRT_INVALID, "neither tensor is on a device: there is no "
                               "queue for the copy; use nrt_tensor_copy");
    int64_t core = transfer.core->index;
    return submit(state, "nrta_tensor_copy", core, queue, std::move(transfer),
                  ret, seq);
  });
}

NRT_STATUS nrta_execute_schedule(nrt_model_t *model,
                                 const nrt_tensor_set_t *inputs,
                                 nrt_tensor_set_t *outputs, int queue,
                                 NRT_STATUS *ret, nrta_seq_t *seq) {
  return callAsync(__func__, [&](Runtime &state) {
    profile::Scope scope(profile::EventType::NrtaExecuteSchedule);
    Scheduled scheduled;
    scheduled.model = state.models.find(model);
    if (!scheduled.model)
      return badHandle("model");
    auto foundInputs = state.sets.find(inputs);
    auto foundOutputs = state.sets.find(outputs);
    if (!foundInputs || !foundOutputs)
      return badHandle("tensor set");
    if (scope)
      describe(scope, *scheduled.model);
    NRT_STATUS status = checkAnswers(ret, seq);
    if (status == NRT_SUCCESS)
      status = bindTensors(*scheduled.model, *foundInputs, *foundOutputs,
                           scheduled.binding);
    if (status == NRT_SUCCESS)
      status = submit(state, "nrta_execute_schedule", std::move(scheduled),
                      queue, ret, seq);
    if (scope && status == NRT_SUCCESS)
      scope->sequence = *seq;
    return status;
  });
}

NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool *isCompleted) {
  return callAsync(__func__, [&](Runtime &state) {
    if (!isCompleted)
      return nullArgument("the result");
    RequestQueue *queue;
    if (NRT_STATUS status = findRequest(state, seq, queue);
        status != NRT_SUCCESS)
      return status;
    *isCompleted = queue->state(seq) == RequestQueue::Known::Completed;
    if (*isCompleted)
      queue->seeEndOf(seq);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrta_get_sequence(uint32_t lnc, nrta_xu_t unit, int queue,
                             nrta_seq_t *seq) {
  return callAsync(__func__, [&](Runtime &state) {
    if (!seq)
      return nullArgument("the result");
    RequestQueue *found;
    if (NRT_STATUS status = findQueue(state, lnc, unit, queue, found);
        status != NRT_SUCCESS)
      return status;
    *seq = found->lastCompleted();
    found->seeEndOf(*seq);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrta_event_register_seq_id_completion(nrta_seq_t seq, int efd) {
  return callAsync(__func__, [&](Runtime &state) {
    RequestQueue *queue;
    if (NRT_STATUS status = findRequest(state, seq, queue);
        status != NRT_SUCCESS)
      return status;
    int event;
    if (NRT_STATUS status = duplicate(efd, event); status != NRT_SUCCESS)
      return status;
    queue->notifyOne(seq, event);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrta_event_register_xu_completion(int lnc, nrta_xu_t unit, int queue,
                                             int efd) {
  return callAsync(__func__, [&](Runtime &state) {
    RequestQueue *found;
    if (NRT_STATUS status = findQueue(state, lnc, unit, queue, found);
        status != NRT_SUCCESS)
      return status;
    int event;
    if (NRT_STATUS status = duplicate(efd, event); status != NRT_SUCCESS)
      return status;
    found->notifyEach(event);
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_request_span(uint64_t seq, uint64_t *start,
                                   uint64_t *end) {
  return callAsync(__func__, [&](Runtime &state) {
    if (!start || !end)
      return nullArgument("a result");
    RequestQueue *queue;
    if (NRT_STATUS status = findRequest(state, seq, queue);
        status != NRT_SUCCESS)
      return status;
    std::optional<Span> span;
    if (auto known = queue->span(seq, span);
        known != RequestQueue::Known::Completed)
      return refuse(known, seq);
    if (!span)
      return fail(NRT_FAILURE, "request " + std::to_string(seq) +
                                   " failed: it has no place on the timeline");
    *start = span->start;
    *end = span->end;
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_last_span(uint64_t *start, uint64_t *end) {
  return call(__func__, [&](Runtime &) {
    if (!start || !end)
      return nullArgument("a result");
    auto span = lastSpan();
    if (!span)
      return fail(NRT_INVALID,
                  "this thread has executed or transferred nothing, "
                  "or an execution failed");
    *start = span->start;
    *end = span->end;
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_request_error(uint64_t seq, char *buffer, size_t size) {
  return callAsync(__func__, [&](Runtime &state) {
    if (!buffer || size == 0)
      return nullArgument("the buffer");
    RequestQueue *queue;
    if (NRT_STATUS status = findRequest(state, seq, queue);
        status != NRT_SUCCESS)
      return status;
    std::string text;
    if (auto known = queue->error(seq, text);
        known != RequestQueue::Known::Completed)
      return refuse(known, seq);
    size_t length = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = 0;
    return NRT_SUCCESS;
  });
}

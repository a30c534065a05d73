//===- RequestQueue.cpp - a queue of an execution unit --------------------===//
#include "runtime/core/async/RequestQueue.h"
#include "runtime/core/Runtime.h"
#include "runtime/profile/Recorder.h"
#include <system_error>
#include <unistd.h>

namespace neuron::nrt {
namespace {

void signal(int event) {
  if (event < 0)
    return;
  uint64_t one = 1;
  if (write(event, &one, sizeof(one)) != sizeof(one))
    log(LogLevel::Warning, currentFunction(),
        "an eventfd could not be signalled");
}

void closeEvent(int event) {
  if (event >= 0)
    close(event);
}

} // namespace

void RequestQueue::stop() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
}

RequestQueue::~RequestQueue() {
  stop();
  if (thread.joinable())
    thread.join();
  closeEvent(eachEvent);
  for (auto &[count, event] : oneEvents)
    closeEvent(event);
}

NRT_STATUS RequestQueue::submit(Request request, nrta_seq_t *seq) {
  std::lock_guard lock(mutex);
  if (dead)
    return fail(NRT_EXEC_UNIT_UNRECOVERABLE,
                "an earlier request left this execution unit unusable; call "
                "nrt_close and nrt_init");
  if (issued - completed >= depth)
    // Clients try until there is room: no matter for the log.
    return failQuietly(NRT_QUEUE_FULL,
                       std::to_string(depth) +
                           " requests of this queue have not completed, which "
                           "is the most; wait for one");
  if (!thread.joinable()) {
    try {
      thread = std::thread([this] { work(); });
    } catch (const std::system_error &error) {
      return fail(NRT_RESOURCE,
                  std::string("no thread for the queue: ") + error.what());
    }
  }
  *seq = request.seq = first + ++issued;
  waiting.push_back(std::move(request));
  wake.notify_one();
  return NRT_SUCCESS;
}

void RequestQueue::work() {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stopping || !waiting.empty(); });
    if (waiting.empty())
      return;
    std::optional<Request> request(std::move(waiting.front()));
    waiting.pop_front();
    lock.unlock();

    enter(request->function);
    std::string error;
    std::optional<Span> span;
    NRT_STATUS status = carryOut(*request, span, error);
    if (span)
      previousEnd = span->end;
    NRT_STATUS *ret = request->ret;
    // Its memory is free when its completion is seen.
    {
      profile::SequenceScope sequence(request->seq);
      request.reset();
    }
    *ret = status;

    lock.lock();
    complete(status, std::move(error), span);
  }
}

NRT_STATUS RequestQueue::carryOut(Request &request, std::optional<Span> &span,
                                  std::string &error) {
  profile::SequenceScope sequence(request.seq);
  NRT_STATUS status;
  if (stopping)
    status = failQuietly(NRT_CLOSED, "nrt_close came before the request");
  else if (dead) // only this thread writes it
    status = failQuietly(NRT_EXEC_UNIT_UNRECOVERABLE,
                         "an earlier request left this execution unit "
                         "unusable; call nrt_close and nrt_init");
  else
    status = guarded(request.function, [&] {
      return request.carryOut(std::max(request.submitted, previousEnd),
                              stopping, span);
    });
  if (status != NRT_SUCCESS)
    error = lastError();
  return status;
}

void RequestQueue::complete(NRT_STATUS status, std::string error,
                            const std::optional<Span> &span) {
  uint64_t count = completed + 1;
  dead |= status == NRT_EXEC_UNIT_UNRECOVERABLE;
  if (spans.size() < kSpansKept)
    spans.push_back(span);
  else
    spans[(count - 1) % kSpansKept] = span;
  if (status != NRT_SUCCESS) {
    errors.emplace(count, std::move(error));
    if (errors.size() > kErrorsKept) {
      errorsForgotten = errors.begin()->first;
      errors.erase(errors.begin());
    }
  }
  completed.store(count, std::memory_order_release);
  // Under the lock: a descriptor that was taken back is not signalled later.
  signal(eachEvent);
  if (auto node = oneEvents.extract(count)) {
    signal(node.mapped());
    closeEvent(node.mapped());
  }
}

bool RequestQueue::isIssued(nrta_seq_t seq) const {
  uint64_t count = seq & kCountMask;
  return count >= 1 && count <= issued;
}

RequestQueue::Known RequestQueue::state(nrta_seq_t seq) const {
  // The common answer without the lock: clients poll.
  uint64_t count = seq & kCountMask;
  if (count >= 1 && count <= completed.load(std::memory_order_acquire))
    return Known::Completed;
  std::lock_guard lock(mutex);
  if (!isIssued(seq))
    return Known::NeverScheduled;
  return count <= completed ? Known::Completed : Known::Pending;
}

RequestQueue::Known RequestQueue::span(nrta_seq_t seq,
                                       std::optional<Span> &span) const {
  Known known = state(seq);
  if (known != Known::Completed)
    return known;
  std::lock_guard lock(mutex);
  uint64_t count = seq & kCountMask;
  if (completed - count >= kSpansKept)
    return Known::Forgotten;
  span = spans[(count - 1) % kSpansKept];
  return Known::Completed;
}

RequestQueue::Known RequestQueue::error(nrta_seq_t seq,
                                        std::string &text) const {
  Known known = state(seq);
  if (known != Known::Completed)
    return known;
  std::lock_guard lock(mutex);
  uint64_t count = seq & kCountMask;
  auto at = errors.find(count);
  if (at != errors.end())
    text = at->second;
  else if (count <= errorsForgotten)
    return Known::Forgotten;
  return Known::Completed;
}

void RequestQueue::seeEndOf(nrta_seq_t seq) const {
  std::optional<Span> place;
  if (span(seq, place) == Known::Completed && place)
    seeEnd(place->end);
}

void RequestQueue::notifyEach(int event) {
  std::lock_guard lock(mutex);
  closeEvent(eachEvent);
  eachEvent = event;
}

bool RequestQueue::notifyOne(nrta_seq_t seq, int event) {
  std::lock_guard lock(mutex);
  if (!isIssued(seq)) {
    closeEvent(event);
    return false;
  }
  uint64_t count = seq & kCountMask;
  if (count <= completed) {
    signal(event);
    closeEvent(event);
    return true;
  }
  if (auto node = oneEvents.extract(count))
    closeEvent(node.mapped());
  if (event >= 0)
    oneEvents.emplace(count, event);
  return true;
}

} // namespace neuron::nrt

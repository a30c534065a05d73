//===- RequestQueue.h - a queue of an execution unit ------------*- C++ -*-===//
//
// First in, first out, with a thread of its own from the first request on.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/core/async/Request.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace neuron::nrt {

/// Of the 64 bits of a sequence number the lower 48 count.
constexpr unsigned kCountBits = 48;
constexpr uint64_t kCountMask = (uint64_t(1) << kCountBits) - 1;

class RequestQueue {
public:
  /// `id` is the upper part of its sequence numbers.
  RequestQueue(uint16_t id, size_t depth)
      : first(uint64_t(id) << kCountBits), depth(depth) {}
  /// Stops, and waits for the thread.
  ~RequestQueue();
  /// What runs is ended early, what waits completes with NRT_CLOSED.
  void stop();

  /// *seq is written before the request can complete. NRT_QUEUE_FULL;
  /// NRT_EXEC_UNIT_UNRECOVERABLE; NRT_RESOURCE if there can be no thread.
  NRT_STATUS submit(Request request, nrta_seq_t *seq);

  nrta_seq_t lastCompleted() const {
    return first | completed.load(std::memory_order_acquire);
  }

  /// What the next three say of a request.
  enum class Known { NeverScheduled, Pending, Completed, Forgotten };

  Known state(nrta_seq_t seq) const;
  /// `span` is empty if the request has no place.
  Known span(nrta_seq_t seq, std::optional<Span> &span) const;
  Known error(nrta_seq_t seq, std::string &text) const;

  /// The calling thread has seen the simulated clock at the end of a request
  /// that has completed.
  void seeEndOf(nrta_seq_t seq) const;

  /// Takes over the descriptor; closes the one before. -1: none.
  void notifyEach(int event);
  /// The same for one request, at once if it has completed. False if there is
  /// no such request.
  bool notifyOne(nrta_seq_t seq, int event);

  static constexpr size_t kSpansKept = 65536, kErrorsKept = 1024;

private:
  void work();
  /// Carries the request out, unless the queue ends, and says what it came to.
  NRT_STATUS carryOut(Request &request, std::optional<Span> &span,
                      std::string &error);
  void complete(NRT_STATUS status, std::string error,
                const std::optional<Span> &span);
  bool isIssued(nrta_seq_t seq) const;

  const uint64_t first; ///< the sequence number before the first
  const size_t depth;

  mutable std::mutex mutex; ///< guards everything below
  std::condition_variable wake;
  std::deque<Request> waiting; ///< without the one that runs
  uint64_t issued = 0;
  std::atomic<uint64_t> completed = 0; ///< read without the mutex, too
  std::atomic<bool> stopping = false;
  bool dead = false;                      ///< after NRT_EXEC_UNIT_UNRECOVERABLE
  std::vector<std::optional<Span>> spans; ///< a ring, by count
  std::map<uint64_t, std::string> errors; ///< by count
  uint64_t errorsForgotten = 0;           ///< count of the last one dropped
  int eachEvent = -1;                     ///< owned
  std::map<uint64_t, int> oneEvents;      ///< by count; owned
  std::thread thread;

  uint64_t previousEnd = 0; ///< the worker's: end of the request before
};

} // namespace neuron::nrt

//===- RequestQueues.h - the queues of all cores ----------------*- C++ -*-===//
#pragma once
#include "runtime/core/async/RequestQueue.h"
#include <array>
#include <memory>

namespace neuron::nrt {

class RequestQueues {
public:
  RequestQueues(size_t cores, size_t computeDepth);
  /// Stops all of them, then waits for their threads.
  ~RequestQueues();

  /// Null if there is no such queue.
  RequestQueue *find(int64_t core, nrta_xu_t unit, int queue) const;
  /// The one that gave this number; null if none did.
  RequestQueue *of(nrta_seq_t seq) const;

  /// How many queues a unit has.
  static int numQueues(nrta_xu_t unit);

  /// Whether this process was forked from the one whose threads these are.
  static bool isForked();
  /// After nrt_init: threads are this process's from now on.
  static void claim();

private:
  std::vector<std::unique_ptr<RequestQueue>> queues; ///< by number, from 0
};

} // namespace neuron::nrt

//===- Request.h - what waits in a queue ------------------------*- C++ -*-===//
#pragma once
#include "nrt/nrt_async.h"
#include "runtime/core/Clock.h"
#include <atomic>
#include <functional>
#include <optional>

namespace neuron::nrt {

/// A scheduled transfer or execution. What it holds lives until it has run.
struct Request {
  const char *function; ///< that scheduled it, for the log
  NRT_STATUS *ret;      ///< the client's
  uint64_t submitted;   ///< simulated time
  /// Ends early, with any failure, once the flag is set. If it succeeds, it
  /// has a place on the timeline, not before `earliest`, if that can be told.
  std::function<NRT_STATUS(uint64_t earliest, const std::atomic<bool> &stopping,
                           std::optional<Span> &place)>
      carryOut;
  nrta_seq_t seq = 0;
};

} // namespace neuron::nrt

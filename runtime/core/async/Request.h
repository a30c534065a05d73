//===- Request.h - what waits in a queue ---------------------------*- C++
//-*-===//
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
  /// Ends early, with any failure, once the flag is set.
  std::function<NRT_STATUS(const std::atomic<bool> &stopping)> run;
  /// Not before `earliest`; empty if its time cannot be predicted. Called once,
  /// after `run` has succeeded.
  std::function<std::optional<Span>(uint64_t earliest)> place;
};

} // namespace neuron::nrt

//===- Task.h - one thing that a stream does --------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <c10/core/Device.h>
#include <cstdint>
#include <memory>
#include <string>

namespace neuron::device {

/// A line of the user's program; the file's name lives for ever.
struct Place {
  const char *file = nullptr;
  int line = 0;
};

/// A stretch of the simulated clock: nanoseconds since the Unix epoch. Empty if
/// the library does not say.
struct Span {
  uint64_t start = 0, end = 0;
  bool known() const { return end != 0; }
};

/// Why a task failed.
struct TaskFailure {
  std::string message;
  bool isIndexError = false; ///< an index out of range, as eager reports it
};

/// Runs on the stream's thread, without the GIL.
class Task {
public:
  enum class Kind : uint8_t { Execute, Write, Read, Copy, Mark, Wait };

  Task(Kind kind, const char *name, size_t bytes = 0)
      : kind(kind), name(name), bytes(bytes) {}
  virtual ~Task() = default;
  Task(const Task &) = delete;
  Task &operator=(const Task &) = delete;

  /// Does it, and says where on the simulated clock it was. `now`: the
  /// simulated time at which the stream has done what came before.
  virtual bool run(uint64_t now, Span &span, TaskFailure &failure) = 0;

  const Kind kind;
  const char *name; ///< "aten::add"; lives for ever
  size_t bytes;     ///< moved by a transfer
  Place place;      ///< who asked for it
  int thread = 0;   ///< and its thread
  /// Host times, nanoseconds since the Unix epoch: asked for, and in the queue.
  uint64_t submitted = 0, enqueued = 0;
  uint64_t correlation = 0; ///< of the profiler; 0: it is not on
};

} // namespace neuron::device

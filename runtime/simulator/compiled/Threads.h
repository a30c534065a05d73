//===- Threads.h - the threads that partitions are spread over --*- C++ -*-===//
//
// Results do not depend on the number of threads: a partition is computed by
// one of them, and segments follow each other.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <functional>

namespace neuron::simulator::compiled {

/// Threads that one run may use; 0: what OMP_NUM_THREADS says, or else all that
/// the process may run on.
void setThreadLimit(unsigned threads);
unsigned threadLimit();

/// Elements that make a thread worth its start. Tests set less.
void setWorkPerThread(int64_t elements);
int64_t workPerThread();

/// Runs body(i) for all i in [0, count), i = 0 in the calling thread. While the
/// caller waits for the others it calls `wait`, several times a second.
/// Concurrent calls are allowed; those that find the helpers busy run alone.
void runParallel(unsigned count, const std::function<void(unsigned)> &body,
                 const std::function<void()> &wait);

} // namespace neuron::simulator::compiled

//===- Clock.cpp - places on the device's timeline ------------------------===//
#include "runtime/core/Clock.h"
#include <algorithm>
#include <ctime>

namespace neuron::nrt {
namespace {

thread_local uint64_t seen = 0;
thread_local std::optional<Span> last;

} // namespace

Span DeviceClock::place(Lane lane, uint64_t earliest, uint64_t picoseconds) {
  // Rounded by itself, so that equal work has equal spans.
  uint64_t duration = picoseconds / 1000 + (picoseconds % 1000 >= 500);
  std::lock_guard lock(mutex);
  uint64_t &free = freeFrom[static_cast<unsigned>(lane)];
  Span span;
  span.start = std::max(earliest, free);
  span.end = free = span.start + duration;
  return span;
}

uint64_t hostNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

uint64_t submissionTime() { return std::max(hostNow(), seen); }
void seeEnd(uint64_t end) { seen = std::max(seen, end); }

void setLastSpan(const std::optional<Span> &span) {
  last = span;
  if (span)
    seeEnd(span->end);
}
std::optional<Span> lastSpan() { return last; }

} // namespace neuron::nrt

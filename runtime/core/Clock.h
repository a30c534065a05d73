//===- Clock.h - places on the device's timeline ----------------*- C++ -*-===//
//
// The device is simulated at another speed than it has. So that a profile shows
// what a Trainium would do, each piece of its work is put on a timeline of its
// own, which begins at this computer's clock: work starts when the host asked
// for it, or when the part of the core that does it is free, and takes the
// predicted time. A thread that waited for work has seen the simulated clock at
// its end: what it submits next is not placed before that, however fast the
// simulation was.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

namespace neuron::nrt {

/// Nanoseconds of CLOCK_REALTIME.
struct Span {
  uint64_t start = 0, end = 0;
};

/// What of a core does one thing at a time.
enum class Lane : uint8_t { Compute, HostToDevice, DeviceToHost, OnDevice };
constexpr unsigned kNumLanes = 4;

/// A core's timeline.
class DeviceClock {
public:
  /// The next free span of that length, from `earliest` on.
  Span place(Lane lane, uint64_t earliest, uint64_t picoseconds);

private:
  std::mutex mutex;
  std::array<uint64_t, kNumLanes> freeFrom{};
};

uint64_t hostNow();

/// When work that this thread asks for now is submitted.
uint64_t submissionTime();
/// This thread knows that something ended then.
void seeEnd(uint64_t end);

/// This thread's last synchronous execution or transfer: for
/// neuron_sim_last_span.
void setLastSpan(const std::optional<Span> &span);
std::optional<Span> lastSpan();

} // namespace neuron::nrt

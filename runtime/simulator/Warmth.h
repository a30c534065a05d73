//===- Warmth.h - the rate of the Tensor engine -----------------*- C++ -*-===//
//
// The engine starts throttled, gets its full rate when it has been active for a
// window of time, and loses it when it is used less than half the time. Here
// activity and idleness are balanced: heat rises with one and falls with the
// other, between 0 and the window; the rate changes at the ends.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <algorithm>
#include <cstdint>

namespace neuron::simulator {

class Warmth {
public:
  Warmth() = default;
  /// That of an idle engine: what `idle(now)` said.
  Warmth(int64_t heat, int64_t now, bool isWarm)
      : heat(heat), busyUntil(now), isWarm(isWarm) {}

  /// The same rates from `now` on, for an engine that has nothing to do then.
  Warmth idle(int64_t now) const {
    int64_t left =
        std::max<int64_t>(0, heat - std::max<int64_t>(0, now - busyUntil));
    return {left, now, left != 0 && isWarm};
  }
  int64_t stored() const { return heat; }
  bool warm() const { return isWarm; }

  /// Whether an instruction that starts now is throttled; it keeps the engine
  /// busy for `busy` of the rate's two times.
  bool start(int64_t now, int64_t window, int64_t busyCold, int64_t busyWarm) {
    heat = std::max<int64_t>(0, heat - std::max<int64_t>(0, now - busyUntil));
    isWarm = heat == 0 ? false : isWarm || heat == window;
    int64_t busy = isWarm ? busyWarm : busyCold;
    heat = std::min(window, heat + busy);
    busyUntil = now + busy;
    return !isWarm;
  }

private:
  int64_t heat = 0, busyUntil = 0;
  bool isWarm = false;
};

} // namespace neuron::simulator

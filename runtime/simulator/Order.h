//===- Order.h - what happens before what -----------------------*- C++ -*-===//
//
// Vector clocks over the units of a core. Every instruction on a unit is an
// event; the order of events is made by the unit's own order, the issue of a
// DMA, signals and waits, and barriers, and by nothing else: not by how long
// anything takes. Two accesses that it does not order are a race, even if they
// happen to run one after the other.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Streams.h"
#include <deque>

namespace neuron::simulator {

/// Unit and number of an event in one word; 0 is no event.
class Stamp {
public:
  Stamp() = default;
  Stamp(unsigned unit, uint32_t number) : bits(unit << kBits | number) {}
  unsigned unit() const { return bits >> kBits; }
  uint32_t number() const { return bits & ((1u << kBits) - 1); }
  explicit operator bool() const { return bits != 0; }
  bool operator==(const Stamp &) const = default;

private:
  static constexpr unsigned kBits = 27; // verify bounds a program's events
  uint32_t bits = 0;
};

class Order {
public:
  explicit Order(const program::Streams &streams);

  /// The next instruction of an engine, its waits first. Not for DMAs.
  Stamp run(const program::Executed &it);
  /// A DMA leaves its engine.
  void issue(const program::Executed &it);
  /// The next DMA of a queue.
  Stamp transfer(const program::Executed &it);
  /// To be called when the effect of the event is complete.
  void finish(const program::Executed &it);
  void barrier();

  /// Whether the event is before, or is, the last one of `unit`.
  bool isBefore(Stamp event, unsigned unit) const {
    return clocks[unit][event.unit()] >= event.number();
  }
  /// The instruction of an event, as an index into Streams::instructions.
  uint32_t instructionOf(Stamp event) const {
    return history[event.unit()][event.number() - 1];
  }

private:
  using Clock = std::array<uint32_t, program::kNumUnits>;
  struct Semaphore {
    uint64_t waiters = 0;      ///< bit i: engine i waits for it somewhere
    uint64_t forgotten = 0;    ///< signals that all waiters know of
    std::deque<Clock> signals; ///< since the last barrier, after the forgotten
  };

  static void join(Clock &clock, const Clock &other);
  void wait(const program::Executed &it);
  Stamp next(unsigned unit, const program::Executed &it);
  void forgetOldSignals(Semaphore &semaphore, unsigned unit);

  std::array<Clock, program::kNumUnits> clocks{};
  std::array<Semaphore, program::kNumUnits> semaphores;
  std::array<std::deque<Clock>, program::kNumQueues> issued;
  std::array<std::vector<uint32_t>, program::kNumUnits> history;
};

} // namespace neuron::simulator

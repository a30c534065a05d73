//===- Session.h - one capture of the system trace --------------*- C++ -*-===//
#pragma once
#include "runtime/profile/Event.h"
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace neuron::profile {

struct CaptureConfig {
  std::set<uint32_t> disabledCores;
  std::set<EventType> disabledTypes;
  uint64_t maxEvents = 1'000'000; ///< of a core; a start and a stop are two

  bool wants(EventType type, uint32_t core) const {
    return !disabledTypes.contains(type) && !disabledCores.contains(core);
  }
};

class Session {
public:
  explicit Session(CaptureConfig config) : config(std::move(config)) {}

  const CaptureConfig config;

  /// Drops the oldest events of its core to make room.
  void add(const Event &event);

  struct Taken {
    uint32_t core;
    std::vector<Event> events; ///< by their end, as they were recorded
  };
  /// Takes out the oldest, at most so many events of each core; of all cores,
  /// or of one.
  std::vector<Taken> take(uint64_t maxEvents = UINT64_MAX,
                          std::optional<uint64_t> core = std::nullopt);

private:
  struct Ring {
    std::deque<Event> events;
    uint64_t count = 0; ///< of starts, stops and instants
  };
  std::mutex mutex;
  std::map<uint32_t, Ring> rings; ///< by core
};

} // namespace neuron::profile

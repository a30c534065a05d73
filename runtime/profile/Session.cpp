//===- Session.cpp - one capture of the system trace ----------------------===//
#include "runtime/profile/Session.h"
#include <iterator>

namespace neuron::profile {
namespace {

constexpr EventTypeRow kTypes[] = {
#define NEURON_EVENT(enumerator, name, group, recorded, meaning)               \
  {name, EventGroup::group, recorded},
#include "runtime/profile/EventTypes.def"
};

uint64_t countOf(const Event &event) { return event.instant ? 1 : 2; }

} // namespace

std::span<const EventTypeRow> eventTypes() { return kTypes; }

std::optional<EventType> eventTypeNamed(std::string_view name) {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (name == kTypes[i].name)
      return static_cast<EventType>(i);
  return std::nullopt;
}

void Session::add(const Event &event) {
  if (!config.wants(event.type, event.core) || config.maxEvents < 2)
    return;
  std::lock_guard lock(mutex);
  Ring &ring = rings[event.core];
  ring.events.push_back(event);
  ring.count += countOf(event);
  while (ring.count > config.maxEvents) {
    ring.count -= countOf(ring.events.front());
    ring.events.pop_front();
  }
}

std::vector<Session::Taken> Session::take(uint64_t maxEvents,
                                          std::optional<uint64_t> core) {
  std::vector<Taken> result;
  std::lock_guard lock(mutex);
  for (auto &[index, ring] : rings) {
    if (core && *core != index)
      continue;
    Taken taken = {index, {}};
    uint64_t count = 0;
    while (!ring.events.empty() &&
           count + countOf(ring.events.front()) <= maxEvents) {
      count += countOf(ring.events.front());
      taken.events.push_back(std::move(ring.events.front()));
      ring.events.pop_front();
    }
    ring.count -= count;
    if (!taken.events.empty())
      result.push_back(std::move(taken));
  }
  return result;
}

} // namespace neuron::profile

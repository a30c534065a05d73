//===- Event.h - what the system trace records ------------------*- C++ -*-===//
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace neuron::profile {

enum class EventType : uint8_t {
#define NEURON_EVENT(enumerator, name, group, recorded, meaning) enumerator,
#include "runtime/profile/EventTypes.def"
};

enum class EventGroup : uint8_t { Hardware, Software };

struct EventTypeRow {
  const char *name;
  EventGroup group;
  bool recorded; ///< by the simulator
};

std::span<const EventTypeRow> eventTypes();
std::optional<EventType> eventTypeNamed(std::string_view name);
inline const EventTypeRow &rowOf(EventType type) {
  return eventTypes()[static_cast<size_t>(type)];
}

/// Something with a start and an end, or an instant: one or two events of the
/// trace. Numbers from 1; 0 is none.
struct Event {
  EventType type;
  bool instant = false;
  uint32_t core = 0; ///< logical
  uint32_t thread = 0;
  uint64_t tracking = 0;
  uint64_t start = 0, end = 0; ///< nanoseconds of CLOCK_REALTIME
  uint64_t sequence = 0;       ///< of the asynchronous request
  uint64_t execution = 0;      ///< counted on the core
  uint64_t model = 0;
  int32_t physicalCore = -1;
  std::optional<uint64_t> size = {}; ///< bytes
  /// On the simulated clock.
  uint64_t deviceStart = 0, deviceEnd = 0;
  const char *nameKey = nullptr; ///< "model_name" or "tensor_name"
  std::shared_ptr<const std::string> name = {};

  void setModel(uint64_t number, std::string text) {
    model = number;
    nameKey = "model_name";
    name = std::make_shared<const std::string>(std::move(text));
  }
  void setTensor(std::string text, uint64_t bytes) {
    nameKey = "tensor_name";
    name = std::make_shared<const std::string>(std::move(text));
    size = bytes;
  }
};

} // namespace neuron::profile

//===- Recorder.h - where the runtime says what it does ---------*- C++ -*-===//
//
// Costs a look at one flag while no capture is on.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/profile/Session.h"
#include <atomic>

namespace neuron::profile {

extern std::atomic<bool> capturing;

/// Whether anyone wants events.
inline bool isOn() { return capturing.load(std::memory_order_relaxed); }

/// Several captures may be on at the same time.
void attach(std::shared_ptr<Session> session);
void detach(const std::shared_ptr<Session> &session);

/// To every capture. Fills in thread and sequence number, and the tracking
/// number unless there is one.
void record(Event event);

/// Of events that belong together.
uint64_t nextTracking();

/// While it lives, events of this thread belong to the asynchronous request.
class SequenceScope {
public:
  explicit SequenceScope(uint64_t sequence);
  ~SequenceScope();
};

/// Of this thread's request; 0 if it carries out none.
uint64_t currentSequence();

/// Records an event from construction to destruction, if it has got a core.
class Scope {
public:
  explicit Scope(EventType type) {
    if (isOn())
      begin(type);
  }
  Scope(EventType type, uint32_t core) : Scope(type) { setCore(core); }
  Scope(const Scope &) = delete;
  ~Scope() { finish(); }

  /// Whether there is an event to fill in.
  explicit operator bool() const { return event.has_value(); }
  Event *operator->() { return &*event; }
  void setCore(uint32_t core) {
    if (!event)
      return;
    event->core = core;
    hasCore = true;
  }
  /// Before destruction; then nothing.
  void finish() {
    if (event)
      end();
  }

private:
  void begin(EventType type);
  void end();

  std::optional<Event> event; ///< empty if nobody wants it
  bool hasCore = false;
};

} // namespace neuron::profile

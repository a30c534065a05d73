//===- Recorder.cpp - where the runtime says what it does -----------------===//
#include "runtime/profile/Recorder.h"
#include "runtime/core/Clock.h"
#include <algorithm>
#include <shared_mutex>
#include <sys/syscall.h>
#include <unistd.h>

namespace neuron::profile {
namespace {

struct Sessions {
  std::shared_mutex mutex;
  std::vector<std::shared_ptr<Session>> all;
};

/// Never destroyed: threads may record while the process ends.
Sessions &sessions() {
  static Sessions *result = new Sessions;
  return *result;
}

std::atomic<uint64_t> lastTracking = 0;
thread_local uint64_t theSequence = 0;

} // namespace

std::atomic<bool> capturing = false;

void attach(std::shared_ptr<Session> session) {
  std::unique_lock lock(sessions().mutex);
  sessions().all.push_back(std::move(session));
  capturing = true;
}

void detach(const std::shared_ptr<Session> &session) {
  std::unique_lock lock(sessions().mutex);
  std::erase(sessions().all, session);
  capturing = !sessions().all.empty();
}

void record(Event event) {
  // Asked each time: a forked process has another.
  event.thread = uint32_t(syscall(SYS_gettid));
  if (event.sequence == 0)
    event.sequence = theSequence;
  if (event.tracking == 0)
    event.tracking = nextTracking();
  std::shared_lock lock(sessions().mutex);
  for (const auto &session : sessions().all)
    session->add(event);
}

uint64_t nextTracking() { return ++lastTracking; }

SequenceScope::SequenceScope(uint64_t sequence) { theSequence = sequence; }
SequenceScope::~SequenceScope() { theSequence = 0; }
uint64_t currentSequence() { return theSequence; }

void Scope::begin(EventType type) {
  event.emplace(Event{type});
  event->start = nrt::hostNow();
}

void Scope::end() {
  if (hasCore) {
    event->end = nrt::hostNow();
    record(std::move(*event));
  }
  event.reset();
}

} // namespace neuron::profile

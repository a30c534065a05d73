//===- AsyncFixture.h - scheduling requests, for tests ----------*- C++ -*-===//
#pragma once
#include "nrt/nrt_async.h"
#include "test/runtime/NrtFixture.h"
#include <chrono>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace neuron::test {

/// What no request's status is: *ret before it completes.
constexpr auto kUntouched = static_cast<NRT_STATUS>(-7);

/// Where a request answers.
struct Ticket {
  NRT_STATUS ret = kUntouched;
  nrta_seq_t seq = 0;

  uint64_t count() const { return NRTA_SEQ_GET_SEQ_NUM(seq); }
  uint64_t queue() const { return seq >> 48; }
};

inline bool isCompleted(nrta_seq_t seq) {
  bool done = false;
  EXPECT_EQ(nrta_is_completed(seq, &done), NRT_SUCCESS)
      << neuron_sim_last_error();
  return done;
}

/// Polls, for at most a minute.
inline NRT_STATUS waitFor(const Ticket &ticket) {
  auto start = std::chrono::steady_clock::now();
  while (!isCompleted(ticket.seq)) {
    if (std::chrono::steady_clock::now() - start > std::chrono::minutes(1)) {
      ADD_FAILURE() << "request " << ticket.count() << " does not complete";
      return NRT_TIMEOUT;
    }
    std::this_thread::yield();
  }
  return ticket.ret;
}

/// An eventfd that is read without waiting.
class Event {
public:
  Event() : fd(eventfd(0, EFD_NONBLOCK)) {}
  ~Event() { close(fd); }
  /// What was added since the last call.
  uint64_t take() {
    uint64_t value = 0;
    return ::read(fd, &value, sizeof value) == sizeof value ? value : 0;
  }
  const int fd;
};

struct Span {
  uint64_t start = 0, end = 0;
  uint64_t length() const { return end - start; }
};

inline Span spanOf(nrta_seq_t seq) {
  Span span;
  EXPECT_EQ(neuron_sim_request_span(seq, &span.start, &span.end), NRT_SUCCESS)
      << neuron_sim_last_error();
  return span;
}

inline Span lastSpan() {
  Span span;
  EXPECT_EQ(neuron_sim_last_span(&span.start, &span.end), NRT_SUCCESS)
      << neuron_sim_last_error();
  return span;
}

/// A loaded add with its tensors, and what schedules it.
class Async : public NrtModel {
protected:
  NRT_STATUS schedule(nrt_model_t *which, nrt_tensor_set_t *from,
                      nrt_tensor_set_t *to, Ticket &ticket) {
    return nrta_execute_schedule(which, from, to, 0, &ticket.ret, &ticket.seq);
  }
  NRT_STATUS schedule(Ticket &ticket) {
    return schedule(model, inputs, outputs, ticket);
  }
  NRT_STATUS write(nrt_tensor_t *tensor, const void *from, size_t size,
                   Ticket &ticket, int queue = 0, int core = 0) {
    return nrta_tensor_write(tensor, from, 0, size, core, queue, &ticket.ret,
                             &ticket.seq);
  }
  NRT_STATUS read(void *to, nrt_tensor_t *tensor, size_t size, Ticket &ticket,
                  int queue = 0, int core = 0) {
    return nrta_tensor_read(to, tensor, 0, size, core, queue, &ticket.ret,
                            &ticket.seq);
  }
  using NrtModel::read;

  /// Starts anew with what the environment says now.
  void restart() {
    nrt_close();
    NrtModel::SetUp();
  }

  /// Schedules the program that runs for minutes; nrt_close ends it, or
  /// NEURON_RT_EXEC_TIMEOUT.
  void scheduleSlow(Ticket &ticket) {
    nrt_model_t *slow = loadSlow();
    nrt_tensor_set_t *set = newSet();
    nrt_add_tensor_to_tensor_set(set, "out", allocate(4 * 128 * 512));
    ASSERT_EQ(schedule(slow, set, set, ticket), NRT_SUCCESS) << lastError();
  }

  nrt_model_t *load(const program::Program &program) {
    auto bytes = *neff::writeNeff(program, {"test.neff"});
    nrt_model_t *result = nullptr;
    EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, &result), NRT_SUCCESS)
        << lastError();
    return result;
  }
};

} // namespace neuron::test

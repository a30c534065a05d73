//===- AsyncTest.cpp - conformance of nrta_* ------------------------------===//
//
// Through the shared library's exported functions alone.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Builder.h"
#include "test/runtime/AsyncFixture.h"
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>

using namespace neuron;
using namespace neuron::test;

namespace {

/// Vector signals once; Scalar waits for two signals.
program::Program deadlockProgram() {
  using namespace program;
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 1, tile(DType::F32, 0, 8), immediate(0.f)).signal =
      true;
  b.copy(Unit::Scalar, 1, tile(DType::F32, 64, 8), tile(DType::F32, 0, 8))
      .waits = {program::waitFor(Unit::Vector, 2)};
  return b.program;
}

program::Program racingProgram() {
  auto program = addProgram();
  std::get<program::Instruction>(program.kernels[0].body[2]).waits.pop_back();
  return program;
}

//===----------------------------------------------------------------------===//
// Sequence numbers
//===----------------------------------------------------------------------===//

TEST_F(Async, UnitsHaveTheirDocumentedNumbers) {
  EXPECT_EQ(NRTA_XU_TENSOR_OP, 0);
  EXPECT_EQ(NRTA_XU_COMPUTE, 1);
  EXPECT_EQ(NRTA_XU_COLLECTIVES, 2);
  EXPECT_EQ(NRTA_XU_TYPE_NUM, 3);
  EXPECT_EQ(sizeof(nrta_seq_t), 8u);
}

TEST_F(Async, QueuesCountFromOneAndHaveNumbersOfTheirOwn) {
  Ticket runs[3], write0, write1;
  for (Ticket &ticket : runs)
    ASSERT_EQ(schedule(ticket), NRT_SUCCESS) << lastError();
  nrt_tensor_t *x = allocate(4), *y = allocate(4);
  ASSERT_EQ(write(x, values.data(), 4, write0, 0), NRT_SUCCESS);
  ASSERT_EQ(write(y, values.data(), 4, write1, 1), NRT_SUCCESS);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[i].count(), i + 1);
    EXPECT_EQ(runs[i].queue(), runs[0].queue());
  }
  EXPECT_EQ(write0.count(), 1u);
  EXPECT_EQ(write1.count(), 1u);
  EXPECT_NE(write0.queue(), write1.queue());
  EXPECT_NE(write0.queue(), runs[0].queue());
  for (const Ticket *ticket : {&runs[2], &write0, &write1})
    waitFor(*ticket);
}

TEST_F(Async, SequenceIsTheLastCompleted) {
  nrta_seq_t before = 0, after = 0;
  ASSERT_EQ(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &before), NRT_SUCCESS);
  EXPECT_EQ(before & 0xffffffffffff, 0u) << "none yet";
  Ticket ticket;
  ASSERT_EQ(schedule(ticket), NRT_SUCCESS);
  EXPECT_EQ(ticket.seq, before + 1);
  waitFor(ticket);
  ASSERT_EQ(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &after), NRT_SUCCESS);
  EXPECT_EQ(after, ticket.seq);
  ASSERT_EQ(nrta_get_sequence(0, NRTA_XU_COLLECTIVES, 2, &after), NRT_SUCCESS);
  EXPECT_EQ(after & 0xffffffffffff, 0u);
}

TEST_F(Async, NumbersThatNoRequestHasAreInvalid) {
  Ticket ticket;
  ASSERT_EQ(schedule(ticket), NRT_SUCCESS);
  waitFor(ticket);
  bool done;
  uint64_t start, end;
  char text[8];
  for (nrta_seq_t seq :
       {nrta_seq_t(0), nrta_seq_t(1), ticket.seq - 1, ticket.seq + 1,
        nrta_seq_t(999) << 48 | 1, ~nrta_seq_t(0)}) {
    EXPECT_EQ(nrta_is_completed(seq, &done), NRT_INVALID) << seq;
    EXPECT_EQ(nrta_event_register_seq_id_completion(seq, -1), NRT_INVALID);
    EXPECT_EQ(neuron_sim_request_span(seq, &start, &end), NRT_INVALID);
    EXPECT_EQ(neuron_sim_request_error(seq, text, sizeof text), NRT_INVALID);
  }
  expectError("no request has the sequence number");
}

//===----------------------------------------------------------------------===//
// Order and completion
//===----------------------------------------------------------------------===//

TEST_F(Async, WriteExecuteRead) {
  std::vector<float> ones(kElements, 1.f), result(kElements);
  Ticket written, ran, got;
  ASSERT_EQ(write(b, ones.data(), kBytes, written), NRT_SUCCESS);
  EXPECT_EQ(waitFor(written), NRT_SUCCESS);
  ASSERT_EQ(schedule(ran), NRT_SUCCESS) << lastError();
  EXPECT_EQ(waitFor(ran), NRT_SUCCESS);
  ASSERT_EQ(read(result.data(), out, kBytes, got, 1), NRT_SUCCESS);
  EXPECT_EQ(waitFor(got), NRT_SUCCESS);
  for (size_t i = 0; i < kElements; ++i)
    ASSERT_EQ(result[i], values[i] + 1.f) << i;
}

TEST_F(Async, AQueueKeepsItsOrder) {
  constexpr int kWrites = 60;
  std::vector<int> sources(kWrites), seen(kWrites);
  std::iota(sources.begin(), sources.end(), 0);
  std::vector<Ticket> tickets(2 * kWrites);
  auto push = [&](auto call) {
    NRT_STATUS status;
    while ((status = call()) == NRT_QUEUE_FULL)
      std::this_thread::yield();
    ASSERT_EQ(status, NRT_SUCCESS) << lastError();
  };
  // Each value is read back before the next one overwrites it.
  for (int i = 0; i < kWrites; ++i) {
    push([&] { return write(a, &sources[i], 4, tickets[2 * i]); });
    push([&] { return read(&seen[i], a, 4, tickets[2 * i + 1]); });
  }
  EXPECT_EQ(waitFor(tickets.back()), NRT_SUCCESS);
  for (const Ticket &ticket : tickets) {
    EXPECT_TRUE(isCompleted(ticket.seq)) << "so are all before";
    EXPECT_EQ(ticket.ret, NRT_SUCCESS);
  }
  EXPECT_EQ(seen, sources);
}

TEST_F(Async, StatusIsWrittenBeforeCompletionShows) {
  for (int i = 0; i < 200; ++i) {
    Ticket ticket;
    ASSERT_EQ(write(a, values.data(), 4, ticket), NRT_SUCCESS);
    while (!isCompleted(ticket.seq)) {
    }
    ASSERT_EQ(ticket.ret, NRT_SUCCESS) << i;
  }
}

TEST_F(Async, CopiesOnTheDeviceAndToTheHost) {
  nrt_tensor_t *host = allocate(8, kHost, -1), *other = allocate(8, kHost, -1);
  nrt_tensor_t *x = allocate(8), *far = allocate(8, kDevice, 1);
  nrt_tensor_write(host, "abcdefgh", 0, 8);
  Ticket one, two;
  ASSERT_EQ(nrta_tensor_copy(host, 0, x, 2, 4, 0, &one.ret, &one.seq),
            NRT_SUCCESS);
  ASSERT_EQ(nrta_tensor_copy(x, 2, other, 4, 4, 0, &two.ret, &two.seq),
            NRT_SUCCESS);
  EXPECT_EQ(waitFor(two), NRT_SUCCESS);
  char text[5] = {};
  nrt_tensor_read(other, text, 4, 4);
  EXPECT_STREQ(text, "abcd");
  Ticket bad;
  EXPECT_EQ(nrta_tensor_copy(x, 0, far, 0, 8, 0, &bad.ret, &bad.seq),
            NRT_INVALID);
  expectError("cores 0 and 1");
  EXPECT_EQ(nrta_tensor_copy(host, 0, other, 0, 8, 0, &bad.ret, &bad.seq),
            NRT_INVALID);
  expectError("neither tensor is on a device");
  EXPECT_EQ(bad.ret, kUntouched);
}

//===----------------------------------------------------------------------===//
// Depth
//===----------------------------------------------------------------------===//

/// The runtime closes with requests that did not begin: all of them complete.
TEST_F(Async, FullQueuesAndClosing) {
  for (auto [text, depth] : {std::pair("", 8u), {"3", 3u}, {"1000", 63u}}) {
    Variable most("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", text);
    restart();
    std::vector<Ticket> tickets(depth + 1);
    Event each;
    ASSERT_EQ(nrta_event_register_xu_completion(0, NRTA_XU_COMPUTE, 0, each.fd),
              NRT_SUCCESS);
    scheduleSlow(tickets[0]);
    for (size_t i = 1; i < depth; ++i)
      ASSERT_EQ(schedule(tickets[i]), NRT_SUCCESS) << i << lastError();
    EXPECT_EQ(schedule(tickets[depth]), NRT_QUEUE_FULL);
    expectError(std::to_string(depth) + " requests");
    EXPECT_EQ(tickets[depth].seq, 0u);
    EXPECT_FALSE(isCompleted(tickets[0].seq));
    nrt_close();
    for (size_t i = 0; i < depth; ++i)
      EXPECT_EQ(tickets[i].ret, NRT_CLOSED) << i;
    EXPECT_EQ(tickets[depth].ret, kUntouched);
    EXPECT_EQ(each.take(), depth);
    bool done;
    EXPECT_EQ(nrta_is_completed(tickets[0].seq, &done), NRT_CLOSED);
  }
}

TEST_F(Async, ThereIsRoomAgainAfterACompletion) {
  Variable most("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "1");
  Variable timeout("NEURON_RT_EXEC_TIMEOUT", "0.1");
  restart();
  Ticket slow, next;
  scheduleSlow(slow);
  EXPECT_EQ(schedule(next), NRT_QUEUE_FULL);
  EXPECT_EQ(waitFor(slow), NRT_TIMEOUT);
  ASSERT_EQ(schedule(next), NRT_SUCCESS) << lastError();
  EXPECT_EQ(waitFor(next), NRT_SUCCESS);
}

TEST_F(Async, DepthsThatAreNoneFailInit) {
  nrt_close();
  for (const char *text : {"0", "-1", "many"}) {
    Variable most("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", text);
    EXPECT_EQ(init(), NRT_FAILURE);
    expectError("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS");
  }
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

TEST_F(Async, WhatARequestNeedsOutlivesItsHandles) {
  Variable timeout("NEURON_RT_EXEC_TIMEOUT", "0.2");
  restart();
  std::vector<float> mine(kElements);
  nrt_tensor_t *attached = nullptr;
  nrt_tensor_allocate_empty("mine", &attached);
  nrt_tensor_attach_buffer(attached, mine.data(), kBytes);
  nrt_add_tensor_to_tensor_set(outputs, "out", attached);
  Ticket slow, ticket;
  scheduleSlow(slow);
  ASSERT_EQ(schedule(ticket), NRT_SUCCESS) << lastError();
  // Another tensor in the set is of no matter for what is scheduled.
  nrt_add_tensor_to_tensor_set(inputs, "a", out);
  nrt_tensor_free(&a);
  nrt_tensor_free(&b);
  nrt_tensor_free(&out);
  nrt_tensor_free(&attached);
  nrt_destroy_tensor_set(&inputs);
  nrt_destroy_tensor_set(&outputs);
  nrt_unload(model);
  EXPECT_FALSE(isCompleted(ticket.seq));
  EXPECT_EQ(waitFor(slow), NRT_TIMEOUT);
  EXPECT_EQ(waitFor(ticket), NRT_SUCCESS);
  EXPECT_EQ(mine, doubled());
}

TEST_F(Async, MemoryIsFreeWhenCompletionShows) {
  nrt_tensor_t *big = allocate(1 << 20);
  std::vector<char> bytes(1 << 20);
  nrt_vnc_memory_stats_t before, after;
  Ticket ticket;
  ASSERT_EQ(write(big, bytes.data(), bytes.size(), ticket), NRT_SUCCESS);
  nrt_get_vnc_memory_stats(0, &before, sizeof before, nullptr);
  nrt_tensor_free(&big);
  waitFor(ticket);
  nrt_get_vnc_memory_stats(0, &after, sizeof after, nullptr);
  EXPECT_EQ(after.bytes_used + (1 << 20), before.bytes_used);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(Async, AFailedRequestCompletesAndSaysWhy) {
  nrt_model_t *racing = load(racingProgram());
  Ticket bad, good;
  ASSERT_EQ(schedule(racing, inputs, outputs, bad), NRT_SUCCESS);
  ASSERT_EQ(schedule(good), NRT_SUCCESS);
  EXPECT_EQ(waitFor(bad), NRT_EXEC_COMPLETED_WITH_ERR);
  EXPECT_EQ(waitFor(good), NRT_SUCCESS) << "the queue goes on";
  EXPECT_EQ(good.seq, bad.seq + 1);
  char text[1024], cut[6];
  ASSERT_EQ(neuron_sim_request_error(bad.seq, text, sizeof text), NRT_SUCCESS);
  EXPECT_NE(std::strstr(text, "add"), nullptr) << text;
  ASSERT_EQ(neuron_sim_request_error(bad.seq, cut, sizeof cut), NRT_SUCCESS);
  EXPECT_EQ(std::string(cut), std::string(text, 5));
  ASSERT_EQ(neuron_sim_request_error(good.seq, text, sizeof text), NRT_SUCCESS);
  EXPECT_STREQ(text, "");
  uint64_t start, end;
  EXPECT_EQ(neuron_sim_request_span(bad.seq, &start, &end), NRT_FAILURE);
  expectError("failed");
}

TEST_F(Async, AnUnrecoverableUnitStaysSo) {
  nrt_model_t *hangs = load(deadlockProgram());
  Ticket bad, behind, later, moves;
  ASSERT_EQ(schedule(hangs, inputs, outputs, bad), NRT_SUCCESS);
  NRT_STATUS scheduled = schedule(behind);
  EXPECT_EQ(waitFor(bad), NRT_EXEC_UNIT_UNRECOVERABLE);
  char text[1024];
  ASSERT_EQ(neuron_sim_request_error(bad.seq, text, sizeof text), NRT_SUCCESS);
  EXPECT_NE(std::strstr(text, "deadlock"), nullptr) << text;
  if (scheduled == NRT_SUCCESS) { // it may have been too late already
    EXPECT_EQ(waitFor(behind), NRT_EXEC_UNIT_UNRECOVERABLE);
  }
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(schedule(later), NRT_EXEC_UNIT_UNRECOVERABLE);
  expectError("nrt_init");
  ASSERT_EQ(write(a, values.data(), 4, moves), NRT_SUCCESS) << "only that unit";
  EXPECT_EQ(waitFor(moves), NRT_SUCCESS);
  restart();
  ASSERT_EQ(schedule(later), NRT_SUCCESS) << lastError();
  EXPECT_EQ(waitFor(later), NRT_SUCCESS);
}

TEST_F(Async, BadArgumentsAreRefusedAtOnce) {
  Ticket ticket;
  nrt_tensor_t *far = allocate(4, kDevice, 1);
  char text[4];
  EXPECT_EQ(nrta_execute_schedule(model, inputs, outputs, 1, &ticket.ret,
                                  &ticket.seq),
            NRT_INVALID);
  expectError("has no queue 1; it has 1");
  EXPECT_EQ(
      nrta_execute_schedule(model, inputs, outputs, 0, nullptr, &ticket.seq),
      NRT_INVALID);
  EXPECT_EQ(
      nrta_execute_schedule(model, inputs, outputs, 0, &ticket.ret, nullptr),
      NRT_INVALID);
  EXPECT_EQ(schedule(model, newSet(), outputs, ticket), NRT_INVALID);
  expectError("input 'a' is missing");
  EXPECT_EQ(schedule(nullptr, inputs, outputs, ticket), NRT_INVALID_HANDLE);
  EXPECT_EQ(schedule(model, nullptr, outputs, ticket), NRT_INVALID_HANDLE);
  EXPECT_EQ(write(far, text, 4, ticket), NRT_INVALID);
  expectError("on core 1, but the request is for core 0");
  EXPECT_EQ(write(far, text, 4, ticket, 2, 1), NRT_INVALID);
  EXPECT_EQ(write(far, text, 4, ticket, -1, 1), NRT_INVALID);
  EXPECT_EQ(write(far, text, 5, ticket, 0, 1), NRT_INVALID);
  EXPECT_EQ(write(nullptr, text, 4, ticket), NRT_INVALID_HANDLE);
  EXPECT_EQ(read(nullptr, far, 4, ticket, 0, 1), NRT_INVALID);
  nrta_seq_t seq;
  EXPECT_EQ(nrta_get_sequence(8, NRTA_XU_COMPUTE, 0, &seq), NRT_INVALID);
  expectError("no core 8");
  EXPECT_EQ(nrta_get_sequence(0, NRTA_XU_TYPE_NUM, 0, &seq), NRT_INVALID);
  EXPECT_EQ(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, nullptr), NRT_INVALID);
  EXPECT_EQ(nrta_event_register_xu_completion(-1, NRTA_XU_COMPUTE, 0, -1),
            NRT_INVALID);
  EXPECT_EQ(ticket.seq, 0u);
  EXPECT_EQ(ticket.ret, kUntouched);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

TEST_F(Async, EventsOfOneRequest) {
  Variable timeout("NEURON_RT_EXEC_TIMEOUT", "0.2");
  restart();
  Ticket slow, second, third;
  scheduleSlow(slow);
  ASSERT_EQ(schedule(second), NRT_SUCCESS);
  ASSERT_EQ(schedule(third), NRT_SUCCESS);
  Event replaced, kept, back, late;
  auto notify = nrta_event_register_seq_id_completion;
  ASSERT_EQ(notify(second.seq, replaced.fd), NRT_SUCCESS);
  ASSERT_EQ(notify(second.seq, kept.fd), NRT_SUCCESS);
  ASSERT_EQ(notify(third.seq, back.fd), NRT_SUCCESS);
  ASSERT_EQ(notify(third.seq, -1), NRT_SUCCESS);
  EXPECT_EQ(kept.take(), 0u);
  waitFor(third);
  EXPECT_EQ(replaced.take(), 0u);
  EXPECT_EQ(kept.take(), 1u);
  EXPECT_EQ(back.take(), 0u);
  ASSERT_EQ(notify(second.seq, late.fd), NRT_SUCCESS);
  EXPECT_EQ(late.take(), 1u) << "it has completed";
  EXPECT_EQ(notify(third.seq, 1 << 20), NRT_INVALID);
  expectError("is no eventfd");
}

TEST_F(Async, EventsOfAQueue) {
  Event event;
  auto notify = nrta_event_register_xu_completion;
  Ticket tickets[4];
  ASSERT_EQ(schedule(tickets[0]), NRT_SUCCESS);
  waitFor(tickets[0]);
  ASSERT_EQ(notify(0, NRTA_XU_COMPUTE, 0, event.fd), NRT_SUCCESS);
  EXPECT_EQ(event.take(), 0u) << "from now on";
  for (int i : {1, 2})
    ASSERT_EQ(schedule(tickets[i]), NRT_SUCCESS);
  ASSERT_EQ(write(allocate(4), values.data(), 4, tickets[3]), NRT_SUCCESS);
  waitFor(tickets[3]);
  uint64_t sum = 0;
  while (sum < 2)
    sum += event.take();
  EXPECT_EQ(sum, 2u) << "not those of other queues";
  EXPECT_TRUE(isCompleted(tickets[2].seq)) << "an event follows completion";
  ASSERT_EQ(notify(0, NRTA_XU_COMPUTE, 0, -1), NRT_SUCCESS);
  ASSERT_EQ(schedule(tickets[0]), NRT_SUCCESS);
  waitFor(tickets[0]);
  EXPECT_EQ(event.take(), 0u);
}

/// The number of a descriptor that its owner closed may be another file's soon.
TEST_F(Async, ClosedDescriptorsAreNotWrittenTo) {
  Variable timeout("NEURON_RT_EXEC_TIMEOUT", "0.2");
  restart();
  Ticket slow;
  scheduleSlow(slow);
  int ends[2], number = eventfd(0, 0);
  ASSERT_EQ(nrta_event_register_seq_id_completion(slow.seq, number),
            NRT_SUCCESS);
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(dup2(ends[1], number), number);
  waitFor(slow);
  char byte;
  EXPECT_EQ(::read(ends[0], &byte, 1), -1) << "the pipe got something";
  for (int fd : {ends[0], ends[1], number})
    close(fd);
}

//===----------------------------------------------------------------------===//
// Processes and threads
//===----------------------------------------------------------------------===//

TEST_F(Async, AForkedProcessMustInitializeAgain) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer cannot make threads in a forked process";
#endif
  Ticket before;
  ASSERT_EQ(schedule(before), NRT_SUCCESS);
  waitFor(before);
  pid_t child = fork();
  if (child == 0) {
    Ticket ticket;
    bool done;
    bool refused = schedule(ticket) == NRT_FAILURE &&
                   lastError().find("forked") != std::string::npos &&
                   nrta_is_completed(before.seq, &done) == NRT_FAILURE;
    restart();
    bool works = schedule(ticket) == NRT_SUCCESS &&
                 waitFor(ticket) == NRT_SUCCESS && read(out) == doubled();
    nrt_close();
    _exit(refused && works ? 42 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
  Ticket after;
  ASSERT_EQ(schedule(after), NRT_SUCCESS) << "the parent is as it was";
  EXPECT_EQ(waitFor(after), NRT_SUCCESS);
}

TEST_F(Async, ManyThreadsScheduleAndAsk) {
  constexpr int kThreads = 4, kEach = 50;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      nrt_tensor_t *mine = nullptr;
      nrt_tensor_allocate(kDevice, t % 2, 4, "mine", &mine);
      for (int i = 0; i < kEach; ++i) {
        int sent = t * kEach + i, got = -1;
        Ticket to, from;
        while (write(mine, &sent, 4, to, t % 2, t % 2) == NRT_QUEUE_FULL)
          std::this_thread::yield();
        waitFor(to);
        while (read(&got, mine, 4, from, (t + 1) % 2, t % 2) == NRT_QUEUE_FULL)
          std::this_thread::yield();
        right += waitFor(from) == NRT_SUCCESS && got == sent;
        uint64_t start, end;
        neuron_sim_request_span(from.seq, &start, &end);
        nrta_seq_t seq;
        nrta_get_sequence(0, NRTA_XU_TENSOR_OP, i % 2, &seq);
      }
      nrt_tensor_free(&mine);
    });
  for (int i = 0; i < 10; ++i) {
    Ticket ticket;
    EXPECT_EQ(schedule(ticket), NRT_SUCCESS);
    EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
    EXPECT_EQ(waitFor(ticket), NRT_SUCCESS);
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, kThreads * kEach);
}

TEST_F(Async, BeforeInitAndAfterClose) {
  nrt_close();
  Ticket ticket;
  nrta_seq_t seq;
  EXPECT_EQ(schedule(ticket), NRT_CLOSED);
  EXPECT_EQ(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &seq), NRT_CLOSED);
}

} // namespace

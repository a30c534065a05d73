//===- ClockTest.cpp - the simulated clock --------------------------------===//
#include "compiler/target/Target.h"
#include "test/runtime/AsyncFixture.h"
#include <ctime>

using namespace neuron;
using namespace neuron::test;

namespace {

const target::Target &trn2() { return target::defaultTarget(); }

uint64_t hostNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

uint64_t nanoseconds(uint64_t picoseconds) {
  return (picoseconds + 500) / 1000;
}

class Clock : public Async {
protected:
  uint64_t predicted() {
    uint64_t picoseconds = 0;
    EXPECT_EQ(neuron_sim_predicted_time_ps(model, &picoseconds), NRT_SUCCESS);
    return picoseconds;
  }
};

TEST_F(Clock, ExecutionsTakeThePredictedTime) {
  uint64_t before = hostNow();
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
  Span one = lastSpan();
  EXPECT_GE(one.start, before);
  EXPECT_EQ(one.length(), nanoseconds(predicted()));
  Ticket tickets[3];
  for (Ticket &ticket : tickets)
    ASSERT_EQ(schedule(ticket), NRT_SUCCESS);
  waitFor(tickets[2]);
  for (const Ticket &ticket : tickets) {
    Span next = spanOf(ticket.seq);
    EXPECT_GE(next.start, one.end) << "one after the other";
    EXPECT_EQ(next.length(), one.length());
    one = next;
  }
}

/// Faster than the device, this computer waits for it: requests that are
/// queued in time follow without a gap.
TEST_F(Clock, QueuedExecutionsFollowWithoutAGap) {
  Variable slow("NEURON_MLIR_DISPATCH_COST", "framework");
  Variable timeout("NEURON_RT_EXEC_TIMEOUT", "0.2");
  restart();
  for (int attempt = 0; attempt < 20; ++attempt) {
    Ticket first, tickets[3];
    scheduleSlow(first);
    for (Ticket &ticket : tickets)
      ASSERT_EQ(schedule(ticket), NRT_SUCCESS);
    uint64_t scheduled = hostNow();
    waitFor(tickets[2]);
    if (scheduled > spanOf(tickets[0].seq).end)
      continue; // this computer was busy: not in time
    EXPECT_EQ(spanOf(tickets[1].seq).start, spanOf(tickets[0].seq).end);
    EXPECT_EQ(spanOf(tickets[2].seq).start, spanOf(tickets[1].seq).end);
    return;
  }
  FAIL() << "three requests take longer to schedule than 437 us";
}

TEST_F(Clock, DispatchCosts) {
  struct Row {
    const char *name;
    int64_t added; ///< picoseconds beside the prediction
  };
  const Row rows[] = {
      {"device", 0},
      {"execute", trn2().dispatchExecute},
      {"launch", trn2().dispatchLaunch - trn2().launch},
      {"profile", trn2().dispatchProfile - trn2().launch},
      {"framework", trn2().dispatchFramework},
  };
  for (const Row &row : rows) {
    Variable cost("NEURON_MLIR_DISPATCH_COST", row.name);
    restart();
    ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
    EXPECT_EQ(lastSpan().length(),
              nanoseconds(predicted() + uint64_t(row.added)))
        << row.name;
  }
  nrt_close();
  Variable cost("NEURON_MLIR_DISPATCH_COST", "free");
  EXPECT_EQ(init(), NRT_FAILURE);
  expectError("use one of device, execute, launch, profile, framework");
}

TEST_F(Clock, TransfersTakeLatencyAndBandwidth) {
  constexpr uint64_t kSize = 1 << 20;
  std::vector<char> bytes(kSize);
  nrt_tensor_t *x = allocate(kSize), *y = allocate(kSize);
  nrt_tensor_t *host = allocate(kSize, kHost, -1);
  auto moving = [&](int64_t bandwidth) {
    return kSize * 1000000 / uint64_t(bandwidth);
  };
  auto expect = [&](int64_t latency, int64_t bandwidth, const char *what) {
    uint64_t least = nanoseconds(uint64_t(latency) + moving(bandwidth));
    EXPECT_LE(least, lastSpan().length()) << what;
    EXPECT_GE(least + 1, lastSpan().length()) << what;
  };
  nrt_tensor_write(x, bytes.data(), 0, kSize);
  expect(trn2().hostLatency, trn2().hostToDevice, "write");
  nrt_tensor_read(x, bytes.data(), 0, kSize);
  expect(trn2().hostLatency, trn2().deviceToHost, "read");
  nrt_tensor_copy(x, 0, host, 0, kSize);
  expect(trn2().hostLatency, trn2().deviceToHost, "copy to the host");
  nrt_tensor_copy(host, 0, x, 0, kSize);
  expect(trn2().hostLatency, trn2().hostToDevice, "copy to the device");
  int64_t start =
      trn2().dmaIssueHardware + trn2().dmaDispatchLoad + trn2().dmaFixedLoad;
  nrt_tensor_copy(x, 0, y, 0, kSize);
  expect(start, trn2().hbmBandwidth / 2, "copy on the device");
  nrt_tensor_memset(x, 0, 0, kSize);
  expect(start, trn2().hbmBandwidth / 2, "fill");
  nrt_tensor_write(host, bytes.data(), 0, kSize);
  EXPECT_EQ(lastSpan().length(), 0u) << "no device takes part";
}

TEST_F(Clock, ABatchIsOneSpan) {
  char bytes[64] = {};
  ASSERT_EQ(nrt_tensor_write(a, bytes, 0, 16), NRT_SUCCESS);
  uint64_t one = lastSpan().length();
  nrt_tensor_batch_op_t ops[] = {
      {0, 16, bytes}, {16, 16, bytes}, {32, 16, bytes}};
  nrt_tensor_batch_t batch = {a, ops, 3};
  ASSERT_EQ(nrt_tensor_write_batch(&batch, 1, false), NRT_SUCCESS);
  EXPECT_EQ(lastSpan().length(), 3 * one);
}

TEST_F(Clock, DirectionsOverlapAndADirectionDoesNot) {
  std::vector<char> bytes(1 << 26);
  nrt_tensor_t *x = allocate(bytes.size()), *y = allocate(bytes.size());
  Ticket in0, in1, fromDevice;
  ASSERT_EQ(write(x, bytes.data(), bytes.size(), in0, 0), NRT_SUCCESS);
  ASSERT_EQ(write(y, bytes.data(), bytes.size(), in1, 1), NRT_SUCCESS);
  waitFor(in0);
  waitFor(in1);
  Span first = spanOf(in0.seq), second = spanOf(in1.seq);
  EXPECT_TRUE(first.end <= second.start || second.end <= first.start)
      << "two queues, one direction";
  std::thread other([&] { // one that has waited for nothing
    ASSERT_EQ(read(bytes.data(), x, 4, fromDevice, 1), NRT_SUCCESS);
    waitFor(fromDevice);
  });
  other.join();
  // It is behind a write of its queue, and not behind the other queue's.
  EXPECT_GE(spanOf(fromDevice.seq).start, second.end);
}

/// However fast the simulation was: what a thread submits after it has seen a
/// request complete comes after it.
TEST_F(Clock, WaitingMovesTheThreadsClock) {
  Variable slow("NEURON_MLIR_DISPATCH_COST", "framework");
  restart();
  float value;
  Ticket run, got;
  ASSERT_EQ(schedule(run), NRT_SUCCESS);
  ASSERT_EQ(waitFor(run), NRT_SUCCESS);
  ASSERT_EQ(read(&value, out, 4, got), NRT_SUCCESS);
  ASSERT_EQ(waitFor(got), NRT_SUCCESS);
  EXPECT_GE(spanOf(got.seq).start, spanOf(run.seq).end);
  ASSERT_EQ(schedule(run), NRT_SUCCESS);
  nrta_seq_t seq = 0;
  while (seq != run.seq)
    nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &seq);
  ASSERT_EQ(nrt_tensor_read(out, &value, 0, 4), NRT_SUCCESS);
  EXPECT_GE(lastSpan().start, spanOf(run.seq).end);
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
  uint64_t end = lastSpan().end;
  ASSERT_EQ(nrt_tensor_read(out, &value, 0, 4), NRT_SUCCESS);
  EXPECT_GE(lastSpan().start, end);
}

TEST_F(Clock, SpansThatThereAreNot) {
  uint64_t start = 1, end = 1;
  std::thread fresh(
      [&] { EXPECT_EQ(neuron_sim_last_span(&start, &end), NRT_INVALID); });
  fresh.join();
  EXPECT_EQ(neuron_sim_last_span(nullptr, &end), NRT_INVALID);
  Ticket slow;
  scheduleSlow(slow);
  EXPECT_EQ(neuron_sim_request_span(slow.seq, &start, &end), NRT_INVALID);
  expectError("has not completed");
  char text[8];
  EXPECT_EQ(neuron_sim_request_error(slow.seq, text, sizeof text), NRT_INVALID);
  EXPECT_EQ(nrt_execute(model, newSet(), outputs), NRT_INVALID);
  EXPECT_EQ(neuron_sim_last_span(&start, &end), NRT_INVALID);
}

TEST_F(Clock, SixtyFiveThousandSpansAreKept) {
  constexpr unsigned kKept = 65536;
  Ticket first, second, last;
  ASSERT_EQ(write(a, values.data(), 4, first), NRT_SUCCESS);
  ASSERT_EQ(write(a, values.data(), 4, second), NRT_SUCCESS);
  NRT_STATUS ret;
  for (unsigned i = 2; i < kKept; ++i)
    while (nrta_tensor_write(a, values.data(), 0, 4, 0, 0, &ret, &last.seq) ==
           NRT_QUEUE_FULL)
      std::this_thread::yield();
  waitFor(last);
  EXPECT_GT(spanOf(first.seq).length(), 0u);
  while (write(a, values.data(), 4, last) == NRT_QUEUE_FULL) {
  }
  waitFor(last);
  uint64_t start, end;
  EXPECT_EQ(neuron_sim_request_span(first.seq, &start, &end), NRT_INVALID);
  expectError("too long ago");
  EXPECT_GT(spanOf(last.seq).start, spanOf(second.seq).end);
}

} // namespace

//===- StreamTest.cpp - streams, marks and memory among threads -----------===//
//
// What tasks write has no lock of its own here: only the streams' order keeps
// it right, which ThreadSanitizer checks (docs/testing.md).
//
//===----------------------------------------------------------------------===//
#include "runtime/device/Stream.h"
#include "runtime/device/Spans.h"
#include "runtime/device/Transfer.h"
#include <c10/util/Exception.h>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <thread>

using namespace neuron;
using namespace neuron::device;

namespace {

class Call final : public Task {
public:
  explicit Call(std::function<void(TaskFailure &)> function)
      : Task(Kind::Copy, "test"), function(std::move(function)) {}
  bool run(uint64_t, Span &, TaskFailure &failure) override {
    function(failure);
    return failure.message.empty();
  }

private:
  std::function<void(TaskFailure &)> function;
};

void call(Stream &stream, std::function<void()> function) {
  stream.enqueue(std::make_unique<Call>(
      [function = std::move(function)](TaskFailure &) { function(); }));
}

void inThreads(int count, const std::function<void(int)> &function) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(function, i);
  for (std::thread &thread : threads)
    thread.join();
}

class Streams : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("NEURON_MLIR_RUNTIME", SIMULATOR, 1);
    ASSERT_TRUE(initialize());
  }
};

TEST_F(Streams, MarksOrderWhatStreamsDo) {
  constexpr int kSteps = 400;
  Stream *streams[] = {&newStream(0), &newStream(0), &newStream(0),
                       &defaultStream(0)};
  std::vector<int> order;
  for (int step = 0; step < kSteps; ++step) {
    Stream &stream = *streams[step % 4];
    if (step)
      stream.waitFor(streams[(step - 1) % 4]->record());
    call(stream, [&, step] { order.push_back(step); });
  }
  for (Stream *stream : streams)
    stream->synchronize();
  ASSERT_EQ(order.size(), size_t(kSteps));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(Streams, ThreadsShareAStreamAndItsQueueHasABound) {
  constexpr int kThreads = 4, kTasks = 3000;
  Stream &stream = newStream(0);
  int count = 0;
  inThreads(kThreads, [&](int) {
    for (int i = 0; i < kTasks; ++i)
      call(stream, [&] { ++count; });
  });
  stream.synchronize();
  EXPECT_EQ(count, kThreads * kTasks);
}

TEST_F(Streams, TheHostWaitsForMarks) {
  Stream &stream = newStream(0);
  int value = 0;
  for (int i = 1; i <= 100; ++i) {
    call(stream, [&, i] { value = i; });
    auto mark = stream.record();
    mark->waitOnHost();
    EXPECT_EQ(value, i);
    EXPECT_TRUE(mark->reached());
  }
}

TEST_F(Streams, AFailureReachesOneWaiterAndTheStreamGoesOn) {
  Stream &stream = newStream(0);
  for (int round = 0; round < 20; ++round) {
    stream.enqueue(std::make_unique<Call>([](TaskFailure &failure) {
      failure.message = "index 9 is out of range";
      failure.isIndexError = true;
    }));
    std::atomic<int> raised = 0;
    inThreads(4, [&](int) {
      try {
        stream.synchronize();
      } catch (const c10::IndexError &error) {
        EXPECT_NE(std::string(error.what()).find("test: index 9"),
                  std::string::npos);
        ++raised;
      }
    });
    EXPECT_EQ(raised, 1);
  }
  EXPECT_TRUE(stream.isIdle());
  EXPECT_NO_THROW(stream.synchronize());
}

TEST_F(Streams, RecordingGoesOnAndOffWhileTheyWork) {
  Stream &stream = newStream(0);
  takeSpans();
  std::atomic<bool> stop = false;
  std::thread switcher([&] {
    while (!stop) {
      setRecording(true);
      setRecording(false);
    }
  });
  inThreads(2, [&](int) {
    for (int i = 0; i < 1000; ++i)
      call(stream, [] {});
  });
  stream.synchronize();
  stop = true;
  switcher.join();
  EXPECT_LE(takeSpans().size(), 2000u);
}

/// Bytes written on one stream, copied on a second, read on a third, while
/// other threads take and give back memory.
TEST_F(Streams, BytesGoThroughThreeStreams) {
  inThreads(3, [](int thread) {
    Allocator &allocator = Allocator::get();
    Stream &writer = newStream(0), &copier = newStream(0),
           &reader = newStream(0);
    constexpr size_t kBytes = 1 << 16;
    for (int round = 0; round < 30; ++round) {
      std::vector<uint8_t> bytes(kBytes, uint8_t(31 * thread + round)),
          back(kBytes);
      setCurrentStream(writer);
      c10::DataPtr first = allocator.allocate(kBytes);
      writeBytes(allocator.rangeOf(first.get()), bytes.data(), kBytes, "write");
      std::fill(bytes.begin(), bytes.end(), 0); // it may be changed at once
      copier.waitFor(writer.record());
      setCurrentStream(copier);
      c10::DataPtr second = allocator.allocate(kBytes);
      copyBytes(allocator.rangeOf(first.get()), allocator.rangeOf(second.get()),
                kBytes, "copy");
      // Freed on this thread while the copy may not be done.
      allocator.recordStream(first, copier.unwrap());
      first.clear();
      reader.waitFor(copier.record());
      setCurrentStream(reader);
      readBytes(allocator.rangeOf(second.get()), back.data(), kBytes, "read");
      EXPECT_EQ(back,
                std::vector<uint8_t>(kBytes, uint8_t(31 * thread + round)));
    }
  });
  synchronizeDevice(0);
  Allocator::get().emptyCache();
  EXPECT_TRUE(Allocator::get().held(0).empty());
}

} // namespace

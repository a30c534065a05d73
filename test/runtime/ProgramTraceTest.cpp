//===- ProgramTraceTest.cpp - every instruction of an execution -----------===//
#include "runtime/profile/ProgramTrace.h"
#include "runtime/program/Builder.h"
#include "runtime/simulator/Simulator.h"
#include "test/runtime/SampleProgram.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::profile;

namespace {

ProgramTrace trace(const Program &program) {
  auto result = traceProgram(program);
  EXPECT_TRUE(result.ok()) << result.message();
  return *result;
}

/// Units and times of both, in one order.
template <typename Events> auto timesOf(const Events &events) {
  std::vector<std::tuple<int64_t, int64_t, unsigned>> times;
  for (const auto &event : events)
    times.emplace_back(event.start, event.end, unsigned(event.unit));
  std::sort(times.begin(), times.end());
  return times;
}

TEST(ProgramTrace, HasTheTimesOfTheTimeline) {
  for (const Program &program :
       {test::addProgram(), test::addProgram(1024, 32), test::productProgram(),
        test::stridedProgram()}) {
    ProgramTrace traced = trace(program);
    auto timeline = simulator::predictTimeline(program, /*withEvents=*/true);
    ASSERT_TRUE(timeline.ok());
    EXPECT_EQ(traced.total, timeline->total);
    EXPECT_EQ(timesOf(traced.events), timesOf(timeline->events));
  }
}

/// Whatever an event waited for has ended before it starts.
TEST(ProgramTrace, DependenciesComeBefore) {
  for (const Program &program :
       {test::addProgram(1024, 32), test::productProgram()}) {
    ProgramTrace traced = trace(program);
    unsigned dependencies = 0;
    for (const TracedEvent &event : traced.events)
      for (uint32_t before : event.dependsOn) {
        ASSERT_LT(before, traced.events.size());
        EXPECT_LE(traced.events[before].end, event.start);
        ++dependencies;
      }
    EXPECT_GT(dependencies, 0u);
  }
}

/// Loads, adds and stores: the add waits for both loads, and the store for it.
TEST(ProgramTrace, SaysWhatAnInstructionWaitedFor) {
  Program program = test::addProgram();
  ProgramTrace traced = trace(program);
  auto opcodeOf = [&](uint32_t event) {
    return traced.instructions[traced.events[event].instruction]
        .instruction->opcode;
  };
  unsigned adds = 0, stores = 0;
  for (const TracedEvent &event : traced.events) {
    const Instruction &it = *traced.instructions[event.instruction].instruction;
    bool isTransfer = it.isDma() && event.unit == it.queue;
    if (isTransfer) {
      ASSERT_EQ(event.dependsOn.size(), 1u) << "its issue";
      const TracedEvent &issue = traced.events[event.dependsOn[0]];
      EXPECT_EQ(issue.instruction, event.instruction);
      EXPECT_EQ(issue.unit, it.engine);
      EXPECT_EQ(issue.iteration, event.iteration);
    } else if (it.opcode == Opcode::TensorTensor) {
      ++adds;
      std::vector<Opcode> waited;
      for (uint32_t before : event.dependsOn)
        waited.push_back(opcodeOf(before));
      EXPECT_EQ(std::count(waited.begin(), waited.end(), Opcode::DmaLoad), 2);
    } else if (it.opcode == Opcode::DmaStore) {
      ++stores;
      ASSERT_FALSE(event.dependsOn.empty());
      EXPECT_EQ(opcodeOf(event.dependsOn[0]), Opcode::TensorTensor);
    }
  }
  EXPECT_EQ(adds, 2u);
  EXPECT_EQ(stores, 2u);
}

TEST(ProgramTrace, SemaphoresBeginAgainAtABarrier) {
  auto at = [](uint32_t offset) { return tile(DType::F32, offset, 8); };
  Builder b;
  b.kernel("k");
  for (int nest = 0; nest < 2; ++nest) {
    b.memset(Unit::Vector, 1, at(0), immediate(0.f)).signal = true;
    b.copy(Unit::Scalar, 1, at(64), at(0)).waits = {waitFor(Unit::Vector, 1)};
    b.barrier();
  }
  ProgramTrace traced = trace(b.program);
  ASSERT_EQ(traced.events.size(), 4u);
  EXPECT_EQ(traced.events[1].dependsOn, std::vector<uint32_t>{0});
  EXPECT_EQ(traced.events[3].dependsOn, std::vector<uint32_t>{2});
}

TEST(ProgramTrace, WaitsThatNeverHoldAreNoDependencies) {
  auto at = [](uint32_t offset) { return tile(DType::F32, offset, 8); };
  Builder b;
  b.kernel("k");
  b.loop(3);
  b.memset(Unit::Vector, 1, at(0), immediate(0.f)).signal = true;
  // In iteration i for signal i: none in the first.
  b.copy(Unit::Scalar, 1, at(64), at(128)).waits = {
      waitFor(Unit::Vector, 0, {1})};
  b.end();
  ProgramTrace traced = trace(b.program);
  std::vector<size_t> counts;
  for (const TracedEvent &event : traced.events)
    if (event.unit == Unit::Scalar) {
      counts.push_back(event.dependsOn.size());
      EXPECT_EQ(event.iteration.size(), 1u);
    }
  EXPECT_EQ(counts, (std::vector<size_t>{0, 1, 1}));
}

} // namespace

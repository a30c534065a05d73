//===- TimelineTest.cpp - predicted times, by hand ------------------------===//
//
// Every number is derived from the documented laws with the parameters of trn2
// (compiler/target/parameters/trn2.inc), in picoseconds.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Builder.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include <gtest/gtest.h>
#include <tuple>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr DType f32 = DType::F32, bf16 = DType::BF16;
constexpr int64_t kLaunch = 9403000, kSemaphore = 30000;

Timeline predict(const Program &program) {
  Status status = verify(program);
  EXPECT_TRUE(status.ok()) << status.message();
  auto timeline = predictTimeline(program, true);
  EXPECT_TRUE(timeline.ok()) << timeline.message();
  return *timeline;
}

int64_t duration(const TimelineEvent &event) { return event.end - event.start; }

Operand at(uint32_t offset, uint32_t elems, DType dtype = f32) {
  return tile(dtype, offset, elems);
}

/// The duration of one instruction.
int64_t durationOf(const std::function<void(Builder &)> &add) {
  Builder b;
  b.kernel("k");
  add(b);
  return duration(predict(b.program).events.at(0));
}

TEST(Timeline, EmptyProgramTakesTheLaunch) {
  EXPECT_EQ(predict(Builder().program).total, kLaunch);
}

TEST(Timeline, OneInstruction) {
  Builder b;
  b.kernel("k");
  b.tensorTensor(128, at(4096, 512), Fn::add, at(0, 512), at(2048, 512));
  Timeline timeline = predict(b.program);
  ASSERT_EQ(timeline.events.size(), 1u);
  const TimelineEvent &event = timeline.events[0];
  // Startup and 512 cycles of 960 MHz.
  EXPECT_EQ(event.start, kLaunch);
  EXPECT_EQ(duration(event), 157000 + 533333);
  EXPECT_EQ(event.unit, Unit::Vector);
  EXPECT_EQ(timeline.total, event.end + kSemaphore);
}

TEST(Timeline, LawsOfInstructions) {
  auto vector = [](int64_t millicycles) { return millicycles * 1000 / 960; };
  auto scalar = [](int64_t millicycles) { return millicycles * 1000 / 1200; };
  EXPECT_EQ(durationOf([](Builder &b) {
              b.copy(Unit::Vector, 128, at(4096, 1000), at(0, 1000));
            }),
            157000 + vector(500 * 1000));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.copy(Unit::Vector, 128, at(4096, 1000, bf16),
                     at(0, 1000, bf16));
            }),
            157000 + vector(250 * 1000));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.copy(Unit::Vector, 128, at(4096, 1000), at(0, 1000, bf16));
            }),
            157000 + vector(770 * 1000));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.tensorTensor(128, at(4096, 1000, bf16), Fn::mul,
                             at(0, 1000, bf16), at(2048, 1000, bf16));
            }),
            157000 + vector(500 * 1000));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.add(Opcode::Reciprocal, Unit::Vector, 128, at(4096, 100),
                    {at(0, 100)});
            }),
            154000 + vector(6000 * 100));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.reduce(128, at(4096, 1), Fn::add, at(0, 1000));
            }),
            157000 + vector(1000 * 1000));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.tensorTensorScan(128, at(4096, 1000), at(0, 1000), Fn::mul,
                                 Fn::add, at(8192, 1000), immediate(0.0f));
            }),
            157000 + vector(2000 * 1000));
  EXPECT_EQ(durationOf([](Builder &b) {
              b.memset(Unit::Vector, 128, at(0, 1000), immediate(0.0f));
            }),
            58000 + vector(800 * 1000));
  // Scale and bias from SBUF.
  EXPECT_EQ(durationOf([](Builder &b) {
              b.activation(128, at(4096, 1000), Fn::identity, at(0, 1000),
                           at(8192, 1), at(8196, 1));
            }),
            203000 + 2 * 91000 + scalar(1000 * 1000));
  // The sum is there after the accumulator was read.
  EXPECT_EQ(durationOf([](Builder &b) {
              b.activation(128, {}, Fn::square, at(0, 1000), {}, {},
                           at(8192, 1));
            }),
            203000 + scalar(1000 * 1000) + 279000);
  EXPECT_EQ(durationOf([](Builder &b) {
              b.gpsimd(128, at(8192, 100, DType::I64), Fn::mul, DType::I64,
                       {at(0, 100, DType::I64), immediate(DType::I64, 3)});
            }),
            177000 + scalar(2 * 2000 * 100));
}

TEST(Timeline, IndependentInstructionsFollowClosely) {
  Builder b;
  b.kernel("k");
  b.tensorTensor(128, at(4096, 512), Fn::add, at(0, 512), at(2048, 512));
  b.tensorTensor(128, at(8192, 512), Fn::add, at(0, 512), at(2048, 512));
  b.tensorTensor(128, at(12288, 8), Fn::add, at(0, 8), at(2048, 8));
  b.tensorTensor(128, at(16384, 8), Fn::add, at(0, 8), at(2048, 8));
  Timeline timeline = predict(b.program);
  EXPECT_EQ(timeline.events[1].start, kLaunch + 533333);
  EXPECT_EQ(timeline.events[2].start, kLaunch + 2 * 533333);
  // 64 cycles at least.
  EXPECT_EQ(timeline.events[3].start, timeline.events[2].start + 66666);
}

TEST(Timeline, DependentInstructionsWaitForTheResult) {
  Builder b;
  b.kernel("k");
  b.tensorTensor(128, at(4096, 512), Fn::add, at(0, 512), at(2048, 512));
  b.tensorTensor(128, at(8192, 512), Fn::add, at(4096, 512), at(2048, 512));
  Timeline timeline = predict(b.program);
  EXPECT_EQ(timeline.events[1].start, timeline.events[0].end);
}

TEST(Timeline, EnginesOverlapUnlessTheyWait) {
  Builder b;
  b.kernel("k");
  b.tensorTensor(128, at(4096, 512), Fn::add, at(0, 512), at(2048, 512))
      .signal = true;
  b.activation(128, at(8192, 512), Fn::square, at(0, 512));
  b.activation(128, at(12288, 512), Fn::square, at(4096, 512)).waits = {
      waitFor(Unit::Vector, 1)};
  Timeline timeline = predict(b.program);
  EXPECT_EQ(timeline.events[1].start, kLaunch);
  EXPECT_EQ(timeline.events[2].start, timeline.events[0].end + kSemaphore);
}

/// Starts of two instructions, Vector's first, that use no byte in common.
std::array<int64_t, 2> startsOf(const char *target,
                                const std::function<void(Builder &)> &add) {
  Builder b(target);
  b.kernel("k");
  add(b);
  Timeline timeline = predict(b.program);
  std::array<int64_t, 2> starts{};
  for (const TimelineEvent &event : timeline.events)
    starts[event.unit == Unit::Vector ? 0 : 1] = event.start;
  return starts;
}

TEST(Timeline, VectorAndGpSimdShareThePortOfSbuf) {
  auto both = [](DType dtype) {
    return [dtype](Builder &b) {
      b.tensorTensor(128, at(4096, 512, dtype), Fn::add, at(0, 512, dtype),
                     at(2048, 512, dtype));
      b.gpsimd(128, at(16384, 64), Fn::add, f32,
               {at(20480, 64), at(24576, 64)});
    };
  };
  auto wait = [&](const char *target, DType dtype) {
    auto [vector, gpsimd] = startsOf(target, both(dtype));
    return gpsimd - vector;
  };
  // trn2: only a fast mode of Vector keeps GpSimd out; trn1: they alternate.
  EXPECT_EQ(wait("trn2", f32), 0);
  EXPECT_EQ(wait("trn2", bf16), 512 * 500 * 1000 / 960);
  EXPECT_EQ(wait("trn1", f32), 512 * 2000ll * 1000 / 1120);
}

TEST(Timeline, VectorAndScalarShareBanksOfPsum) {
  auto both = [](uint32_t bank) {
    return [bank](Builder &b) {
      b.copy(Unit::Vector, 128, at(0, 480), at(kPsumBase, 480));
      b.copy(Unit::Scalar, 128, at(4096, 480),
             at(kPsumBase + bank * 2048, 480));
    };
  };
  const int64_t trn2 = 480ll * 1000000 / 960, trn1 = 480ll * 1000000 / 1120;
  auto wait = [&](const char *target, uint32_t bank) {
    auto [vector, scalar] = startsOf(target, both(bank));
    return scalar - vector;
  };
  EXPECT_EQ(wait("trn2", 0), trn2);
  EXPECT_EQ(wait("trn2", 1), 0);
  EXPECT_EQ(wait("trn1", 1), trn1);
}

TEST(Timeline, TablesAreLoadedOnASwitch) {
  Builder b;
  b.kernel("k");
  for (Fn fn : {Fn::exp, Fn::square, Fn::exp, Fn::tanh, Fn::exp})
    b.activation(128, at(4096, 120), fn, at(0, 120));
  Timeline timeline = predict(b.program);
  const int64_t load = 1283000, busy = 100000;
  int64_t expected[] = {load, load + busy, load + 2 * busy, 2 * load + 3 * busy,
                        3 * load + 4 * busy};
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(timeline.events[i].start, kLaunch + expected[i]) << i;
}

/// Each DMA alone: [128, 512] floats are 2 KiB a partition, which is short: of
/// a rate of its own, up to a limit of time.
constexpr int64_t kDescriptor = 109000;
/// Making the descriptors of 128 partitions.
constexpr int64_t kIssue = 485000 + 128 * 900;

TEST(Timeline, OneLoad) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128, 512});
  b.kernel("k");
  b.load(Unit::Sync, queue(0), 128, at(0, 512), b.window(x, 128, 512)).signal =
      true;
  b.copy(Unit::Vector, 128, at(4096, 512), at(0, 512)).waits = {
      waitFor(queue(0), 1)};
  Timeline timeline = predict(b.program);
  ASSERT_EQ(timeline.events.size(), 3u);
  const auto &[issue, transfer, copy] =
      std::tie(timeline.events[0], timeline.events[1], timeline.events[2]);
  EXPECT_EQ(issue.unit, Unit::Sync);
  EXPECT_EQ(duration(issue), kIssue);
  EXPECT_EQ(transfer.unit, queue(0));
  EXPECT_EQ(transfer.start, issue.end + 751000);
  // Eight partitions on each of 16 DMA engines.
  EXPECT_EQ(duration(transfer), 8 * kDescriptor + 293100);
  EXPECT_EQ(copy.start, transfer.end + 314500);
}

TEST(Timeline, OneStore) {
  Builder b;
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 512});
  b.kernel("k");
  b.store(Unit::GpSimd, queue(0), 128, b.window(y, 128, 512), at(0, 512));
  Timeline timeline = predict(b.program);
  EXPECT_EQ(duration(timeline.events[0]), 870000);
  EXPECT_EQ(timeline.events[1].start, timeline.events[0].end + 565500);
  EXPECT_EQ(duration(timeline.events[1]), 8 * kDescriptor + 162300);
  EXPECT_EQ(timeline.total, timeline.events[1].end + 355000);
}

int64_t loadDuration(uint16_t parts, HbmAccess hbm, uint32_t elems) {
  Builder b;
  b.tensor("x", TensorKind::Input, f32, {512, 512});
  b.kernel("k");
  b.load(Unit::Sync, queue(0), parts, at(0, elems), std::move(hbm));
  return duration(predict(b.program).events[1]) - 293100;
}

TEST(Timeline, FewPartitionsUseFewDmaEngines) {
  auto rows = [](uint16_t parts) {
    return loadDuration(parts, Builder::window(0, 512, 512), 512);
  };
  EXPECT_EQ(rows(1), kDescriptor);
  EXPECT_EQ(rows(8), 8 * kDescriptor);
  EXPECT_EQ(rows(9), 8 * kDescriptor);
}

TEST(Timeline, DescriptorsFollowContiguousRuns) {
  // A transposed window: a descriptor for each element.
  HbmAccess transposed = Builder::window(0, 512, 512);
  std::swap(transposed.rowStrides, transposed.colStrides);
  EXPECT_EQ(loadDuration(1, transposed, 512), 512 * 12000);
  // Columns of 16 x 32 with gaps: 16 descriptors of 128 bytes.
  HbmAccess gaps = Builder::window(0, 512, 512);
  gaps.rowSizes = {1};
  gaps.rowStrides = {0};
  gaps.colSizes = {16, 32};
  gaps.colStrides = {64, 1};
  int64_t run = 128ll * 1000000 / 23000 + 7000;
  EXPECT_EQ(loadDuration(1, gaps, 512), 16 * run);
  // A window that begins inside a run is cut there: 16, 32, and 16 elements.
  gaps.column = affine(16);
  EXPECT_EQ(loadDuration(1, gaps, 64), run + 2 * 12000);
}

TEST(Timeline, DescriptorsHaveARateByTheirLength) {
  auto bytes = [](uint32_t elems) {
    return loadDuration(1, Builder::window(0, 512, elems), elems);
  };
  EXPECT_EQ(bytes(64), 256ll * 1000000 / 23000 + 7000); // 18 ns
  EXPECT_EQ(bytes(256), 1024ll * 1000000 / 16400);      // 62 ns
  EXPECT_EQ(bytes(512), 109000);
}

TEST(Timeline, TransfersShareTheDmaEngines) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128, 512});
  b.kernel("k");
  b.load(Unit::Sync, queue(0), 128, at(0, 512), b.window(x, 128, 512));
  b.load(Unit::Scalar, queue(1), 128, at(2048, 512), b.window(x, 128, 512));
  b.load(Unit::GpSimd, queue(2), 1, at(4096, 512), b.window(x, 128, 512));
  Timeline timeline = predict(b.program);
  std::array<TimelineEvent, 3> transfers;
  for (const TimelineEvent &event : timeline.events)
    if (event.unit >= Unit::Queue0)
      transfers[unsigned(event.unit) - kNumEngines] = event;
  EXPECT_EQ(transfers[0].start, transfers[1].start);
  EXPECT_EQ(duration(transfers[0]), 8 * kDescriptor + 293100);
  EXPECT_EQ(duration(transfers[1]), 16 * kDescriptor + 293100);
  // Issued later; its one partition is behind both others on DMA engine 0.
  EXPECT_EQ(transfers[2].end, transfers[1].end + kDescriptor);
}

TEST(Timeline, TransfersOfAQueueFollowEachOther) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128, 8192});
  b.kernel("k");
  b.loop(4);
  b.load(Unit::Sync, queue(0), 128, at(0, 8192), b.window(x, 128, 8192));
  b.end();
  Timeline timeline = predict(b.program);
  std::vector<TimelineEvent> transfers;
  for (const TimelineEvent &event : timeline.events)
    if (event.unit == queue(0))
      transfers.push_back(event);
  ASSERT_EQ(transfers.size(), 4u);
  // 4 MiB each at the core's share of HBM bandwidth, the fixed latency hidden.
  int64_t payload = 128ll * 8192 * 4 * 1000000 / 362500;
  EXPECT_EQ(transfers[3].start - transfers[2].start, payload);
}

TEST(Timeline, BarrierWaitsForAllUnits) {
  Builder b;
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 512});
  b.kernel("k");
  b.store(Unit::Sync, queue(0), 128, b.window(y, 128, 512), at(0, 512));
  b.barrier();
  b.memset(Unit::Vector, 128, at(0, 512), immediate(0.0f));
  Timeline timeline = predict(b.program);
  EXPECT_EQ(timeline.events[2].start, timeline.events[1].end + 355000);
}

TEST(Timeline, SemaphoresRestartAtABarrier) {
  Builder b;
  b.kernel("k");
  for (int i = 0; i < 2; ++i) {
    b.memset(Unit::Vector, 1, at(0, 8), immediate(0.0f)).signal = true;
    b.copy(Unit::Scalar, 1, at(64, 8), at(0, 8)).waits = {
        waitFor(Unit::Vector, 1)};
    b.barrier();
  }
  Timeline timeline = predict(b.program);
  EXPECT_EQ(timeline.events[3].start, timeline.events[2].end + kSemaphore);
}

TEST(Timeline, DeadlockSaysWhoWaitsForWhat) {
  Builder b;
  b.kernel("k");
  b.at("layer/copy");
  b.copy(Unit::Scalar, 1, at(0, 8), at(64, 8)).waits = {
      waitFor(Unit::Vector, 2)};
  b.memset(Unit::Vector, 1, at(64, 8), immediate(0.0f)).signal = true;
  auto timeline = predictTimeline(b.program, false);
  ASSERT_FALSE(timeline.ok());
  const std::string &message = timeline.message();
  for (const char *part :
       {"deadlock",
        "scalar holds back kernel 'k', instruction 0 [scalar.tensor_copy",
        "@ layer/copy], which waits for vector to signal 2 times; it has "
        "signalled 1",
        "vector waits for all others at a barrier of kernel 'k'"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Timeline, IsDeterministic) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128 * 50, 512});
  b.kernel("k");
  b.loop(50);
  Operand in = rotating(at(0, 512), 2, 2048);
  b.load(Unit::Sync, queue(0), 128, in,
         b.window(x, 128 * 50, 512, affine(0, {128})))
      .signal = true;
  b.tensorTensor(128, at(8192, 512), Fn::add, in, in).waits = {
      waitFor(queue(0), 1, {1})};
  b.activation(128, at(16384, 512), Fn::exp, in).waits = {
      waitFor(queue(0), 1, {1})};
  b.end();
  Timeline one = predict(b.program), two = predict(b.program);
  EXPECT_EQ(one.total, two.total);
  ASSERT_EQ(one.events.size(), 200u);
  for (size_t i = 0; i < one.events.size(); ++i) {
    EXPECT_EQ(one.events[i].start, two.events[i].start);
    EXPECT_EQ(one.events[i].end, two.events[i].end);
  }
  auto withoutEvents = predictTimeline(b.program, false);
  EXPECT_EQ(withoutEvents->total, one.total);
  EXPECT_TRUE(withoutEvents->events.empty());
}

/// z = x + y of 25600 floats by tiles of [128, width], as the published student
/// kernels (Stanford CS149, trn2): each tile loaded, added, stored, DMAs from
/// one engine.
double vectorAddMicroseconds(int64_t width) {
  int64_t tiles = 200 / width, rows = tiles * 128;
  auto elems = uint32_t(width);
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {rows, width});
  auto y = b.tensor("y", TensorKind::Input, f32, {rows, width});
  auto z = b.tensor("z", TensorKind::Output, f32, {rows, width});
  b.kernel("k");
  b.loop(tiles);
  Affine row = affine(0, {128});
  auto buffer = [&](uint32_t i) {
    return rotating(at(i * 8192, elems), 8, 1024);
  };
  b.load(Unit::Sync, queue(0), 128, buffer(0), b.window(x, rows, width, row))
      .signal = true;
  b.load(Unit::Sync, queue(0), 128, buffer(1), b.window(y, rows, width, row))
      .signal = true;
  Instruction &add =
      b.tensorTensor(128, buffer(2), Fn::add, buffer(0), buffer(1));
  add.waits = {waitFor(queue(0), 2, {2})};
  add.signal = true;
  // The store of a tile is issued after the loads of later ones.
  b.store(Unit::Sync, queue(1), 128, b.window(z, rows, width, row), buffer(2))
      .waits = {waitFor(Unit::Vector, tiles == 1 ? 1 : -3, {1})};
  b.end();
  return predict(b.program).total / 1e6;
}

TEST(Timeline, AgreesWithPublishedMeasurements) {
  EXPECT_NEAR(vectorAddMicroseconds(200), 15, 15 * 0.05);
  EXPECT_NEAR(vectorAddMicroseconds(2), 186, 186 * 0.06);
  EXPECT_NEAR(vectorAddMicroseconds(1), 378, 378 * 0.05);
}

TEST(Timeline, UnknownTargetIsAnError) {
  auto timeline = predictTimeline(Builder("trn9").program, false);
  ASSERT_FALSE(timeline.ok());
  EXPECT_EQ(timeline.message(),
            "unknown target 'trn9': this build knows trn1, trn2, trn3");
}

/// Kernels like the layers of a network: of a few kinds, in turn, each on its
/// own variable of HBM. What one leaves behind (the table of Scalar, the rate
/// of Tensor) changes what the next one takes.
Program layers(const char *target, unsigned count) {
  Builder b(target);
  for (unsigned i = 0; i < count; ++i) {
    auto x = b.tensor(("x" + std::to_string(i)).c_str(), TensorKind::Input,
                      bf16, {128 * 4, 512});
    auto y = b.tensor(("y" + std::to_string(i)).c_str(), TensorKind::Output,
                      f32, {128 * 4, 512});
    unsigned kind = i % 3;
    b.kernel(("kernel" + std::to_string(i)).c_str());
    b.at(("line " + std::to_string(i)).c_str());
    b.loop(kind == 2 ? 2 : 4);
    b.load(Unit::Sync, queue(0), 128, rotating(at(0, 512, bf16), 2, 1024),
           b.window(x, 128 * 4, 512, affine(0, {128})))
        .signal = true;
    if (kind == 0) {
      b.matmul(128, psumTile(f32, 0, 512), at(0, 128, bf16), at(0, 512, bf16))
          .waits = {waitFor(queue(0), 1, {1})};
    } else {
      b.activation(128, at(4096, 512), kind == 1 ? Fn::exp : Fn::tanh,
                   at(0, 512, bf16))
          .waits = {waitFor(queue(0), 1, {1})};
    }
    b.store(Unit::GpSimd, queue(1), 128,
            b.window(y, 128 * 4, 512, affine(0, {128})), at(8192, 512));
    b.end();
  }
  return b.program;
}

TEST(Timeline, ReuseEqualsSimulationEventByEvent) {
  for (const char *target : {"trn1", "trn2"}) {
    Program program = layers(target, 31);
    auto full = predictTimeline(program, true, Reuse::No);
    auto reused = predictTimeline(program, true, Reuse::Yes);
    ASSERT_TRUE(full.ok() && reused.ok());
    EXPECT_EQ(full->total, reused->total);
    ASSERT_EQ(full->events.size(), reused->events.size());
    for (size_t i = 0; i < full->events.size(); ++i) {
      const TimelineEvent &a = full->events[i], &b = reused->events[i];
      EXPECT_TRUE(a.instruction == b.instruction && a.unit == b.unit &&
                  a.start == b.start && a.end == b.end && a.kernel == b.kernel)
          << target << " " << i;
    }
    auto total = predictTimeline(program, false, Reuse::Yes);
    EXPECT_EQ(total->total, full->total);
    EXPECT_TRUE(total->events.empty());
  }
}

/// Kernels that differ in what times depend on are not taken for each other.
TEST(Timeline, ReuseTellsKernelsApart) {
  auto differ = [](const std::function<void(Builder &, int)> &add) {
    Builder b;
    auto x = b.tensor("x", TensorKind::Input, f32, {128, 512});
    (void)x;
    for (int i = 0; i < 2; ++i) {
      b.kernel("k");
      add(b, i);
    }
    auto full = predictTimeline(b.program, false, Reuse::No);
    auto reused = predictTimeline(b.program, false, Reuse::Yes);
    EXPECT_EQ(full->total, reused->total);
  };
  differ([](Builder &b, int i) {
    b.copy(Unit::Vector, 128, at(4096, i ? 512 : 256), at(0, i ? 512 : 256));
  });
  differ([](Builder &b, int i) { // where the columns begin cuts descriptors
    HbmAccess window = Builder::window(0, 128, 512);
    window.rowSizes = {1};
    window.rowStrides = {0};
    window.colSizes = {8, 32};
    window.colStrides = {64, 1};
    window.column = affine(i ? 16 : 0);
    b.load(Unit::Sync, queue(0), 1, at(0, 64), window);
  });
}

/// Tensor instructions one after the other: of each, from its start to its end
/// and to the start of the next one.
struct Rates {
  std::vector<int64_t> durations, intervals;
};
Rates tensorRates(unsigned count, const std::function<void(Builder &)> &add) {
  Builder b;
  b.kernel("k");
  for (unsigned i = 0; i < count; ++i)
    add(b);
  Timeline timeline = predict(b.program);
  Rates rates;
  for (size_t i = 0; i < timeline.events.size(); ++i) {
    const TimelineEvent &event = timeline.events[i];
    EXPECT_EQ(event.unit, Unit::Tensor);
    rates.durations.push_back(duration(event));
    if (i + 1 < timeline.events.size())
      rates.intervals.push_back(timeline.events[i + 1].start - event.start);
  }
  return rates;
}

void addMatmul(Builder &b, DType dtype, uint32_t rows, uint32_t columns) {
  b.matmul(128, psumTile(f32, 0, columns), at(0, rows, dtype),
           at(4096, columns, dtype));
}

TEST(Timeline, MatmulStartsAtHalfRate) {
  for (uint32_t n : {128u, 512u}) {
    auto first = [&](DType dtype) {
      return tensorRates(1, [&](Builder &b) { addMatmul(b, dtype, 128, n); })
          .durations[0];
    };
    // Measured when cold: 203 + 1.9875 N / 2.4 ns, and 381 + 2 (4 N / 2.4).
    EXPECT_NEAR(double(first(bf16)), 203e3 + 1.9875e3 * n / 2.4, 3e3);
    EXPECT_NEAR(double(first(f32)), 381e3 + 2e3 * 4 * n / 2.4, 1);
  }
}

TEST(Timeline, MatmulReachesItsRate) {
  auto last = [](DType dtype, uint32_t rows, uint32_t columns) {
    return tensorRates(400,
                       [&](Builder &b) { addMatmul(b, dtype, rows, columns); })
        .intervals.back();
  };
  auto cycles = [](int64_t count) { return count * 1000000 / 2400; };
  EXPECT_EQ(last(bf16, 128, 512), cycles(512 + 5));
  EXPECT_EQ(last(f32, 128, 512), cycles(4 * (512 + 5)));
  // Measured: every 7.2 + 1.70 N ns.
  EXPECT_NEAR(double(last(f32, 128, 512)), 7.2e3 + 1.70e3 * 512, 20e3);
  // max(min(64, M), N) cycles.
  EXPECT_EQ(last(bf16, 128, 16), cycles(64 + 5));
  EXPECT_EQ(last(bf16, 16, 16), cycles(16 + 5));
  EXPECT_EQ(last(bf16, 16, 128), cycles(128 + 5));
}

TEST(Timeline, MatmulIsThrottledFor3Microseconds) {
  Rates rates =
      tensorRates(20, [](Builder &b) { addMatmul(b, bf16, 128, 512); });
  int64_t cold = 2 * 517 * 1000000ll / 2400, warm = 517 * 1000000ll / 2400;
  // 430.8 ns each: the seventh makes it 3 us.
  for (size_t i = 0; i < rates.intervals.size(); ++i)
    EXPECT_EQ(rates.intervals[i], i < 7 ? cold : warm) << i;
}

TEST(Timeline, ThrottleComesBackWhenIdle) {
  // Each load takes more than 3 us, so that Tensor is cold again.
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128, 16384});
  b.kernel("k");
  for (int i = 0; i < 20; ++i)
    addMatmul(b, bf16, 128, 512);
  b.load(Unit::Sync, queue(0), 128, tile(f32, 8192, 16384),
         b.window(x, 128, 16384));
  b.barrier();
  addMatmul(b, bf16, 128, 512);
  Timeline timeline = predict(b.program);
  EXPECT_EQ(duration(timeline.events.back()),
            203000 + 2 * 512 * 1000000ll / 2400);
}

TEST(Timeline, TransposeAsMeasured) {
  // Cold, 128 x 128: finished after 377 ns, the next one after 168 ns.
  Rates rates = tensorRates(2, [](Builder &b) {
    b.transpose(128, psumTile(f32, 0, 128), at(0, 128));
  });
  EXPECT_NEAR(double(rates.durations[0]), 377e3, 1e3);
  EXPECT_NEAR(double(rates.intervals[0]), 168e3, 1e3);
}

TEST(Timeline, AccumulationDoesNotWaitForItself) {
  Rates rates = tensorRates(2, [](Builder &b) {
    b.matmul(128, psumTile(f32, 0, 128), at(0, 128), at(4096, 128),
             Accumulate::Yes);
  });
  EXPECT_LT(rates.intervals[0], rates.durations[0]);
}

TEST(Timeline, PsumIsReadAtItsRate) {
  EXPECT_EQ(durationOf([](Builder &b) {
              b.copy(Unit::Vector, 128, at(4096, 512), psumTile(f32, 0, 512));
            }),
            157000 + 512 * 1000000ll / 960);
  // Measured: 158.7 + 0.833 N.
  EXPECT_EQ(durationOf([](Builder &b) {
              b.copy(Unit::Scalar, 128, at(4096, 512), psumTile(f32, 0, 512));
            }),
            158700 + 512 * 1000000ll / 1200);
}

} // namespace

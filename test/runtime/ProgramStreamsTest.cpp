//===- ProgramStreamsTest.cpp - the streams of the engines ----------------===//
#include "runtime/program/Builder.h"
#include "runtime/program/Streams.h"
#include <gtest/gtest.h>

using namespace neuron::program;

namespace {

/// A letter for each instruction's first counters: "a00 a01 | ..."; the bar is
/// a barrier, a double one the end of a kernel.
std::string walk(const Streams &streams, Unit engine) {
  std::string text;
  for (Stream stream(streams, engine); !stream.atEnd(); stream.advance()) {
    const Executed &it = stream.current();
    text += text.empty() ? "" : " ";
    if (!it.instruction) {
      text += it.endsKernel ? "||" : "|";
      continue;
    }
    text += static_cast<char>('a' + it.number);
    for (unsigned i = 0; i < it.depth; ++i)
      text += std::to_string(it.counters[i]);
  }
  return text;
}

const Operand kTile = tile(DType::F32, 0, 4);

TEST(ProgramStreams, UnrollNestedLoopsForEachEngine) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 1, kTile, immediate(0.0f)); // a
  b.loop(2);
  b.memset(Unit::GpSimd, 1, kTile, immediate(0.0f)); // b
  b.loop(3);
  b.memset(Unit::Vector, 1, kTile, immediate(0.0f)); // c
  b.end();
  b.loop(1000000);                       // nothing of Vector
  b.copy(Unit::Scalar, 1, kTile, kTile); // d
  b.end();
  b.memset(Unit::Vector, 1, kTile, immediate(0.0f)); // e
  b.end();
  b.barrier();
  b.memset(Unit::Vector, 1, kTile, immediate(0.0f)); // f
  b.kernel("l");
  b.memset(Unit::GpSimd, 1, kTile, immediate(0.0f)); // g

  Streams streams(b.program);
  EXPECT_EQ(walk(streams, Unit::Vector),
            "a c00 c01 c02 e0 c10 c11 c12 e1 | f || ||");
  EXPECT_EQ(walk(streams, Unit::GpSimd), "b0 b1 | || g ||");
  EXPECT_EQ(walk(streams, Unit::Sync), "| || ||");
  ASSERT_EQ(streams.instructions().size(), 7u);
  EXPECT_EQ(streams.instructions()[6].kernel, 1u);
  EXPECT_EQ(streams.instructions()[6].index, 0u);
  EXPECT_EQ(streams.instructions()[4].index, 4u);
}

TEST(ProgramStreams, BarriersInLoops) {
  Builder b;
  b.kernel("k");
  b.loop(2);
  b.memset(Unit::Vector, 1, kTile, immediate(0.0f));
  b.barrier();
  b.end();
  Streams streams(b.program);
  EXPECT_EQ(walk(streams, Unit::Vector), "a0 | a1 | ||");
  EXPECT_EQ(walk(streams, Unit::Sync), "| | ||");
}

TEST(ProgramStreams, DmaIsInItsIssuersStream) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, DType::F32, {1, 4});
  b.kernel("k");
  b.load(Unit::Scalar, queue(3), 1, kTile, b.window(x, 1, 4));
  Streams streams(b.program);
  EXPECT_EQ(walk(streams, Unit::Scalar), "a ||");
  EXPECT_EQ(walk(streams, Unit::Sync), "||");
}

TEST(ProgramStreams, RotationFollowsTheInnermostLoop) {
  Builder b;
  b.kernel("k");
  b.loop(2);
  b.loop(3);
  b.memset(Unit::Vector, 1, rotating(kTile, 2, 256), immediate(0.0f));
  b.end();
  b.end();
  Streams streams(b.program);
  std::vector<uint32_t> offsets;
  for (Stream stream(streams, Unit::Vector); stream.current().instruction;
       stream.advance())
    offsets.push_back(
        stream.current().offsetOf(stream.current().instruction->dst));
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 256, 0, 0, 256, 0}));
}

} // namespace

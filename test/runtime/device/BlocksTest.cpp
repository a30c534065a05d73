//===- BlocksTest.cpp - segments and blocks of device memory --------------===//
#include "runtime/device/Blocks.h"
#include <gtest/gtest.h>
#include <random>

using namespace neuron::device;

namespace {

constexpr size_t kMiB = size_t(1) << 20;

class BlocksTest : public testing::Test {
protected:
  /// As the allocator does: from the free ones, or from a new segment.
  Block *take(size_t bytes, c10::StreamId stream = 0) {
    bytes = sizeClass(bytes);
    Block *block = blocks.take(bytes, stream);
    if (!block) {
      Segment segment;
      segment.size = Blocks::segmentSize(bytes);
      segment.isLarge = bytes >= kLargeRequest;
      segment.address = reinterpret_cast<uint8_t *>(next += size_t(1) << 32);
      block = blocks.take(bytes, stream, segment);
    }
    block->requested = bytes;
    block->stream = stream;
    return block;
  }
  Blocks blocks;
  size_t next = 0;
};

TEST_F(BlocksTest, SizeClassesAreAnEighthApart) {
  EXPECT_EQ(sizeClass(1), 256u);
  EXPECT_EQ(sizeClass(257), 512u);
  EXPECT_EQ(sizeClass(4096), 4096u);
  EXPECT_EQ(sizeClass(4097), 4096u + 512);
  EXPECT_EQ(sizeClass(16 * kMiB + 1), 16 * kMiB + 256);
  for (size_t bytes = 1; bytes < 64 * kMiB; bytes += bytes / 3 + 1) {
    EXPECT_GE(sizeClass(bytes), bytes);
    EXPECT_LE(sizeClass(bytes), bytes + std::max<size_t>(256, bytes / 8));
    EXPECT_EQ(sizeClass(sizeClass(bytes)), sizeClass(bytes));
  }
}

TEST_F(BlocksTest, SegmentsByTheSizeOfTheRequest) {
  EXPECT_EQ(Blocks::segmentSize(256), 2 * kMiB);
  EXPECT_EQ(Blocks::segmentSize(kMiB), 32 * kMiB);
  EXPECT_EQ(Blocks::segmentSize(100 * kMiB), 100 * kMiB);
}

TEST_F(BlocksTest, AFreedBlockIsTakenAgain) {
  Block *block = take(1000);
  uint8_t *address = block->address();
  blocks.giveBack(block);
  EXPECT_EQ(take(1000)->address(), address);
  EXPECT_EQ(blocks.segments(), 1u);
}

TEST_F(BlocksTest, AnotherStreamDoesNotGetIt) {
  blocks.giveBack(take(1000, 0));
  take(1000, 1);
  EXPECT_EQ(blocks.segments(), 2u);
}

TEST_F(BlocksTest, NeighboursJoin) {
  std::vector<Block *> parts;
  for (int i = 0; i < 16; ++i)
    parts.push_back(take(2 * kMiB));
  EXPECT_EQ(blocks.segments(), 1u);
  for (int i : {3, 1, 2, 0, 15, 14, 13, 12, 4, 6, 5, 7, 8, 10, 9, 11})
    blocks.giveBack(parts[i]);
  EXPECT_EQ(blocks.strandedBytes(), 0u) << "one free block is left";
  size_t released = 0;
  blocks.releaseFree([&](Segment &segment) { released += segment.size; });
  EXPECT_EQ(released, 32 * kMiB);
  EXPECT_EQ(blocks.segments(), 0u);
}

TEST_F(BlocksTest, UsedSegmentsStay) {
  Block *kept = take(1000);
  blocks.giveBack(take(5 * kMiB));
  size_t released = 0;
  blocks.releaseFree([&](Segment &segment) { released += segment.size; });
  EXPECT_EQ(released, 32 * kMiB);
  EXPECT_EQ(blocks.segments(), 1u);
  blocks.giveBack(kept);
}

TEST_F(BlocksTest, StrandedBytesAreThoseBetweenTensors) {
  Block *first = take(2 * kMiB);
  take(2 * kMiB);
  blocks.giveBack(first);
  EXPECT_EQ(blocks.strandedBytes(), 30 * kMiB);
}

TEST_F(BlocksTest, RandomTrafficNeverOverlaps) {
  std::mt19937 random(1);
  std::vector<Block *> taken;
  for (int step = 0; step < 20000; ++step) {
    if (!taken.empty() && random() % 100 < 48) {
      size_t index = random() % taken.size();
      blocks.giveBack(taken[index]);
      taken.erase(taken.begin() + index);
      continue;
    }
    size_t bytes = random() % 10 ? random() % 4096 + 1 : random() % (3 * kMiB);
    taken.push_back(take(std::max<size_t>(bytes, 1), random() % 3));
  }
  std::map<uint8_t *, size_t> ranges;
  size_t whole = 0, inSegments = 0;
  std::set<Segment *> segments;
  blocks.forEach([&](const Block &block) {
    ASSERT_TRUE(ranges.emplace(block.address(), block.size).second);
    whole += block.size;
    if (segments.insert(block.segment).second)
      inSegments += block.segment->size;
  });
  EXPECT_EQ(whole, inSegments);
  for (auto at = ranges.begin(); std::next(at) != ranges.end(); ++at)
    EXPECT_LE(at->first + at->second, std::next(at)->first);
}

} // namespace

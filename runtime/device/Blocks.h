//===- Blocks.h - segments of device memory and their blocks ----*- C++ -*-===//
//
// A segment is one allocation of the runtime; a block is a part of it, or all.
// Requests under 1 MB come from segments of 2 MB, larger ones from segments of
// 32 MB, and those of 16 MB and more have a segment of their own. Sizes under
// 16 MB are rounded up to a size class, so that a freed block fits the next
// request of about the same size.
//
// A free block may be taken by the stream that used it last and no other: that
// stream runs in order, so what it still does with the old contents is done
// before the new ones are written.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/include/nrt/nrt.h"
#include <c10/core/Stream.h>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace neuron::device {

constexpr size_t kSmallestBlock = 256;
constexpr size_t kLargeRequest = size_t(1) << 20;
constexpr size_t kOwnSegment = size_t(16) << 20;
constexpr size_t kSmallSegment = size_t(2) << 20;
constexpr size_t kLargeSegment = size_t(32) << 20;

/// What a request takes: a size class, an eighth of a power of two apart.
size_t sizeClass(size_t bytes);

struct Segment {
  nrt_tensor_t *tensor = nullptr;
  uint8_t *address = nullptr;
  size_t size = 0;
  bool isLarge = false;
};

struct Block {
  Segment *segment = nullptr;
  size_t offset = 0, size = 0; ///< in the segment
  size_t requested = 0;        ///< 0: free
  c10::StreamId stream = 0;
  c10::DeviceIndex device = 0;
  Block *before = nullptr, *after = nullptr; ///< neighbours in the segment
  /// What asked for it, for the report of a full memory: "aten::mm".
  const char *owner = "";
  /// Other streams that use it (Tensor.record_stream).
  std::vector<c10::StreamId> users;

  uint8_t *address() const { return segment->address + offset; }
};

/// The free blocks and the segments of one core. Not synchronized.
class Blocks {
public:
  ~Blocks();

  /// A block that is free for `stream`; null if a new segment is needed.
  Block *take(size_t bytes, c10::StreamId stream);
  /// A block of a new segment.
  Block *take(size_t bytes, c10::StreamId stream, Segment segment);
  void giveBack(Block *block);

  static size_t segmentSize(size_t bytes);

  /// Removes the segments that no block is taken from, and hands each to
  /// `release`.
  void releaseFree(const std::function<void(Segment &)> &release);

  void forEach(const std::function<void(const Block &)> &visit) const;
  size_t segments() const { return firsts.size(); }
  /// Of the free blocks beside taken ones.
  size_t strandedBytes() const;

private:
  struct BySize {
    bool operator()(const Block *a, const Block *b) const {
      return std::tie(a->stream, a->size, a->segment, a->offset) <
             std::tie(b->stream, b->size, b->segment, b->offset);
    }
  };
  using Pool = std::set<Block *, BySize>;
  Pool &poolOf(const Block &block) {
    return block.segment->isLarge ? large : small;
  }
  void split(Block *block, size_t bytes);
  void absorb(Block *block, Block *neighbour);

  Pool small, large;
  std::map<Segment *, Block *> firsts; ///< first block of each segment
};

} // namespace neuron::device

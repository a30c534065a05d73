//===- Blocks.cpp - segments of device memory and their blocks ------------===//
#include "runtime/device/Blocks.h"
#include <algorithm>
#include <bit>

using namespace neuron;
using namespace neuron::device;

size_t device::sizeClass(size_t bytes) {
  if (bytes <= kSmallestBlock)
    return kSmallestBlock;
  // What has a segment of its own is only aligned.
  size_t step = bytes >= kOwnSegment
                    ? kSmallestBlock
                    : std::max(kSmallestBlock, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

size_t Blocks::segmentSize(size_t bytes) {
  if (bytes < kLargeRequest)
    return kSmallSegment;
  return bytes < kOwnSegment ? kLargeSegment : bytes;
}

Blocks::~Blocks() {
  for (auto [segment, block] : firsts) {
    while (block)
      delete std::exchange(block, block->after);
    delete segment;
  }
}

Block *Blocks::take(size_t bytes, c10::StreamId stream) {
  Pool &pool = bytes < kLargeRequest ? small : large;
  Block wanted;
  wanted.stream = stream;
  wanted.size = bytes;
  auto at = pool.lower_bound(&wanted);
  if (at == pool.end() || (*at)->stream != stream)
    return nullptr;
  Block *block = *at;
  // A big free block is not for a request that much smaller ones serve.
  if (bytes < kOwnSegment && block->segment->size > kLargeSegment)
    return nullptr;
  if (bytes >= kOwnSegment && block->size - bytes > kLargeSegment)
    return nullptr;
  pool.erase(at);
  split(block, bytes);
  return block;
}

Block *Blocks::take(size_t bytes, c10::StreamId stream, Segment segment) {
  auto *kept = new Segment(segment);
  auto *block = new Block;
  block->segment = kept;
  block->size = kept->size;
  block->stream = stream;
  firsts.emplace(kept, block);
  split(block, bytes);
  return block;
}

/// The rest of a block becomes a free one, if it is worth it.
void Blocks::split(Block *block, size_t bytes) {
  size_t rest = block->size - bytes;
  if (rest < (block->segment->isLarge ? kLargeRequest : kSmallestBlock))
    return;
  auto *free = new Block(*block);
  free->users.clear();
  free->requested = 0;
  free->offset += bytes;
  free->size = rest;
  free->before = block;
  if (block->after)
    block->after->before = free;
  block->after = free;
  block->size = bytes;
  poolOf(*free).insert(free);
}

/// `neighbour` stands right behind `block`; both are free and in no pool.
void Blocks::absorb(Block *block, Block *neighbour) {
  block->size += neighbour->size;
  block->after = neighbour->after;
  if (block->after)
    block->after->before = block;
  delete neighbour;
}

void Blocks::giveBack(Block *block) {
  block->requested = 0;
  block->users.clear();
  auto isFree = [&](Block *other) {
    return other && other->requested == 0 && other->stream == block->stream &&
           poolOf(*other).erase(other);
  };
  if (Block *after = block->after; isFree(after))
    absorb(block, after);
  if (Block *before = block->before; isFree(before)) {
    absorb(before, block);
    block = before;
  }
  poolOf(*block).insert(block);
}

void Blocks::releaseFree(const std::function<void(Segment &)> &release) {
  for (auto at = firsts.begin(); at != firsts.end();) {
    auto [segment, block] = *at;
    if (block->requested != 0 || block->after || !poolOf(*block).erase(block)) {
      ++at;
      continue;
    }
    at = firsts.erase(at);
    delete block;
    release(*segment);
    delete segment;
  }
}

void Blocks::forEach(const std::function<void(const Block &)> &visit) const {
  for (auto [segment, block] : firsts)
    for (; block; block = block->after)
      visit(*block);
}

size_t Blocks::strandedBytes() const {
  size_t bytes = 0;
  forEach([&](const Block &block) {
    if (block.requested == 0 && block.size != block.segment->size)
      bytes += block.size;
  });
  return bytes;
}

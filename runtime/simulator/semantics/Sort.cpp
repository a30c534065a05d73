//===- Sort.cpp - rows in order -------------------------------------------===//
//
// Each element becomes an unsigned key that orders as the element does; the
// keys are sorted by bytes, which is stable.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Sort.h"
#include "runtime/simulator/semantics/Semantics.h"
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace neuron::simulator::semantics {
namespace {

struct Keyed {
  uint64_t key;
  int64_t index;
};

uint64_t maskOf(unsigned bits) {
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// The bits of infinity: above it, the sign aside, are the NaNs.
uint64_t infinityOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return 0x7C00;
  case DType::BF16:
    return 0x7F80;
  case DType::F32:
    return 0x7F800000;
  default:
    return 0x7FF0000000000000;
  }
}

uint64_t keyOf(DType dtype, uint64_t bits) {
  unsigned width = 8 * program::bytesOf(dtype);
  uint64_t sign = uint64_t(1) << (width - 1), mask = maskOf(width);
  if (dtype == DType::Bool)
    return bits != 0;
  if (program::isFloat8(dtype)) { // in the order of what they are in float32
    float wide;
    rowCast(CastKind::Torch, dtype, DType::F32)(&bits, 1, &wide, 1);
    return keyOf(DType::F32, std::bit_cast<uint32_t>(wide));
  }
  if (!program::isFloat(dtype))
    return program::info(dtype).isSigned ? bits ^ sign : bits;
  uint64_t magnitude = bits & (sign - 1);
  if (magnitude > infinityOf(dtype))
    return mask;
  if (magnitude == 0) // -0.0 is 0.0
    return sign;
  return bits & sign ? ~bits & mask : bits | sign;
}

/// One pass for each byte in which keys differ.
void sortByBytes(std::vector<Keyed> &items, unsigned bytes) {
  std::vector<Keyed> other(items.size());
  for (unsigned byte = 0; byte < bytes; ++byte) {
    std::array<size_t, 256> start{};
    auto digitOf = [&](const Keyed &item) {
      return item.key >> (8 * byte) & 0xff;
    };
    for (const Keyed &item : items)
      ++start[digitOf(item)];
    if (start[digitOf(items.front())] == items.size())
      continue;
    size_t sum = 0;
    for (size_t &count : start)
      sum += std::exchange(count, sum);
    for (const Keyed &item : items)
      other[start[digitOf(item)]++] = item;
    items.swap(other);
  }
}

} // namespace

void sortRow(DType dtype, const void *src, int64_t n, bool descending,
             void *values, int64_t *indices) {
  if (n == 0)
    return;
  unsigned bytes = program::bytesOf(dtype);
  const auto *in = static_cast<const uint8_t *>(src);
  thread_local std::vector<Keyed> items;
  items.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, in + i * bytes, bytes);
    uint64_t key = keyOf(dtype, bits);
    items[i] = {descending ? ~key : key, i};
  }
  sortByBytes(items, bytes);
  auto *out = static_cast<uint8_t *>(values);
  for (int64_t i = 0; i < n; ++i) {
    if (out)
      std::memcpy(out + i * bytes, in + items[i].index * bytes, bytes);
    if (indices)
      indices[i] = items[i].index;
  }
}

} // namespace neuron::simulator::semantics

//===- Md5.cpp - the MD5 digest -------------------------------------------===//
#include "compiler/neff/Md5.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace neuron::neff {
namespace {

using State = std::array<uint32_t, 4>;

/// floor(2^32 * |sin(i + 1)|), as the RFC defines its constants.
const std::array<uint32_t, 64> &sines() {
  static const auto table = [] {
    std::array<uint32_t, 64> values{};
    for (unsigned i = 0; i < 64; ++i)
      values[i] = static_cast<uint32_t>(
          std::floor(std::fabs(std::sin(double(i + 1))) * 4294967296.0));
    return values;
  }();
  return table;
}

constexpr uint8_t kRotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

void addBlock(State &state, const uint8_t *block) {
  uint32_t words[16];
  for (unsigned i = 0; i < 16; ++i)
    words[i] = uint32_t(block[4 * i]) | uint32_t(block[4 * i + 1]) << 8 |
               uint32_t(block[4 * i + 2]) << 16 |
               uint32_t(block[4 * i + 3]) << 24;
  const auto &k = sines();
  auto [a, b, c, d] = state;
  for (unsigned i = 0; i < 64; ++i) {
    uint32_t mix, word;
    switch (i / 16) {
    case 0:
      mix = (b & c) | (~b & d);
      word = i;
      break;
    case 1:
      mix = (d & b) | (~d & c);
      word = 5 * i + 1;
      break;
    case 2:
      mix = b ^ c ^ d;
      word = 3 * i + 5;
      break;
    default:
      mix = c ^ (b | ~d);
      word = 7 * i;
      break;
    }
    uint32_t sum = a + mix + k[i] + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[i / 16][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

} // namespace

Md5Digest md5(std::span<const uint8_t> data) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  size_t at = 0;
  for (; data.size() - at >= 64; at += 64)
    addBlock(state, data.data() + at);

  // The tail: a one bit, zeros, and the length in bits.
  uint8_t tail[128] = {};
  size_t left = data.size() - at;
  if (left)
    std::memcpy(tail, data.data() + at, left);
  tail[left] = 0x80;
  size_t tailSize = left < 56 ? 64 : 128;
  uint64_t bits = uint64_t(data.size()) * 8;
  for (unsigned i = 0; i < 8; ++i)
    tail[tailSize - 8 + i] = static_cast<uint8_t>(bits >> 8 * i);
  for (size_t i = 0; i < tailSize; i += 64)
    addBlock(state, tail + i);

  Md5Digest digest;
  for (unsigned i = 0; i < 16; ++i)
    digest[i] = static_cast<uint8_t>(state[i / 4] >> 8 * (i % 4));
  return digest;
}

} // namespace neuron::neff

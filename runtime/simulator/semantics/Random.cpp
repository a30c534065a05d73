//===- Random.cpp - Philox4x32-10 -----------------------------------------===//
//
// J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Random.h"
#include <bit>

namespace neuron::simulator::semantics {
namespace {

/// The first 64 of the 128 bits of a block.
uint64_t philox(uint64_t key, uint64_t counter) {
  uint32_t c0 = static_cast<uint32_t>(counter),
           c1 = static_cast<uint32_t>(counter >> 32), c2 = 0, c3 = 0;
  uint32_t k0 = static_cast<uint32_t>(key),
           k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * c0;
    uint64_t second = uint64_t(0xCD9E8D57) * c2;
    c0 = static_cast<uint32_t>(second >> 32) ^ c1 ^ k0;
    c2 = static_cast<uint32_t>(first >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(second);
    c3 = static_cast<uint32_t>(first);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return uint64_t(c1) << 32 | c0;
}

/// Exactly representable, so no rounding can make it 1.
float uniform(uint64_t bits, int digits) {
  return static_cast<float>(bits >> (64 - digits)) /
         static_cast<float>(uint32_t(1) << digits);
}

/// A float16 in [0, 1) that is a multiple of 2^-11: exact.
uint16_t asF16(float value) {
  if (value == 0)
    return 0;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits >> 13) - (112u << 10));
}

} // namespace

void randomRow(DType dtype, uint64_t key, int64_t first, int64_t step,
               void *dst, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits =
        philox(key, static_cast<uint64_t>(first) +
                        static_cast<uint64_t>(step) * static_cast<uint64_t>(i));
    switch (dtype) {
    case DType::F32:
      static_cast<float *>(dst)[i] = uniform(bits, 24);
      break;
    case DType::F64:
      static_cast<double *>(dst)[i] = static_cast<double>(bits >> 11) * 0x1p-53;
      break;
    case DType::BF16:
      static_cast<uint16_t *>(dst)[i] = static_cast<uint16_t>(
          std::bit_cast<uint32_t>(uniform(bits, 8)) >> 16);
      break;
    case DType::F16:
      static_cast<uint16_t *>(dst)[i] = asF16(uniform(bits, 11));
      break;
    default:
      static_cast<uint64_t *>(dst)[i] = bits;
      break;
    }
  }
}

} // namespace neuron::simulator::semantics

//===- BFloat16.h - bfloat16 by its bits ------------------------*- C++ -*-===//
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace neuron::simulator {

/// Rounds to nearest even; every NaN becomes the same one.
inline uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return 0x7fc0;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float fromBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

} // namespace neuron::simulator

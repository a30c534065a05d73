//===- Strided.h - moving elements ------------------------------*- C++ -*-===//
#pragma once
#include <cstdint>
#include <cstring>

namespace neuron::simulator {

template <typename T>
void moveElementsOf(const uint8_t *from, int64_t fromStride, uint8_t *to,
                    int64_t toStride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride * int64_t(sizeof(T)),
                from + i * fromStride * int64_t(sizeof(T)), sizeof(T));
}

/// Bits of elements of 1, 2, 4 or 8 bytes; strides in elements.
inline void moveElements(unsigned bytes, const uint8_t *from,
                         int64_t fromStride, uint8_t *to, int64_t toStride,
                         int64_t count) {
  if (fromStride == 1 && toStride == 1) {
    std::memmove(to, from, count * bytes);
    return;
  }
  switch (bytes) {
  case 1:
    return moveElementsOf<uint8_t>(from, fromStride, to, toStride, count);
  case 2:
    return moveElementsOf<uint16_t>(from, fromStride, to, toStride, count);
  case 4:
    return moveElementsOf<uint32_t>(from, fromStride, to, toStride, count);
  default:
    return moveElementsOf<uint64_t>(from, fromStride, to, toStride, count);
  }
}

} // namespace neuron::simulator

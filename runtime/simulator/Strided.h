//===- Strided.h - moving elements ------------------------------*- C++ -*-===//
#pragma once
#include <cstdint>
#include <cstring>
#include <utility>

namespace neuron::simulator {

/// Every second element, as far as whole vectors reach; returns how many. The
/// two may not overlap.
template <typename T>
int64_t moveEverySecond(const uint8_t *from, uint8_t *to, int64_t count) {
  constexpr int64_t kSide = 16 / sizeof(T);
  typedef T Vector __attribute__((vector_size(16)));
  int64_t i = 0;
  // What is behind the last element is not read.
  for (; i + kSide < count; i += kSide) {
    Vector low, high;
    std::memcpy(&low, from + 2 * i * sizeof(T), sizeof(Vector));
    std::memcpy(&high, from + 2 * i * sizeof(T) + sizeof(Vector),
                sizeof(Vector));
    Vector even = [&]<int... I>(std::integer_sequence<int, I...>) {
      return __builtin_shufflevector(low, high, (2 * I)...);
    }(std::make_integer_sequence<int, int(kSide)>());
    std::memcpy(to + i * sizeof(T), &even, sizeof(Vector));
  }
  return i;
}

inline bool areApart(const uint8_t *a, int64_t aBytes, const uint8_t *b,
                     int64_t bBytes) {
  return a + aBytes <= b || b + bBytes <= a;
}

template <typename T>
void moveElementsOf(const uint8_t *from, int64_t fromStride, uint8_t *to,
                    int64_t toStride, int64_t count) {
  int64_t done = 0, bytes = count * int64_t(sizeof(T));
  if (fromStride == 2 && toStride == 1 && areApart(from, 2 * bytes, to, bytes))
    done = moveEverySecond<T>(from, to, count);
  for (int64_t i = done; i < count; ++i)
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

//===- Zeroed.h - memory of zeros that costs what is touched ------*- C++ -*-===//
#pragma once
#include <cstdlib>
#include <memory>
#include <new>

namespace neuron::simulator {

/// Large arrays come from the system as pages that exist when written.
template <typename T> class Zeroed {
public:
  Zeroed() = default;
  explicit Zeroed(size_t count)
      : memory(static_cast<T *>(std::calloc(count ? count : 1, sizeof(T)))) {
    if (!memory)
      throw std::bad_alloc();
  }
  explicit operator bool() const { return memory != nullptr; }
  T *data() { return memory.get(); }
  const T *data() const { return memory.get(); }
  T &operator[](size_t index) { return memory.get()[index]; }
  const T &operator[](size_t index) const { return memory.get()[index]; }

private:
  struct Free {
    void operator()(T *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<T, Free> memory;
};

} // namespace neuron::simulator

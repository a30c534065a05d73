//===- Zeroed.h - memory of zeros that costs what is touched ----*- C++ -*-===//
#pragma once
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace neuron::simulator {

/// An array of zeros whose pages exist when they are written. calloc does not
/// promise that: it clears what it has used before.
template <typename T> class Zeroed {
  static_assert(std::is_trivially_destructible_v<T>);

public:
  Zeroed() = default;
  explicit Zeroed(size_t count) : bytes(count * sizeof(T)) {
    if (bytes > 0)
      memory = static_cast<T *>(allocate(bytes));
  }
  Zeroed(Zeroed &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)), bytes(other.bytes) {}
  Zeroed &operator=(Zeroed &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~Zeroed() {
    if (memory)
      release(memory, bytes);
  }

  explicit operator bool() const { return memory != nullptr; }
  T *data() { return memory; }
  const T *data() const { return memory; }
  T &operator[](size_t index) { return memory[index]; }
  const T &operator[](size_t index) const { return memory[index]; }

private:
#ifdef __SANITIZE_ADDRESS__ // which watches the ends of heap memory only
  static void *allocate(size_t bytes) {
    if (void *memory = std::calloc(bytes, 1))
      return memory;
    throw std::bad_alloc();
  }
  static void release(void *memory, size_t) { std::free(memory); }
#else
  static void *allocate(size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    return memory;
  }
  static void release(void *memory, size_t bytes) { munmap(memory, bytes); }
#endif

  T *memory = nullptr;
  size_t bytes = 0;
};

} // namespace neuron::simulator

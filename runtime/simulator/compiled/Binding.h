//===- Binding.h - the memory of the tensors of a run -----------*- C++ -*-===//
#pragma once
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/Zeroed.h"
#include <mutex>
#include <vector>

namespace neuron::simulator::compiled {

/// Memory that runs lend each other: the system's zeroed pages are slow to come
/// by. What it holds at first is anything that an earlier run left.
class MemoryPool {
public:
  using Block = Zeroed<uint8_t>;
  explicit MemoryPool(size_t bytes) : bytes(bytes) {}
  Block take();
  void give(Block block);

private:
  const size_t bytes;
  std::mutex mutex;
  std::vector<Block> blocks;
};

/// Where each tensor is. Scratch tensors are in one block.
struct Binding {
  std::vector<uint8_t *> data; ///< by tensor; null for one without elements
  /// A tensor that is stored to shares bytes with another one, and the program
  /// does not say so.
  bool hasUndeclaredOverlap = false;
};

/// Bytes that all scratch tensors of a program take.
size_t scratchBytesOf(const program::Program &program);

/// Fails if a buffer is missing or too small.
Result<Binding> bind(const program::Program &program,
                     std::span<const Buffer> buffers, uint8_t *scratch);

} // namespace neuron::simulator::compiled

//===- RowSteps.h - instructions that are not compiled ----------*- C++ -*-===//
//
// The interpreter's executor, one partition at a time, and DMAs likewise.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/Execute.h"
#include <functional>
#include <optional>
#include <span>

namespace neuron::simulator::compiled {

/// Moves one partition of a DMA. `tensor` is the memory of its tensor.
/// Returns an index that is out of range, if there is one.
std::optional<int64_t> moveRow(const program::Executed &dma, unsigned partition,
                               uint8_t *row, uint8_t *tensor);

/// Runs a program in the order of its text, an instruction at a time: slow, and
/// right whatever memory its tensors share. Returns false if `stop` did: it is
/// asked after every instruction.
class InOrder {
public:
  using Stop = std::function<bool(const program::Executed &, bool byZero,
                                  std::optional<int64_t> badIndex)>;

  InOrder(const program::Program &program, std::span<uint8_t *const> tensors,
          Stop stop);
  bool run();

private:
  bool runNodes(const std::vector<program::Node> &nodes, uint32_t &number);

  const program::Program &program;
  std::span<uint8_t *const> tensors;
  Stop stop;
  Sbuf sbuf;
  Executor executor;
  program::Executed now;
};

} // namespace neuron::simulator::compiled

//===- RowSteps.cpp - instructions that are not compiled ------------------===//
#include "runtime/simulator/compiled/RowSteps.h"
#include "compiler/target/Target.h"
#include "runtime/simulator/Indexed.h"
#include "runtime/simulator/compiled/Moves.h"

namespace neuron::simulator::compiled {
using namespace program;

std::optional<int64_t> moveRow(const Executed &dma, unsigned partition,
                               uint8_t *row, uint8_t *tensor) {
  const Instruction &it = *dma.instruction;
  HbmWindow window(it.hbm, dma, simulator::elementsOf(it));
  if (it.isIndexed()) {
    if (auto index = firstBadIndex(dma, row))
      return index;
    moveIndexedRow(dma, window, partition, row, tensor);
    return std::nullopt;
  }
  movePlainRow(dma, window, partition, row, tensor);
  return std::nullopt;
}

InOrder::InOrder(const Program &program, std::span<uint8_t *const> tensors,
                 Stop stop)
    : program(program), tensors(tensors), stop(std::move(stop)),
      sbuf(**target::find(program.target)) {}

bool InOrder::run() {
  uint32_t number = 0;
  for (const Kernel &kernel : program.kernels)
    if (!runNodes(kernel.body, number))
      return false;
  return true;
}

bool InOrder::runNodes(const std::vector<Node> &nodes, uint32_t &number) {
  for (const Node &node : nodes) {
    if (auto *loop = std::get_if<Loop>(&node)) {
      uint32_t first = number;
      unsigned depth = now.depth++;
      for (int64_t i = 0; i < loop->count; ++i) {
        now.counters[depth] = i;
        number = first;
        if (!runNodes(loop->body, number))
          return false;
      }
      now.counters[depth] = 0;
      now.depth = depth;
      continue;
    }
    auto *it = std::get_if<Instruction>(&node);
    if (!it)
      continue;
    now.instruction = it;
    now.number = number++;
    std::optional<int64_t> badIndex;
    if (it->isDma())
      for (unsigned p = 0; p < it->parts && !badIndex; ++p)
        badIndex = moveRow(now, p, sbuf.row(p), tensors[it->hbm.tensor]);
    else
      executor.run(now, sbuf);
    if (stop(now, executor.hasDividedByZero(), badIndex))
      return false;
  }
  return true;
}

} // namespace neuron::simulator::compiled

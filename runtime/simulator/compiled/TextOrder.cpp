//===- TextOrder.cpp - is the order of the text allowed? ------------------===//
//
// Signals are unconditional, so the value of a semaphore at a place of the text
// is affine in the loop counters, except that a barrier in a loop resets it: in
// such a loop the smaller of its two values at the start is taken, as a lower
// bound.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/compiled/TextOrder.h"
#include "runtime/program/Interval.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// Lower bounds of all semaphores, affine in the enclosing loops' counters.
using Semaphores = std::array<Affine, kNumUnits>;

class Walk {
public:
  Walk(const Program &program, const Kernel &kernel)
      : program(program), kernel(kernel) {}

  Status run(const std::vector<Node> &nodes) {
    for (const Node &node : nodes) {
      Status status;
      if (auto *loop = std::get_if<Loop>(&node))
        status = runLoop(*loop);
      else if (std::holds_alternative<Barrier>(node))
        now = {};
      else
        status = runOne(std::get<Instruction>(node));
      if (!status)
        return status;
    }
    return {};
  }

private:
  static bool hasBarrier(const std::vector<Node> &nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [](const Node &node) {
      auto *loop = std::get_if<Loop>(&node);
      return loop ? hasBarrier(loop->body)
                  : std::holds_alternative<Barrier>(node);
    });
  }

  /// Signals of one pass, loops inside included; nothing if there are barriers.
  static void countSignals(const std::vector<Node> &nodes, int64_t times,
                           std::array<int64_t, kNumUnits> &signals) {
    for (const Node &node : nodes)
      if (auto *loop = std::get_if<Loop>(&node))
        countSignals(loop->body, times * loop->count, signals);
      else if (auto *it = std::get_if<Instruction>(&node); it && it->signal)
        signals[static_cast<unsigned>(it->unit())] += times;
  }

  Status runLoop(const Loop &loop) {
    size_t depth = counts.size();
    Semaphores before = now;
    counts.push_back(loop.count);
    if (hasBarrier(loop.body)) {
      // 0 is below what any iteration starts with.
      now = {};
      Status status = run(loop.body);
      counts.pop_back();
      // What the last iteration leaves does not depend on its counter.
      for (Affine &value : now)
        value.coefficients[depth] = 0;
      return status;
    }
    std::array<int64_t, kNumUnits> signals{};
    countSignals(loop.body, 1, signals);
    for (unsigned i = 0; i < kNumUnits; ++i)
      now[i].coefficients[depth] += signals[i];
    Status status = run(loop.body);
    counts.pop_back();
    now = before;
    for (unsigned i = 0; i < kNumUnits; ++i)
      now[i].base += signals[i] * loop.count;
    return status;
  }

  Status runOne(const Instruction &it) {
    for (const Wait &wait : it.waits)
      if (!isSatisfied(wait))
        return Error{
            "kernel '" + kernel.name + "', " +
            std::string(program.locations[it.location]) +
            ": an instruction waits for one that comes later in the program. "
            "The compiled form runs programs in their order; run this one with "
            "the reference interpreter."};
    if (it.signal)
      ++now[static_cast<unsigned>(it.unit())].base;
    return {};
  }

  /// wait.value - semaphore <= 0 in all iterations, or wait.value <= 0.
  bool isSatisfied(const Wait &wait) const {
    const Affine &semaphore = now[static_cast<unsigned>(wait.semaphore)];
    Affine difference = wait.value;
    bool fits = !__builtin_sub_overflow(difference.base, semaphore.base,
                                        &difference.base);
    for (unsigned i = 0; i < kMaxLoopDepth; ++i)
      fits &= !__builtin_sub_overflow(difference.coefficients[i],
                                      semaphore.coefficients[i],
                                      &difference.coefficients[i]);
    auto bounds = fits ? boundsOf(difference, counts) : std::nullopt;
    return (bounds && bounds->high <= 0) ||
           boundsOf(wait.value, counts)->high <= 0;
  }

  const Program &program;
  const Kernel &kernel;
  std::vector<int64_t> counts;
  Semaphores now{};
};

} // namespace

Status checkTextOrder(const Program &program) {
  for (const Kernel &kernel : program.kernels)
    if (Status status = Walk(program, kernel).run(kernel.body); !status)
      return status;
  return {};
}

} // namespace neuron::simulator::compiled

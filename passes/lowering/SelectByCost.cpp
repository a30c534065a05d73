//===- SelectByCost.cpp - the selection that takes the least time ---------===//
//
// Starts from the usual instructions and goes through the choices that there
// are, keeping another way where the clock says that the kernel is done sooner.
// That sees what a sum of costs does not: engines run their instructions in
// order, so that a second engine helps only if nobody waits for it in between.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/Choices.h"
#include "passes/lowering/TileClock.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

/// Selections that are tried for a kernel, for the sake of compile time.
static constexpr unsigned kTrials = 48;

static void discard(Selected &selected) {
  for (Operation *op : llvm::reverse(selected.made))
    op->erase();
}

/// Differences below one in this many are below what the clock knows.
static constexpr int64_t kResolution = 128;

static bool isBetter(int64_t time, int64_t than) {
  return time < than - than / kResolution;
}

/// Takes the better engine for the stores, too: one that issues a store waits
/// for what it stores, and its own next instruction waits with it. The one with
/// fewer wide instructions, if that is all the same.
static int64_t bestTime(Selected &selected, const TileClock &clock,
                        const KernelSpace &space) {
  using nisa::Engine;
  auto count = [&](Engine engine) {
    return llvm::count_if(selected.steps, [&](const Step &step) {
      return step.engine == engine && isWide(step, space);
    });
  };
  auto timeWith = [&](Engine engine) {
    selected.storeEngine = engine;
    return clock.timeOf(selected);
  };
  Engine first = Engine::Scalar, second = Engine::GpSimd;
  if (count(first) > count(second))
    std::swap(first, second);
  int64_t time = timeWith(first), other = timeWith(second);
  if (isBetter(other, time))
    return other;
  selected.storeEngine = first;
  return time;
}

FailureOr<Selected> lowering::select(ir::KernelOp kernel,
                                     const KernelSpace &space,
                                     const target::Target &target) {
  TileClock clock(target, space);
  Choices choices;
  FailureOr<Selected> best = selectWith(kernel, space, choices);
  if (failed(best))
    return failure();
  // The clock does not know products: they keep the usual instructions.
  if (llvm::any_of(best->steps, [](const Step &step) {
        return step.matrix != Step::Matrix::None;
      }))
    return best;
  int64_t bestSoFar = bestTime(*best, clock, space);
  unsigned trials = 0;
  for (bool improved = true; improved && trials < kTrials;) {
    improved = false;
    for (auto [key, ways] : choices.takeMet())
      for (unsigned way = 0; way < ways && trials < kTrials; ++way) {
        unsigned before = choices.get(key);
        if (way == before)
          continue;
        ++trials;
        choices.set(key, way);
        FailureOr<Selected> trial = selectWith(kernel, space, choices);
        if (failed(trial))
          return failure();
        int64_t time = bestTime(*trial, clock, space);
        if (isBetter(time, bestSoFar)) {
          discard(*best);
          best = std::move(trial);
          bestSoFar = time;
          improved = true;
        } else {
          discard(*trial);
          choices.set(key, before);
        }
      }
  }
  return best;
}

//===- Plan.cpp - a program cut into segments -----------------------------===//
#include "runtime/simulator/compiled/Plan.h"
#include "runtime/program/Opcodes.h"
#include "runtime/simulator/compiled/Dataflow.h"
#include "runtime/simulator/compiled/HbmConflict.h"
#include "runtime/simulator/compiled/TextOrder.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// A DMA of a subtree, with the counts of the loops around it.
struct Access {
  const Instruction *dma;
  std::vector<int64_t> counts;
  CountedAccess counted() const { return {dma, counts}; }
  bool stores() const { return dma->writesHbm(); }
};
using Accesses = std::vector<Access>;

bool hasTensorEngine(const std::vector<Node> &nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const Node &node) {
    if (auto *loop = std::get_if<Loop>(&node))
      return hasTensorEngine(loop->body);
    auto *it = std::get_if<Instruction>(&node);
    return it && crossesPartitions(it->opcode);
  });
}

/// Instructions between two questions to the caller.
constexpr size_t kMaxTensorRun = 64;

class KernelPlanner {
public:
  KernelPlanner(Plan &plan, uint32_t kernel, uint32_t &nextNumber)
      : plan(plan), kernel(kernel), nextNumber(nextNumber) {}

  std::vector<Phase> run(const std::vector<Node> &nodes) {
    std::vector<Phase> phases;
    Accesses held; // of the open segment
    for (const Node &node : nodes) {
      if (std::holds_alternative<Barrier>(node))
        continue; // orders engines; the text's order is kept anyhow
      Accesses accesses;
      collect(node, accesses);
      auto *loop = std::get_if<Loop>(&node);
      auto *it = std::get_if<Instruction>(&node);
      if (it && crossesPartitions(it->opcode)) {
        close(phases, held);
        appendTensor(phases, *it);
        continue;
      }
      if (loop &&
          (hasTensorEngine(loop->body) || conflicts(accesses, accesses))) {
        close(phases, held);
        Phase phase{.kind = Phase::Kind::Loop,
                    .count = loop->count,
                    .depth = static_cast<unsigned>(counts.size())};
        counts.push_back(loop->count);
        phase.body = run(loop->body);
        counts.pop_back();
        phases.push_back(std::move(phase));
        continue;
      }
      bool isScatter = it && it->opcode == Opcode::DmaScatter;
      if (conflicts(held, accesses) || isScatter ||
          (open && open->isSequential))
        close(phases, held);
      if (!open) {
        open = std::make_unique<Segment>();
        open->kernel = kernel;
        open->firstNumber = nextNumber;
        open->body.depth = static_cast<unsigned>(counts.size());
        open->isSequential = isScatter;
      }
      append(open->body, node, 1);
      held.insert(held.end(), std::make_move_iterator(accesses.begin()),
                  std::make_move_iterator(accesses.end()));
    }
    close(phases, held);
    return phases;
  }

private:
  void collect(const Node &node, Accesses &accesses) {
    if (auto *loop = std::get_if<Loop>(&node)) {
      counts.push_back(loop->count);
      for (const Node &inner : loop->body)
        collect(inner, accesses);
      counts.pop_back();
    } else if (auto *it = std::get_if<Instruction>(&node); it && it->isDma()) {
      accesses.push_back({it, counts});
    }
  }

  bool conflicts(const Accesses &first, const Accesses &second) const {
    auto fixed = static_cast<unsigned>(counts.size());
    for (const Access &a : first)
      for (const Access &b : second)
        if ((a.stores() || b.stores()) &&
            plan.memoryOf[a.dma->hbm.tensor] ==
                plan.memoryOf[b.dma->hbm.tensor] &&
            mayMeetAcrossPartitions(a.counted(), b.counted(), fixed))
          return true;
    return false;
  }

  void append(Block &block, const Node &node, int64_t times) {
    Item &item = block.items.emplace_back();
    if (auto *loop = std::get_if<Loop>(&node)) {
      item.count = loop->count;
      item.body = std::make_unique<Block>();
      item.body->parent = &block;
      item.body->indexInParent = block.items.size() - 1;
      item.body->depth = block.depth + 1;
      for (const Node &inner : loop->body)
        if (!std::holds_alternative<Barrier>(inner))
          append(*item.body, inner, times * loop->count);
      return;
    }
    const auto &it = std::get<Instruction>(node);
    item.instruction = &it;
    item.number = nextNumber++;
    open->parts = std::max<unsigned>(open->parts, it.parts);
    open->work += times * (8 + elementsOf(it));
    auto &tensors = open->tensors;
    if (it.isDma() && std::find(tensors.begin(), tensors.end(),
                                it.hbm.tensor) == tensors.end())
      tensors.push_back(it.hbm.tensor);
  }

  /// Whether pieces of the columns can run one beside the other.
  static bool canShare(const TensorRun &run, const Instruction &it) {
    return run.instructions.size() < kMaxTensorRun &&
           std::all_of(
               run.instructions.begin(), run.instructions.end(),
               [&](const Executed &other) {
                 const Operand &dst = other.instruction->dst;
                 return dst == it.dst ||
                        !bytesOf(dst).overlaps(bytesOf(it.dst));
               });
  }

  void appendTensor(std::vector<Phase> &phases, const Instruction &it) {
    bool continues = !phases.empty() &&
                     phases.back().kind == Phase::Kind::Tensor &&
                     canShare(plan.tensorRuns.back(), it);
    if (!continues) {
      phases.push_back(
          {.kind = Phase::Kind::Tensor, .index = plan.tensorRuns.size()});
      plan.tensorRuns.emplace_back();
    }
    TensorRun &run = plan.tensorRuns.back();
    run.instructions.push_back({.instruction = &it,
                                .number = nextNumber++,
                                .kernel = kernel,
                                .depth = static_cast<uint32_t>(counts.size())});
    run.work += workOf(it);
    run.columns = std::max<int64_t>(run.columns, it.dst.elems);
  }

  void close(std::vector<Phase> &phases, Accesses &held) {
    held.clear();
    if (!open)
      return;
    phases.push_back({.index = plan.segments.size()});
    plan.segments.push_back(std::move(open));
  }

  Plan &plan;
  uint32_t kernel;
  uint32_t &nextNumber;
  std::vector<int64_t> counts; ///< of the loops around, cut open
  std::unique_ptr<Segment> open;
};

} // namespace

Result<Plan> plan(const Program &program) {
  if (Status status = checkTextOrder(program); !status)
    return status.error();
  Plan plan;
  for (uint32_t i = 0; i < program.tensors.size(); ++i) {
    int32_t alias = program.tensors[i].aliasedInput;
    plan.memoryOf.push_back(alias < 0 ? i : static_cast<uint32_t>(alias));
  }
  uint32_t nextNumber = 0;
  for (uint32_t i = 0; i < program.kernels.size(); ++i) {
    KernelPlan kernel;
    kernel.firstSegment = plan.segments.size();
    kernel.firstTensorRun = plan.tensorRuns.size();
    kernel.phases =
        KernelPlanner(plan, i, nextNumber).run(program.kernels[i].body);
    kernel.endSegment = plan.segments.size();
    kernel.endTensorRun = plan.tensorRuns.size();
    plan.kernels.push_back(std::move(kernel));
  }
  return plan;
}

} // namespace neuron::simulator::compiled

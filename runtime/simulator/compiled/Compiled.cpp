//===- Compiled.cpp - the compiled form of execution ----------------------===//
//
// Loads or makes a program's host code, and runs it: segment after segment, the
// partitions of each spread over threads.
//
//===----------------------------------------------------------------------===//
#include "compiler/target/Target.h"
#include "runtime/simulator/Describe.h"
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/compiled/Binding.h"
#include "runtime/simulator/compiled/CodeCache.h"
#include "runtime/simulator/compiled/Deferred.h"
#include "runtime/simulator/compiled/Emission.h"
#include "runtime/simulator/compiled/HostCode.h"
#include "runtime/simulator/compiled/Moves.h"
#include "runtime/simulator/compiled/Packs.h"
#include "runtime/simulator/compiled/RowSteps.h"
#include "runtime/simulator/compiled/Threads.h"
#include "runtime/simulator/tensor/Tensor.h"
#include <atomic>
#include <chrono>
#include <mutex>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// Elements between two looks at the clock.
constexpr int64_t kBudget = int64_t(1) << 18;
/// A product of fewer columns is not worth its own packed copy of the
/// stationary operand.
constexpr int64_t kColumnsPerThread = 32;
/// Between two questions to the caller.
constexpr auto kPollInterval = std::chrono::milliseconds(20);

/// What an execution needs to know of a segment.
struct SegmentInfo {
  const Segment *segment;
  SegmentCode code;                   ///< null: of moves
  std::vector<Executed> instructions; ///< without counters
};

struct Code {
  std::shared_ptr<const Program> program;
  Streams streams;
  Plan plan;
  PackPlan packPlan;
  std::shared_ptr<HostCode> host;
  std::vector<SegmentInfo> segments;
  size_t sbufPitch = 0;
  unsigned partitions = 0;
  MemoryPool scratch, sbuf, packs;

  Code(std::shared_ptr<const Program> source, Plan plan,
       const target::Target &target)
      : program(std::move(source)), streams(*program), plan(std::move(plan)),
        packPlan(planPacks(this->plan)), sbufPitch(rowPitch(target)),
        partitions(static_cast<unsigned>(target.partitions)),
        scratch(scratchBytesOf(*program)),
        sbuf(keepsSbuf() ? sbufPitch * partitions : 0),
        packs(packPlan.floats * sizeof(float)) {}

  bool keepsSbuf() const {
    for (const KernelPlan &kernel : plan.kernels)
      if (kernel.keepsSbuf)
        return true;
    return false;
  }
};

class Run;

/// The context of one thread in one segment.
struct ThreadContext : RowContext {
  Run *run;
  const SegmentInfo *info;
  bool isCaller;
  std::unique_ptr<Executor> executor; ///< made when first needed
};

/// One row of SBUF for each host thread, kept between runs.
uint8_t *threadRow(size_t bytes) {
  thread_local Zeroed<uint8_t> row;
  thread_local size_t size = 0;
  if (size < bytes) {
    row = Zeroed<uint8_t>(bytes);
    size = bytes;
  }
  return row.data();
}

/// One execution.
class Run {
public:
  Run(Code &code, const Binding &binding, uint8_t *keptSbuf, uint8_t *packs,
      const Interrupted &interrupted)
      : code(code), binding(binding), keptSbuf(keptSbuf),
        packs(code.packPlan, reinterpret_cast<float *>(packs)),
        deferred(code.plan, binding.data, keptSbuf,
                 static_cast<int64_t>(code.sbufPitch),
                 [this](unsigned count, const auto &body) {
                   finishMoves();
                   finishProducts();
                   shareOut(count, body);
                 }),
        interrupted(interrupted), lastPoll(std::chrono::steady_clock::now()) {}

  Outcome run() {
    semantics::FloatingPointScope scope;
    for (const KernelPlan &kernel : code.plan.kernels) {
      packs.endAll();
      deferred.begin(kernel);
      if (!runPhases(kernel.phases, kernel.keepsSbuf))
        return outcome();
    }
    return {};
  }

  Outcome runInOrder() {
    semantics::FloatingPointScope scope;
    InOrder inOrder(
        *code.program, binding.data,
        [&](const Executed &it, bool byZero, std::optional<int64_t> badIndex) {
          if (byZero || badIndex)
            noteFault(it.number, badIndex.value_or(0));
          return byZero || badIndex || (shouldPoll() && askCaller());
        });
    return inOrder.run() ? Outcome() : outcome();
  }

  int64_t poll(ThreadContext &context) {
    context.budget = kBudget;
    if (context.isCaller && shouldPoll())
      askCaller();
    return stopped.load(std::memory_order_relaxed);
  }

  int64_t step(ThreadContext &context, int64_t index, const int64_t *counters,
               unsigned partition) {
    Executed it = context.info->instructions[index];
    std::copy_n(counters, kMaxLoopDepth, it.counters.begin());
    uint8_t *row = context.sbuf + partition * context.sbufPitch;
    if (it.instruction->isDma()) {
      auto badIndex =
          moveRow(it, partition, row, binding.data[it.instruction->hbm.tensor]);
      if (badIndex)
        noteFault(it.number, *badIndex);
      return badIndex.has_value();
    }
    if (!context.executor)
      context.executor = std::make_unique<Executor>();
    context.executor->runPartition(it, partition, row);
    if (!context.executor->hasDividedByZero())
      return 0;
    context.fault = index + 1;
    return 1;
  }

private:
  bool runPhases(const std::vector<Phase> &phases, bool keepsSbuf) {
    for (const Phase &phase : phases) {
      if (phase.kind == Phase::Kind::Segment) {
        packs.endBy(phase.index);
        if (!runSegment(code.segments[phase.index], keepsSbuf))
          return false;
        continue;
      }
      if (phase.kind == Phase::Kind::Tensor) {
        if (!runTensor(phase.index))
          return false;
        continue;
      }
      for (int64_t i = 0; i < phase.count; ++i) {
        counters[phase.depth] = i;
        if (!runPhases(phase.body, keepsSbuf))
          return false;
      }
      counters[phase.depth] = 0;
    }
    return true;
  }

  bool runTensor(size_t index) {
    const TensorRun &run = code.plan.tensorRuns[index];
    productRun = index;
    productThreads = static_cast<unsigned>(std::min<int64_t>(
        {int64_t(threadLimit()), run.work / workPerThread() + 1,
         (run.columns + kColumnsPerThread - 1) / kColumnsPerThread}));
    for (size_t i = 0; i < run.instructions.size(); ++i) {
      Executed it = run.instructions[i];
      it.counters = counters;
      if (it.instruction->opcode == Opcode::Transpose) {
        deferred.takeTranspose(it);
        continue;
      }
      const Operand &rows = it.instruction->src[0];
      bool inPlace = tensor::isUnpacked(rows.elems, rows.dtype);
      PackedProduct product{it, i, deferred.operand(it, 0, inPlace),
                            deferred.operand(it, 1, inPlace)};
      deferred.beforeMatmul(it);
      products.push_back(std::move(product));
      // What is packed is multiplied while it is in the cache.
      if (productThreads == 1)
        finishProducts();
    }
    finishProducts();
    return spend(run.work);
  }

  /// Makes the products that were taken up.
  void finishProducts() {
    if (products.empty())
      return;
    std::vector<PackedProduct> all = std::exchange(products, {});
    unsigned threads = productThreads;
    auto inThreads = [&](const std::function<void(unsigned)> &part) {
      if (threads == 1)
        part(0);
      else
        runThreads(threads, part);
    };
    Packs::Missing missing = packs.claim(productRun, all);
    if (missing.size() > 0)
      inThreads([&](unsigned thread) {
        for (size_t i = thread; i < missing.size(); i += threads)
          missing.pack(i);
      });
    inThreads([&](unsigned thread) {
      for (const PackedProduct &it : all)
        tensor::multiplyPart(it.it, it.stationary.tile, it.moving.tile,
                             packs.get(productRun, it.index), keptSbuf,
                             static_cast<int64_t>(code.sbufPitch), thread,
                             threads);
    });
  }

  /// Makes the moves that were taken up, all of one segment.
  void finishMoves() {
    if (moves.empty())
      return;
    std::vector<Executed> all = std::exchange(moves, {});
    unsigned parts = 0;
    for (const Executed &it : all)
      parts = std::max<unsigned>(parts, it.instruction->parts);
    shareOut(parts, [&](unsigned begin, unsigned end) {
      for (const Executed &it : all)
        move(it, begin, end, keptSbuf, code.sbufPitch, binding.data);
    });
  }

  /// Runs `body` on pieces of [0, count), each with the work of `moveThreads`.
  void shareOut(unsigned count,
                const std::function<void(unsigned, unsigned)> &body) {
    unsigned threads = std::min(moveThreads, count);
    if (threads <= 1)
      return body(0, count);
    runThreads(threads, [&](unsigned thread) {
      body(count * thread / threads, count * (thread + 1) / threads);
    });
  }

  void runThreads(unsigned threads, const std::function<void(unsigned)> &part) {
    runParallel(
        threads,
        [&](unsigned thread) {
          semantics::FloatingPointScope scope;
          part(thread);
        },
        [&] {
          if (shouldPoll())
            askCaller();
        });
  }

  bool runSegment(const SegmentInfo &info, bool keepsSbuf) {
    unsigned parts = info.segment->parts;
    if (parts == 0)
      return true;
    int64_t work = info.segment->work * parts;
    auto threads = static_cast<unsigned>(std::min<int64_t>(
        {int64_t(threadLimit()), int64_t(parts), work / workPerThread() + 1}));
    if (info.segment->isSequential)
      threads = 1;
    auto share = [&](unsigned thread) {
      return std::pair(int64_t(parts) * thread / threads,
                       int64_t(parts) * (thread + 1) / threads);
    };
    auto all = [&](const std::function<void(unsigned)> &part) {
      if (threads == 1)
        part(0);
      else
        runThreads(threads, part);
    };
    moveThreads = threads;
    if (keepsSbuf)
      deferred.enter(*info.segment);
    if (!info.code) {
      for (Executed it : info.instructions) {
        it.counters = counters;
        if (!deferred.takeMove(it))
          moves.push_back(it);
      }
      finishMoves();
      return spend(work);
    }
    if (keepsSbuf)
      deferred.beforeSegment(*info.segment);
    std::vector<uint8_t *> tensors;
    for (uint32_t tensor : info.segment->tensors)
      tensors.push_back(binding.data[tensor]);
    auto part = [&](unsigned thread) {
      ThreadContext context;
      context.tensors = tensors.data();
      context.sbuf = keepsSbuf ? keptSbuf : threadRow(code.sbufPitch);
      context.sbufPitch = keepsSbuf ? static_cast<int64_t>(code.sbufPitch) : 0;
      context.counters = counters.data();
      // The caller is asked early, so that a stop before the start works.
      context.budget = thread == 0 ? budget : kBudget;
      context.poll = [](RowContext *row) {
        auto *self = static_cast<ThreadContext *>(row);
        return self->run->poll(*self);
      };
      context.step = [](RowContext *row, int64_t index, const int64_t *counters,
                        int64_t partition) {
        auto *self = static_cast<ThreadContext *>(row);
        return self->run->step(*self, index, counters,
                               static_cast<unsigned>(partition));
      };
      context.fault = 0;
      context.run = this;
      context.info = &info;
      context.isCaller = thread == 0;
      auto [begin, end] = share(thread);
      if (info.code(&context, begin, end) != 0)
        stopped = true;
      if (context.fault != 0)
        noteFault(info.instructions[context.fault - 1].number);
      if (thread == 0)
        budget = context.budget;
    };
    all(part);
    return !stopped;
  }

  /// Work that asked nobody. False if the execution is to stop.
  bool spend(int64_t work) {
    budget -= work;
    if (budget < 0) {
      budget = kBudget;
      if (shouldPoll())
        askCaller();
    }
    return !stopped;
  }

  bool shouldPoll() {
    auto now = std::chrono::steady_clock::now();
    // Who said stop is not asked again, however long the threads take to end.
    if (!interrupted || stopped || now - lastPoll < kPollInterval)
      return false;
    lastPoll = now;
    return true;
  }

  /// In the caller's thread only.
  bool askCaller() {
    if (interrupted())
      stopped = wasInterrupted = true;
    return stopped;
  }

  /// The first one in the program is told, whatever threads did.
  void noteFault(uint32_t number, int64_t index = 0) {
    std::lock_guard lock(faultMutex);
    if (number < fault)
      fault = number, badIndex = index;
  }

  Outcome outcome() const {
    if (fault != kNoFault &&
        code.streams.instructions()[fault].instruction->isIndexed())
      return {Fault::BadInput, describeBadIndex(code.streams, fault, badIndex)};
    if (fault != kNoFault)
      return {Fault::BadInput, "ZeroDivisionError\n" +
                                   describe(code.streams, fault) +
                                   " divides an integer by zero."};
    return {Fault::Timeout, "the execution was stopped from outside"};
  }

  static constexpr uint32_t kNoFault = ~uint32_t(0);

  Code &code;
  const Binding &binding;
  uint8_t *keptSbuf;
  Packs packs;
  Deferred deferred;
  std::vector<Executed> moves;         ///< taken up
  std::vector<PackedProduct> products; ///< taken up, of `productRun`
  size_t productRun = 0;
  unsigned productThreads = 1, moveThreads = 1;
  const Interrupted &interrupted;
  std::array<int64_t, kMaxLoopDepth> counters{};
  std::chrono::steady_clock::time_point lastPoll;
  int64_t budget = kBudget; ///< of the caller's thread, over all segments
  std::atomic<bool> stopped = false;
  bool wasInterrupted = false;
  std::mutex faultMutex;
  uint32_t fault = kNoFault; ///< number of an instruction
  int64_t badIndex = 0;      ///< that it met, if it is indexed
};

class Compiled final : public Executable {
public:
  explicit Compiled(std::unique_ptr<Code> code) : code(std::move(code)) {}

  Outcome run(std::span<const Buffer> buffers,
              const Interrupted &interrupted) override try {
    MemoryPool::Block scratch = code->scratch.take(), sbuf = code->sbuf.take(),
                      packs = code->packs.take();
    Outcome outcome;
    if (auto binding = bind(*code->program, buffers, scratch.data())) {
      Run run(*code, *binding, sbuf.data(), packs.data(), interrupted);
      outcome = binding->hasUndeclaredOverlap ? run.runInOrder() : run.run();
    } else {
      outcome = {Fault::OutOfBounds, binding.message()};
    }
    code->scratch.give(std::move(scratch));
    code->sbuf.give(std::move(sbuf));
    code->packs.give(std::move(packs));
    return outcome;
  } catch (const std::bad_alloc &) {
    return {Fault::Internal, "the simulator is out of host memory"};
  }

private:
  std::unique_ptr<Code> code;
};

/// From the cache if it is there and loads, else made and stored.
Result<std::shared_ptr<HostCode>> obtain(const Plan &plan,
                                         const Program &program,
                                         const Functions &functions,
                                         const CodeCache &cache) {
  std::string key = cache.isOn() ? codeKey(program) : "";
  if (auto object = cache.find(key))
    if (auto code = HostCode::load(*object, functions.names))
      return code;
  auto object = emitObject(plan, program, functions);
  if (!object)
    return object.error();
  auto code = HostCode::load(*object, functions.names);
  if (code)
    cache.store(key, *object);
  return code;
}

void addInstructions(const Block &block, std::vector<Executed> &list) {
  forEachItem(block, [&](const Block &around, const Item &item) {
    if (item.instruction)
      list.push_back({.instruction = item.instruction,
                      .number = item.number,
                      .depth = around.depth});
  });
}

} // namespace
} // namespace neuron::simulator::compiled

namespace neuron::simulator {

Result<std::unique_ptr<Executable>>
createCompiled(std::shared_ptr<const program::Program> program,
               const std::string &cacheDirectory) {
  using namespace compiled;
  auto target = target::find(program->target);
  if (!target)
    return target.error();
  auto plan = compiled::plan(*program);
  if (!plan)
    return plan.error();
  analyseSbuf(*plan);
  Functions functions = functionsOf(*plan, *program);
  auto host = obtain(*plan, *program, functions, CodeCache(cacheDirectory));
  if (!host)
    return host.error();
  auto code = std::make_unique<Code>(program, std::move(*plan), **target);
  code->host = *host;
  for (size_t i = 0; i < code->plan.segments.size(); ++i) {
    const Segment &segment = *code->plan.segments[i];
    size_t function = functions.ofSegment[i];
    SegmentInfo info{
        &segment,
        function == Functions::kNone ? nullptr : code->host->function(function),
        {}};
    addInstructions(segment.body, info.instructions);
    code->segments.push_back(std::move(info));
  }
  return std::unique_ptr<Executable>(
      std::make_unique<Compiled>(std::move(code)));
}

} // namespace neuron::simulator

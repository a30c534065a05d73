//===- Synchronize.cpp - waits and signals --------------------------------===//
//
// The kernel is walked in program order with the first iterations of each loop,
// enough for the steady state to show. Every instance of an instruction has a
// vector clock: for each unit, how many of its instructions are known to have
// finished. An instance that touches bytes which an unfinished instance
// touched, one of them writing, must wait for it; what other waits imply is
// dropped.
//
// A wait found for instances is then said for the instruction: it names the
// earlier instruction, how many iterations back in the loops that both stand
// in, and how many before the last in the others. From the number of signals
// before it follows the value of the semaphore as an affine function of the
// loop counters.
//
// HBM needs no waits inside a kernel: a kernel reads nothing that it writes.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <deque>
#include <map>
#include <set>

namespace neuron::schedule {
#define GEN_PASS_DEF_SYNCHRONIZE
#include "passes/schedule/Passes.h.inc"
} // namespace neuron::schedule

using namespace mlir;
using namespace neuron;
using program::kNumEngines;
using program::kNumUnits;

namespace {

using Clock = std::array<int64_t, kNumUnits>;

void merge(Clock &into, const Clock &from) {
  for (unsigned i = 0; i < kNumUnits; ++i)
    into[i] = std::max(into[i], from[i]);
}

/// An instruction of the kernel and the loops around it, outermost first.
struct Site {
  Operation *op;
  SmallVector<nisa::LoopOp> loops;
  unsigned engine, unit;
};

/// A range of addresses in every partition, of SBUF or PSUM.
struct Range {
  int64_t begin, end;
};

/// One execution of a site.
struct Instance {
  const Site *site;
  SmallVector<int64_t> counters;
  int64_t index; ///< on its unit, from 1
  Clock clock;   ///< when it has finished
};

/// For the wait of one site on another: for each loop around the other, how
/// many iterations back if this site stands in the same run of it, else how
/// many before its last.
struct Dependence {
  const Site *on;
  SmallVector<int64_t> distance;
  size_t common; ///< loops that both stand in the same run of

  bool operator<(const Dependence &other) const {
    if (on != other.on)
      return on < other.on;
    return std::lexicographical_compare(distance.begin(), distance.end(),
                                        other.distance.begin(),
                                        other.distance.end());
  }
};

/// Who touched each byte last.
class History {
public:
  struct Touched {
    int64_t end;
    const Instance *writer = nullptr;
    std::array<const Instance *, kNumUnits> readers{};
  };

  template <typename Visit> void visit(Range range, Visit visitor) {
    split(range.begin);
    split(range.end);
    int64_t at = range.begin;
    while (at < range.end) {
      auto found = touched.lower_bound(at);
      if (found == touched.end() || found->first > at) {
        int64_t end = found == touched.end()
                          ? range.end
                          : std::min(range.end, found->first);
        found = touched.emplace(at, Touched{end}).first;
      }
      visitor(found->second);
      at = found->second.end;
    }
  }

private:
  void split(int64_t at) {
    auto after = touched.upper_bound(at);
    if (after == touched.begin())
      return;
    auto found = std::prev(after);
    if (found->first == at || found->second.end <= at)
      return;
    Touched rest = found->second;
    found->second.end = at;
    touched.emplace(at, rest);
  }
  std::map<int64_t, Touched> touched;
};

class Synchronizer {
public:
  explicit Synchronizer(nisa::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    for (Clock &clock : known)
      clock.fill(0);
    counts.fill(0);
    if (failed(walk(kernel.getBody().front())))
      return failure();
    for (auto &[site, dependences] : waits)
      for (const Dependence &dependence : dependences)
        signalling.insert(dependence.on->op);
    for (Operation *op : signalling)
      op->setAttr("signal", UnitAttr::get(op->getContext()));
    countSignals(kernel.getBody().front());
    for (auto &[site, dependences] : waits)
      setWaits(*site, dependences);
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // Walk
  //===--------------------------------------------------------------------===//

  LogicalResult walk(Block &block) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<nisa::LoopOp>(op)) {
        loops.push_back(loop);
        counters.push_back(0);
        for (int64_t i = 0, n = walked(loop); i < n; ++i) {
          counters.back() = i;
          if (failed(walk(loop.getBody().front())))
            return failure();
        }
        loops.pop_back();
        counters.pop_back();
      } else if (isa<nisa::InstructionOpInterface>(op)) {
        if (failed(execute(siteOf(&op))))
          return failure();
      } else if (isa<nisa::BarrierOp>(op)) {
        return op.emitOpError("Y1: barriers inside a kernel are not scheduled");
      }
    }
    return success();
  }

  /// How many iterations show the steady state and end as the loop ends: with n
  /// buffers a dependence reaches n iterations back, and the last iteration
  /// must use the buffers that it uses.
  static int64_t walked(nisa::LoopOp loop) {
    int64_t count = loop.getCount(), buffers = maxBuffers(loop);
    int64_t enough = 2 * buffers + 1;
    return count <= enough ? count : enough + (count - enough) % buffers;
  }

  static int64_t maxBuffers(nisa::LoopOp loop) {
    int64_t buffers = 1;
    loop.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (auto alloc = nisa::viewOf(operand).alloc)
          buffers = std::max(buffers, int64_t(alloc.getBuffers()));
    });
    return buffers;
  }

  const Site &siteOf(Operation *op) {
    std::unique_ptr<Site> &site = sites[op];
    if (!site) {
      auto instruction = cast<nisa::InstructionOpInterface>(op);
      unsigned engine = unsigned(instruction.getEngine()), unit = engine;
      if (auto queue = op->getAttrOfType<IntegerAttr>("queue"))
        unit = kNumEngines + queue.getInt();
      site = std::make_unique<Site>(Site{op, loops, engine, unit});
    }
    return *site;
  }

  FailureOr<Range> rangeOf(Value tile) {
    nisa::AllocOp alloc = nisa::viewOf(tile).alloc;
    std::optional<int64_t> address = nisa::addressOf(tile);
    if (!address)
      return kernel.emitOpError("Y2: tiles must be placed before the schedule");
    auto type = cast<MemRefType>(tile.getType());
    int64_t bytes = nisa::freeElements(tile) *
                    program::bytesOf(*nisa::dtypeOf(type.getElementType()));
    int64_t begin = *address;
    if (alloc.getBuffers() > 1 && !counters.empty())
      begin += counters.back() % alloc.getBuffers() * *alloc.getPitch();
    return Range{begin, begin + bytes};
  }

  LogicalResult execute(const Site &site) {
    instances.push_back(
        {&site, counters, ++counts[site.unit], known[site.unit]});
    Instance &instance = instances.back();
    bool isDma = site.unit >= kNumEngines;
    if (isDma)
      merge(instance.clock, known[site.engine]);
    instance.clock[site.unit] = instance.index - 1;

    std::array<const Instance *, kNumUnits> needed{};
    auto need = [&](const Instance *earlier) {
      if (!earlier || earlier == &instance)
        return;
      unsigned unit = earlier->site->unit;
      if (earlier->index <= instance.clock[unit])
        return;
      if (!needed[unit] || needed[unit]->index < earlier->index)
        needed[unit] = earlier;
    };
    auto instruction = cast<nisa::InstructionOpInterface>(site.op);
    SmallVector<Range> reads, writes;
    if (failed(collect(instruction.getSrcs(), reads)) ||
        failed(collect(instruction.getOuts(), writes)))
      return failure();
    // An accumulating instruction reads what it writes.
    for (Range range : reads)
      history.visit(range,
                    [&](History::Touched &touched) { need(touched.writer); });
    for (Range range : writes)
      history.visit(range, [&](History::Touched &touched) {
        need(touched.writer);
        for (const Instance *reader : touched.readers)
          need(reader);
      });
    for (Range range : reads)
      history.visit(range, [&](History::Touched &touched) {
        touched.readers[site.unit] = &instance;
      });
    for (Range range : writes)
      history.visit(range, [&](History::Touched &touched) {
        touched.writer = &instance;
        touched.readers.fill(nullptr);
      });
    waitFor(instance, needed);

    instance.clock[site.unit] = instance.index;
    known[site.unit] = instance.clock;
    return success();
  }

  LogicalResult collect(OperandRange operands, SmallVector<Range> &ranges) {
    for (Value operand : operands) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      FailureOr<Range> range = rangeOf(operand);
      if (failed(range))
        return failure();
      ranges.push_back(*range);
    }
    return success();
  }

  void waitFor(Instance &instance,
               const std::array<const Instance *, kNumUnits> &needed) {
    const Site &site = *instance.site;
    for (const Instance *earlier : needed) {
      if (!earlier)
        continue;
      bool implied = llvm::any_of(needed, [&](const Instance *other) {
        return other && other != earlier &&
               other->clock[earlier->site->unit] >= earlier->index;
      });
      if (!implied)
        waits[&site].insert(dependenceOn(instance, *earlier));
      merge(instance.clock, earlier->clock);
      // A DMA's waits hold back the engine that issues it.
      merge(known[site.engine], earlier->clock);
    }
  }

  static Dependence dependenceOn(const Instance &later,
                                 const Instance &earlier) {
    const Site &site = *later.site, &on = *earlier.site;
    Dependence dependence{&on, {}, 0};
    for (size_t i = 0; i < on.loops.size(); ++i) {
      // In another iteration of an outer loop, the inner ones had ended.
      bool isCommon = i == dependence.common && i < site.loops.size() &&
                      site.loops[i] == on.loops[i] &&
                      (i == 0 || dependence.distance[i - 1] == 0);
      dependence.common += isCommon;
      int64_t from = isCommon ? later.counters[i] : walked(on.loops[i]) - 1;
      dependence.distance.push_back(from - earlier.counters[i]);
    }
    return dependence;
  }

  //===--------------------------------------------------------------------===//
  // Values of semaphores
  //===--------------------------------------------------------------------===//

  /// Signals of each unit in one run of a block; on the way, what comes before
  /// each op of it in that run.
  Clock countSignals(Block &block) {
    Clock signals{};
    for (Operation &op : block) {
      if (auto loop = dyn_cast<nisa::LoopOp>(op)) {
        before[&op] = signals;
        Clock inside = countSignals(loop.getBody().front());
        perIteration[&op] = inside;
        for (unsigned i = 0; i < kNumUnits; ++i)
          signals[i] += int64_t(loop.getCount()) * inside[i];
      } else if (signalling.contains(&op)) {
        before[&op] = signals;
        ++signals[siteOf(&op).unit];
      }
    }
    return signals;
  }

  void setWaits(const Site &site, const std::set<Dependence> &dependences) {
    // Of waits on one unit that differ only in the base, the largest holds.
    std::map<std::pair<unsigned, std::vector<int64_t>>, int64_t> values;
    for (const Dependence &dependence : dependences) {
      const Site &on = *dependence.on;
      std::vector<int64_t> coefficients(site.loops.size(), 0);
      int64_t base = 1;
      Operation *at = on.op;
      for (size_t i = on.loops.size(); i-- > 0;) {
        nisa::LoopOp loop = on.loops[i];
        base += before.find(at)->second[on.unit];
        int64_t each = perIteration.find(loop)->second[on.unit];
        base -= dependence.distance[i] * each;
        if (i < dependence.common)
          coefficients[i] = each;
        else
          base += (int64_t(loop.getCount()) - 1) * each;
        at = loop;
      }
      base += before.find(at)->second[on.unit];
      while (!coefficients.empty() && coefficients.back() == 0)
        coefficients.pop_back();
      auto [entry, isNew] = values.try_emplace({on.unit, coefficients}, base);
      if (!isNew)
        entry->second = std::max(entry->second, base);
    }
    // Counters are not negative: a wait is idle beside one that is never
    // smaller.
    auto isIdle = [&](const auto &wait) {
      return llvm::any_of(values, [&](const auto &other) {
        if (&other == &wait || other.first.first != wait.first.first ||
            other.second < wait.second)
          return false;
        const std::vector<int64_t> &mine = wait.first.second;
        const std::vector<int64_t> &others = other.first.second;
        for (size_t i = 0; i < std::max(mine.size(), others.size()); ++i)
          if ((i < others.size() ? others[i] : 0) <
              (i < mine.size() ? mine[i] : 0))
            return false;
        return true;
      });
    };
    SmallVector<Attribute> attributes;
    for (const auto &wait : values)
      if (!isIdle(wait))
        attributes.push_back(nisa::WaitAttr::get(
            kernel.getContext(), nisa::Unit(wait.first.first), wait.second,
            wait.first.second));
    site.op->setAttr("wait", ArrayAttr::get(kernel.getContext(), attributes));
  }

  nisa::KernelOp kernel;
  SmallVector<nisa::LoopOp> loops;
  SmallVector<int64_t> counters;
  DenseMap<Operation *, std::unique_ptr<Site>> sites;
  std::deque<Instance> instances;
  History history;
  std::array<Clock, kNumUnits> known;
  std::array<int64_t, kNumUnits> counts;
  llvm::MapVector<const Site *, std::set<Dependence>> waits;
  llvm::SetVector<Operation *> signalling;
  DenseMap<Operation *, Clock> before; ///< signals in its block before an op
  DenseMap<Operation *, Clock> perIteration; ///< signals in a loop's body
};

struct Synchronize final
    : neuron::schedule::impl::SynchronizeBase<Synchronize> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<nisa::KernelOp>())
      if (failed(Synchronizer(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace

//===- TileClock.cpp - the device time of selected steps ------------------===//
#include "passes/lowering/TileClock.h"
#include "passes/lowering/Alu.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using program::Opcode;

static program::DType dtypeOf(Value value) {
  return nisa::dtypeOf(elementOf(value)).value_or(program::DType::F32);
}

static bool is16BitFloat(program::DType dtype) {
  return program::isFloat(dtype) && program::bytesOf(dtype) == 2;
}

bool lowering::isWide(const Step &step, const KernelSpace &space) {
  auto wide = [&](Value value) { return value && space.hasColumns(value); };
  return wide(step.out) || llvm::any_of(step.srcs, [&](const Source &source) {
           return wide(source.tile);
         });
}

target::Work lowering::workOf(const Step &step, const KernelSpace &space) {
  target::Work work;
  work.opcode = step.opcode;
  work.engine = static_cast<program::Unit>(step.engine);
  bool wide = isWide(step, space);
  work.elems = wide ? space.columns() : 1;
  work.all16 = true;
  if (step.out) {
    work.dst = dtypeOf(step.out);
    work.all16 &= is16BitFloat(work.dst);
  }
  bool haveSource = false;
  for (auto [i, source] : llvm::enumerate(step.srcs)) {
    if (!source.tile)
      continue;
    bool isPointer = step.opcode == Opcode::Activation && i > 0;
    work.pointers += isPointer;
    if (isPointer || (wide && !space.hasColumns(source.tile)))
      continue;
    work.all16 &= is16BitFloat(dtypeOf(source.tile));
    if (!haveSource)
      work.src = dtypeOf(source.tile);
    haveSource = true;
  }
  work.accumulates = step.opcode == Opcode::Activation && step.acc;
  if (step.opcode == Opcode::GpsimdElementwise)
    work.function = program::info(step.fns[0]).cost;
  else if (step.reduce == "prod")
    work.function = program::FnCost::Multiply;
  if (step.compute)
    if (auto compute = nisa::dtypeOf(step.compute))
      work.wide = program::bytesOf(*compute) == 8;
  return work;
}

namespace {

/// Tiles that are run; the rest takes as long as the last ones.
constexpr int64_t kTiles = 4;

class Run {
public:
  Run(const target::Target &target, const KernelSpace &space,
      const Selected &selected)
      : target(target), space(space), selected(selected) {
    for (Value value : selected.yielded)
      ++storesOf[value];
    for (const Step &step : selected.steps)
      costs.push_back(step.opcode == Opcode::DmaLoad
                          ? target::Cost()
                          : target::costOf(target, workOf(step, space)));
  }

  /// What the transfers of all tiles so far take of HBM's bandwidth.
  int64_t memory = 0;

  /// The end of each of the first `count` tiles.
  SmallVector<int64_t, kTiles> ends(int64_t count) {
    SmallVector<int64_t, kTiles> result;
    for (tile = 0; tile < count; ++tile) {
      for (auto [step, cost] : llvm::zip(selected.steps, costs)) {
        // What is the same for all rows is there before the first tile.
        if (!space.hasRows(step.out ? step.out : step.acc))
          continue;
        run(step, cost);
        for (Value value : {step.out, step.acc})
          for (unsigned i = 0; value && i < storesOf.lookup(value); ++i)
            store(value);
      }
      result.push_back(end);
    }
    return result;
  }

private:
  struct Tile {
    int64_t written = 0; ///< when its value is visible
    std::optional<Engine> by;
    int64_t read = 0; ///< when its last reader is done
  };

  Tile &tileOf(Value value) {
    bool moved = isRead(value) || storesOf.contains(value);
    return tiles[{value, moved ? tile % kMovedBuffers : 0}];
  }
  int64_t &freeAt(Engine engine) {
    return engineFree[static_cast<unsigned>(engine)];
  }

  void advance(int64_t time) { end = std::max(end, time); }

  /// When `engine` sees the value in the tile.
  int64_t visible(const Tile &from, Engine engine) const {
    if (from.by == engine)
      return from.written + target.semaphoreSelf;
    return from.written + (from.by ? int64_t(target.semaphoreEngine) : 0);
  }

  int64_t parts() const {
    return std::min<int64_t>(space.rows(), target.partitions);
  }
  int64_t issue(Engine engine) const {
    return target::dmaIssueOf(target, static_cast<program::Unit>(engine),
                              parts());
  }

  /// Loads and stores are each in order; that they share the bandwidth is
  /// counted in `memory`.
  int64_t transfer(Value value, int64_t start, int64_t &free) {
    int64_t elements = space.hasColumns(value) ? space.columns() : 1;
    int64_t bytes = parts() * elements * program::bytesOf(dtypeOf(value));
    int64_t time = bytes * 1000000 / target.hbmBandwidth;
    memory += time;
    free = std::max(free, start) + time;
    return free;
  }

  void load(Value value) {
    Tile &to = tileOf(value);
    int64_t start = std::max(
        {freeAt(Engine::Sync), to.read + target.semaphoreEngine, to.written});
    freeAt(Engine::Sync) = start + issue(Engine::Sync);
    int64_t done = transfer(value, start + target.dmaDispatchLoad, loads);
    to = {done + target.dmaFixedLoad + target.semaphoreLoad, std::nullopt, 0};
    advance(to.written);
  }

  void store(Value value) {
    Engine engine = selected.storeEngine.value_or(Engine::Scalar);
    Tile &from = tileOf(value);
    int64_t start = std::max(freeAt(engine), visible(from, engine));
    freeAt(engine) = start + issue(engine);
    int64_t done = transfer(value, start + target.dmaDispatchStore, stores) +
                   target.dmaFixedStore;
    from.read = std::max(from.read, done + target.semaphoreStore);
    advance(done);
  }

  void run(const Step &step, target::Cost cost) {
    if (step.opcode == Opcode::DmaLoad)
      return load(step.out);
    int64_t start = freeAt(step.engine);
    for (const Source &source : step.srcs)
      if (source.tile && space.hasRows(source.tile))
        start = std::max(start, visible(tileOf(source.tile), step.engine));
    // The tile may still be read, or be written, for an earlier tile of rows.
    for (Value value : {step.out, step.acc})
      if (value) {
        const Tile &to = tileOf(value);
        start = std::max({start, to.read, to.written});
      }
    if (step.opcode == Opcode::Activation && target::needsTable(step.fns[0]) &&
        table != step.fns[0]) {
      table = step.fns[0];
      start += target.activationTableLoad;
    }
    freeAt(step.engine) = start + cost.busy;
    int64_t done = start + cost.latency;
    for (const Source &source : step.srcs)
      if (source.tile && space.hasRows(source.tile)) {
        Tile &from = tileOf(source.tile);
        from.read = std::max(from.read, done);
      }
    for (Value value : {step.out, step.acc})
      if (value)
        tileOf(value) = {done, step.engine, 0};
    advance(done);
  }

  const target::Target &target;
  const KernelSpace &space;
  const Selected &selected;
  SmallVector<target::Cost> costs;
  DenseMap<Value, unsigned> storesOf;
  DenseMap<std::pair<Value, int64_t>, Tile> tiles;
  std::array<int64_t, program::kNumEngines> engineFree{};
  std::optional<program::Fn> table;
  int64_t loads = 0, stores = 0, end = 0, tile = 0;
};

} // namespace

int64_t TileClock::timeOf(const Selected &selected) const {
  int64_t tiles = std::max<int64_t>(1, (space.rows() + target.partitions - 1) /
                                           target.partitions);
  Run run(target, space, selected);
  auto ends = run.ends(std::min(tiles, kTiles));
  if (tiles <= kTiles)
    return ends.back();
  // Two tiles, because buffers alternate.
  int64_t pair = ends[kTiles - 1] - ends[kTiles - 3];
  return std::max(ends.back() + (tiles - kTiles) * pair / 2,
                  ends.front() + (tiles - 1) * run.memory / kTiles);
}

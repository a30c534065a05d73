//===- RowKernel.cpp - a row kernel as loops of instructions
//-------------------===//
//
//   hoisted: what is the same for all rows
//   loop over tiles of 128 rows (and a last, smaller one):
//     a row fits SBUF: each step once
//     else, for each level: loop over chunks of columns, accumulating the
//       statistics of that level; then the arithmetic on them
//
// The level of a value is how many statistics it waits for: what depends on
// statistics of level n is computed in phase n. Values as wide as the row are
// computed again in every phase that needs them; only statistics stay.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/RowKernel.h"
#include "passes/lowering/Instructions.h"
#include "passes/memory/PlaceTiles.h"
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using program::Opcode;

namespace {

class Emitter {
public:
  Emitter(ir::KernelOp kernel, const KernelSpace &space,
          const Selected &selected, const KernelMemory &memory,
          TileBudget budget, OpBuilder &b)
      : kernel(kernel), space(space), selected(selected), memory(memory),
        budget(budget), b(b), rows(space.rows()), columns(space.columns()) {
    for (const Step &step : selected.steps)
      setLevel(step);
    for (auto [i, value] : llvm::enumerate(selected.yielded))
      storesOf[value].push_back(i);
    storeEngine = chooseStoreEngine();
  }

  LogicalResult run() {
    int64_t chunk = columns;
    buffers = kBuffers;
    while (true) {
      nisa::KernelOp emitted = emit(chunk);
      if (failed(failedEmission))
        return failure();
      int64_t peak = memory::peakBytes(emitted);
      if (peak <= budget.bytes)
        return success();
      emitted.erase();
      // A whole row in one buffer is worth more than two buffers of a part.
      if (buffers > 1) {
        buffers = 1;
        continue;
      }
      if (chunk == 1)
        return kernel.emitOpError("L7: its statistics alone need ")
               << peak << " bytes a partition, SBUF has " << budget.bytes;
      // The peak grows with the chunk: aim, and land on a round number.
      int64_t next = chunk * budget.bytes / peak;
      next = std::min(next, chunk - 1);
      chunk = next > 256 ? next / 256 * 256 : std::max<int64_t>(next, 1);
    }
  }

private:
  using Tiles = DenseMap<Value, Value>;

  /// Rows of a whole tile.
  int64_t tileRows() const { return std::min(rows, budget.partitions); }

  //===--------------------------------------------------------------------===//
  // Levels
  //===--------------------------------------------------------------------===//

  int levelOf(Value value) const { return levels.lookup(value); }

  void setLevel(const Step &step) {
    int level = 0;
    for (const Source &source : step.srcs)
      if (source.tile)
        level = std::max(level, levelOf(source.tile));
    bool reduces = step.opcode == Opcode::TensorReduce ||
                   step.opcode == Opcode::GpsimdReduce;
    if (step.out)
      levels[step.out] = level + (reduces ? 1 : 0);
    if (step.acc)
      levels[step.acc] = level + 1;
    maxLevel = std::max(maxLevel, level + (reduces || step.acc ? 1 : 0));
    stepLevels.push_back(level);
  }

  bool isInvariant(const Step &step) const {
    return !space.hasRows(step.out ? step.out : step.acc);
  }
  /// The step works on whole rows: its output, or what it reduces, has columns.
  bool isWide(const Step &step) const {
    if (step.out && space.hasColumns(step.out))
      return true;
    if (!step.reduction())
      return false;
    return step.opcode == Opcode::Activation
               ? space.hasColumns(step.srcs[0].tile)
               : step.srcs[0].tile && space.hasColumns(step.srcs[0].tile);
  }

  //===--------------------------------------------------------------------===//
  // Structure
  //===--------------------------------------------------------------------===//

  nisa::KernelOp emit(int64_t chunkSize) {
    OpBuilder::InsertionGuard guard(b);
    auto emitted =
        nisa::KernelOp::create(b, kernel.getLoc(), kernel.getSymAttr());
    b.setInsertionPointToEnd(&emitted.getBody().emplaceBlock());
    argValues.clear(); // of an attempt that did not fit
    chunk = chunkSize;
    depth = 0;
    rowAffine.assign(1, 0);
    columnAffine.assign(1, 0);
    width = std::min(chunk, columns);
    parts = tileRows();
    int64_t whole = rows / parts, rest = rows % parts;
    Tiles hoisted;
    bool oneChunk = chunk == columns;
    for (const Step &step : selected.steps)
      if (isInvariant(step) && (oneChunk || !isWide(step)) &&
          !dependsOnWide(step))
        emitStep(step, hoisted);
    rowLoop(whole, 0, hoisted);
    if (rest) {
      parts = rest;
      rowLoop(1, whole * tileRows(), hoisted);
    }
    return emitted;
  }

  /// In chunked kernels, a scalar of all columns (a reduction of an invariant
  /// row) is made in the row loop like any statistic.
  bool dependsOnWide(const Step &step) const {
    if (chunk == columns)
      return false;
    if (step.reduction() && isWide(step))
      return true;
    for (const Source &source : step.srcs)
      if (source.tile && levelOf(source.tile) > 0)
        return true;
    return false;
  }

  void rowLoop(int64_t count, int64_t base, const Tiles &hoisted) {
    OpBuilder::InsertionGuard guard(b);
    rowAffine.assign(1, base);
    if (count > 1) {
      enterLoop(count);
      rowAffine.push_back(parts);
      rowBody(hoisted);
      --depth;
    } else {
      rowBody(hoisted);
    }
  }

  void enterLoop(int64_t count) {
    auto loop =
        nisa::LoopOp::create(b, kernel.getLoc(), b.getI64IntegerAttr(count));
    b.setInsertionPointToEnd(&loop.getBody().emplaceBlock());
    ++depth;
  }

  void rowBody(const Tiles &hoisted) {
    Tiles tiles = hoisted;
    columnAffine.assign(1, 0);
    if (chunk == columns) {
      width = columns;
      for (const Step &step : selected.steps)
        if (!isInvariant(step))
          emitStep(step, tiles);
      return;
    }
    for (int phase = 0; phase <= maxLevel; ++phase)
      phaseBody(phase, tiles);
  }

  /// What phase `phase` is for: statistics of the next level, and outputs whose
  /// value is known now.
  bool isGoal(const Step &step, size_t index, int phase) const {
    if (!isWide(step) || stepLevels[index] != phase)
      return false;
    if (step.reduction())
      return true;
    return step.out && storesOf.contains(step.out);
  }

  void phaseBody(int phase, Tiles &tiles) {
    // Narrow steps of this level: arithmetic on the statistics of the last
    // phase.
    for (auto [i, step] : llvm::enumerate(selected.steps))
      if (!isWide(step) && levelOfNarrow(step) == phase &&
          !tiles.contains(step.out ? step.out : step.acc))
        emitStep(step, tiles);

    // The goals of the phase and all wide steps that they need, backwards.
    SmallVector<bool> needed(selected.steps.size(), false);
    DenseSet<Value> wanted;
    bool any = false;
    for (size_t i = selected.steps.size(); i-- > 0;) {
      const Step &step = selected.steps[i];
      if (!isWide(step))
        continue;
      bool goal = isGoal(step, i, phase);
      bool computesWide = step.out && space.hasColumns(step.out);
      if (!goal && !(computesWide && wanted.contains(step.out)))
        continue;
      needed[i] = true;
      any = true;
      for (const Source &source : step.srcs)
        if (source.tile)
          wanted.insert(source.tile);
    }
    if (!any)
      return;
    for (auto [i, step] : llvm::enumerate(selected.steps))
      if (needed[i] && isGoal(step, i, phase) && step.reduction())
        initialize(step, tiles);
    int64_t whole = columns / chunk, rest = columns % chunk;
    chunkLoop(whole, chunk, 0, phase, needed, tiles);
    if (rest)
      chunkLoop(1, rest, whole * chunk, phase, needed, tiles);
    for (auto [i, step] : llvm::enumerate(selected.steps))
      if (needed[i] && isGoal(step, i, phase) && step.reduction())
        storeAll(step.reduction(), tiles);
  }

  int levelOfNarrow(const Step &step) const {
    return levelOf(step.out ? step.out : step.acc);
  }

  void chunkLoop(int64_t count, int64_t size, int64_t base, int phase,
                 ArrayRef<bool> needed, const Tiles &tiles) {
    OpBuilder::InsertionGuard guard(b);
    width = size;
    columnAffine.assign(1, base);
    int64_t outer = depth;
    if (count > 1) {
      enterLoop(count);
      columnAffine.resize(depth + 1, 0);
      columnAffine[depth] = size;
    }
    Tiles local = tiles;
    for (auto [i, step] : llvm::enumerate(selected.steps)) {
      if (!needed[i])
        continue;
      emitStep(step, local,
               /*inPhase=*/isGoal(step, i, phase) ? Goal : Recomputed);
    }
    depth = outer;
    columnAffine.assign(1, 0);
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  Value tileFor(Value value, Tiles &tiles) {
    Value &tile = tiles[value];
    if (tile)
      return tile;
    int64_t free = space.hasColumns(value) ? width : 1;
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    int64_t allocated = space.hasRows(value) ? parts : tileRows();
    tile = nisa::AllocOp::create(
        b, value.getLoc(),
        nisa::memrefType({allocated, free}, element, nisa::MemorySpace::SBUF),
        IntegerAttr(), b.getI64IntegerAttr(buffersFor(value)), IntegerAttr());
    return tile;
  }

  /// What DMA reads or writes in a loop over row tiles has several buffers, so
  /// that it runs beside the engines' work on another tile.
  int64_t buffersFor(Value value) const {
    bool isMoved = isRead(value) || storesOf.contains(value);
    bool inRowLoop = depth == 1 && chunk == columns;
    return isMoved && inRowLoop && space.hasRows(value) ? buffers : 1;
  }

  /// The accumulator of a statistic starts from the identity of its function.
  void initialize(const Step &step, Tiles &tiles) {
    Value statistic = step.reduction();
    Type element = cast<RankedTensorType>(statistic.getType()).getElementType();
    if (isArg(step)) {
      fill(tileFor(statistic, tiles), b.getI64IntegerAttr(0), step.loc);
      Value value = argValueTile(step, tiles);
      Type type = cast<MemRefType>(value.getType()).getElementType();
      fill(value, identity(step.reduce == "argmax" ? "max" : "min", type),
           step.loc);
      return;
    }
    StringRef name = step.reduce;
    if (step.opcode == Opcode::Activation)
      name = "sum";
    else if (step.opcode == Opcode::TensorReduce)
      name = step.fns[0] == program::Fn::add      ? "sum"
             : step.fns[0] == program::Fn::hw_max ? "max"
                                                  : "min";
    fill(tileFor(statistic, tiles), identity(name, element), step.loc);
  }

  void fill(Value tile, TypedAttr number, Location loc) {
    Value immediate =
        nisa::ImmediateOp::create(b, loc, number.getType(), number);
    nisa::MemsetOp::create(b, loc, ValueRange{immediate}, ValueRange{tile},
                           engineAttr(Engine::Vector),
                           b.getI64IntegerAttr(parts), ArrayAttr(), ArrayAttr(),
                           UnitAttr());
  }

  TypedAttr identity(StringRef name, Type type) {
    if (auto floating = dyn_cast<FloatType>(type)) {
      double inf = std::numeric_limits<double>::infinity();
      double number = name == "max"   ? -inf
                      : name == "min" ? inf
                                      : name == "prod";
      return b.getFloatAttr(floating, number);
    }
    unsigned bits = type.getIntOrFloatBitWidth();
    bool isUnsigned = type.isUnsignedInteger() || bits == 1;
    APInt number(bits, 0);
    if (name == "max")
      number = isUnsigned ? APInt(bits, 0) : APInt::getSignedMinValue(bits);
    else if (name == "min")
      number = isUnsigned ? APInt::getMaxValue(bits)
                          : APInt::getSignedMaxValue(bits);
    else if (name == "prod" || name == "all")
      number = APInt(bits, 1);
    return IntegerAttr::get(type, number);
  }

  static bool isArg(const Step &step) {
    return step.reduce == "argmax" || step.reduce == "argmin";
  }

  /// The value beside the index of an arg-reduction.
  Value argValueTile(const Step &step, Tiles &tiles) {
    Value &tile = argValues[tileFor(step.out, tiles)];
    if (!tile)
      tile = nisa::AllocOp::create(
          b, step.loc,
          nisa::memrefType({parts, 1}, step.compute, nisa::MemorySpace::SBUF),
          IntegerAttr(), b.getI64IntegerAttr(1), IntegerAttr());
    return tile;
  }

  nisa::EngineAttr engineAttr(Engine engine) {
    return nisa::EngineAttr::get(b.getContext(), engine);
  }

  /// Once: not cut into chunks. Goal: for what it makes of this chunk.
  /// Recomputed: for others of the phase, its statistics are known already.
  enum Purpose { Once, Goal, Recomputed };

  void emitStep(const Step &step, Tiles &tiles, Purpose purpose = Once) {
    int64_t outerParts = parts;
    if (isInvariant(step))
      parts = tileRows();
    emitInstruction(step, tiles, purpose);
    parts = outerParts;
    bool isStatistic = step.out && step.out == step.reduction();
    if (step.out && purpose != Recomputed && !(purpose == Goal && isStatistic))
      storeAll(step.out, tiles);
    if (step.acc && purpose == Once)
      storeAll(step.acc, tiles);
  }

  void emitInstruction(const Step &step, Tiles &tiles, Purpose purpose) {
    if (step.opcode == Opcode::DmaLoad)
      return emitLoad(step, tiles);
    SmallVector<Value> srcs, outs;
    for (const Source &source : step.srcs)
      srcs.push_back(source.tile ? tiles.lookup(source.tile)
                                 : nisa::ImmediateOp::create(
                                       b, step.loc, source.immediate.getType(),
                                       source.immediate)
                                       .getResult());
    bool hasAcc =
        step.opcode == Opcode::Activation && step.acc && purpose != Recomputed;
    if (step.out)
      outs.push_back(tileFor(step.out, tiles));
    if (hasAcc)
      outs.push_back(tileFor(step.acc, tiles));
    if (isArg(step))
      outs.push_back(argValueTile(step, tiles));
    if (step.opcode == Opcode::Iota)
      return emitIota(step, outs);
    InstructionFlags flags;
    flags.accumulate = purpose == Goal && step.reduction();
    flags.hasAcc = hasAcc;
    createInstruction(b, step, srcs, outs, parts, flags,
                      isArg(step) ? ArrayRef<int64_t>(columnAffine)
                                  : ArrayRef<int64_t>());
  }

  /// The counted dimension is one of the space; the tile's rows or columns step
  /// through it if it is the innermost of its kind, and the others are of
  /// size 1.
  void emitIota(const Step &step, ValueRange outs) {
    bool isColumn = space.isColumn(step.iotaDim);
    int64_t inner = 1, outer = 1;
    for (size_t i = 0; i < space.getSizes().size(); ++i)
      if (space.isColumn(i) == isColumn)
        (i > step.iotaDim   ? inner
         : i < step.iotaDim ? outer
                            : inner) *=
            i == step.iotaDim ? 1 : space.getSizes()[i];
    if (step.step != 0 && (inner != 1 || outer != 1))
      failedEmission = kernel.emitOpError(
          "L8: counts along one of several row or column dimensions");
    SmallVector<int64_t> index{step.start};
    ArrayRef<int64_t> affine = isColumn ? columnAffine : rowAffine;
    index[0] += affine[0] * step.step;
    for (int64_t coefficient : affine.drop_front())
      index.push_back(coefficient * step.step);
    nisa::IotaOp::create(b, step.loc, ValueRange(), outs,
                         engineAttr(step.engine), b.getI64IntegerAttr(parts),
                         ArrayAttr(), ArrayAttr(), UnitAttr(),
                         b.getDenseI64ArrayAttr(index),
                         b.getI64IntegerAttr(isColumn ? 0 : step.step),
                         b.getI64IntegerAttr(isColumn ? step.step : 0));
  }

  //===--------------------------------------------------------------------===//
  // HBM
  //===--------------------------------------------------------------------===//

  HbmValue placeOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return memory.read.find(argument)->second;
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      auto type = cast<RankedTensorType>(value.getType());
      Value variable = nisa::ConstantOp::create(
          b, op->getLoc(),
          nisa::memrefType(type.getShape(), type.getElementType(),
                           nisa::MemorySpace::HBM),
          constant.getValue());
      return {variable, StridedLayout::dense(type.getShape())};
    }
    HbmValue inner = placeOf(op->getOperand(0));
    std::optional<StridedLayout> layout = viewed(inner.layout, op);
    if (!layout) {
      failedEmission =
          op->emitOpError("L9: strides cannot say this view of an HBM value");
      layout = StridedLayout::dense(
          cast<RankedTensorType>(value.getType()).getShape());
    }
    return {inner.variable, *layout};
  }

  void emitLoad(const Step &step, Tiles &tiles) {
    HbmWindow window = windowOf(space, step.out, placeOf(step.out), tileRows());
    Value tile = tileFor(step.out, tiles);
    createDma<nisa::DmaLoadOp>(step.loc, ValueRange(), ValueRange{tile},
                               Engine::Sync, nextLoadQueue++ % kLoadQueues,
                               window, parts, step.out);
  }

  void storeAll(Value value, Tiles &tiles) {
    auto stores = storesOf.find(value);
    if (stores == storesOf.end())
      return;
    for (unsigned result : stores->second) {
      // The dimensions of the yielded value itself: a view may have renamed
      // them.
      Value yielded =
          cast<ir::YieldOp>(kernel.getBody().front().getTerminator())
              .getValues()[result];
      HbmWindow window =
          windowOf(space, yielded, memory.written[result], tileRows());
      bool hasRows = space.hasRows(value);
      if (!hasRows) {
        window.rowSizes = {1};
        window.rowStrides = {0};
      }
      createDma<nisa::DmaStoreOp>(
          value.getLoc(), ValueRange{tiles.lookup(value)}, ValueRange(),
          storeEngine, kLoadQueues + nextStoreQueue++ % kStoreQueues, window,
          hasRows ? parts : 1, value);
    }
  }

  /// Moves `value`, of which a tile is the current rows and columns as far as
  /// it has them.
  template <typename Dma>
  void createDma(Location loc, ValueRange srcs, ValueRange outs, Engine engine,
                 int64_t queue, const HbmWindow &window, int64_t moved,
                 Value value) {
    const SmallVector<int64_t> start{0};
    auto array = [&](ArrayRef<int64_t> values) {
      return b.getDenseI64ArrayAttr(values);
    };
    Dma::create(b, loc, srcs, outs, engineAttr(engine),
                b.getI64IntegerAttr(moved), ArrayAttr(), ArrayAttr(),
                UnitAttr(), window.variable, b.getI64IntegerAttr(queue),
                b.getI64IntegerAttr(window.offset), array(window.rowSizes),
                array(window.rowStrides), array(window.colSizes),
                array(window.colStrides),
                array(space.hasRows(value) ? rowAffine : start),
                array(space.hasColumns(value) ? columnAffine : start));
  }

  /// An engine that issues a store waits for what it stores, and its own next
  /// instruction waits with it: the one with the least to do takes the stores.
  Engine chooseStoreEngine() const {
    unsigned scalar = 0, gpsimd = 0;
    for (const Step &step : selected.steps)
      if (isWide(step)) {
        scalar += step.engine == Engine::Scalar;
        gpsimd += step.engine == Engine::GpSimd;
      }
    return scalar <= gpsimd ? Engine::Scalar : Engine::GpSimd;
  }

  // Loads are issued by Sync, on queues of their own.
  static constexpr int64_t kLoadQueues = 4, kStoreQueues = 4;
  static constexpr int64_t kBuffers = 2;

  ir::KernelOp kernel;
  const KernelSpace &space;
  const Selected &selected;
  const KernelMemory &memory;
  TileBudget budget;
  OpBuilder &b;
  int64_t rows, columns;

  DenseMap<Value, int> levels;
  SmallVector<int> stepLevels; ///< of what the step reads
  int maxLevel = 0;
  DenseMap<Value, SmallVector<unsigned, 1>> storesOf;
  DenseMap<Value, Value> argValues; ///< by the tile of the index

  int64_t chunk = 0, width = 0, parts = 0, buffers = 1;
  Engine storeEngine = Engine::Scalar;
  int64_t depth = 0;
  SmallVector<int64_t> rowAffine, columnAffine; ///< base, coefficient a loop
  int64_t nextLoadQueue = 0, nextStoreQueue = 0;
  LogicalResult failedEmission = success();
};

} // namespace

LogicalResult lowering::emitRowKernel(ir::KernelOp kernel,
                                      const KernelSpace &space,
                                      const Selected &selected,
                                      const KernelMemory &memory,
                                      TileBudget budget, OpBuilder &b) {
  return Emitter(kernel, space, selected, memory, budget, b).run();
}

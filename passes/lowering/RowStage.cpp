//===- RowStage.cpp - the steps of one kernel on a tile of rows -----------===//
#include "passes/lowering/RowStage.h"
#include "passes/lowering/Alu.h"
#include "passes/lowering/IndexedDma.h"
#include "passes/lowering/Instructions.h"
#include "passes/lowering/TileOps.h"
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using program::Opcode;

void lowering::enterLoop(OpBuilder &b, Location loc, Position &at,
                         int64_t count, SmallVectorImpl<int64_t> &affine,
                         int64_t coefficient) {
  auto loop = nisa::LoopOp::create(b, loc, b.getI64IntegerAttr(count));
  b.setInsertionPointToEnd(&loop.getBody().emplaceBlock());
  ++at.depth;
  affine.resize(at.depth, 0);
  affine.push_back(coefficient);
}

static int64_t batchesOf(ir::MatmulOp op) {
  return llvm::product_of(op.getBatchSizes());
}

RowStage::RowStage(const StageInput &input, TileBudget budget, Position &at,
                   OpBuilder &b)
    : kernel(input.kernel), space(input.space), selected(input.selected),
      memory(input.memory), dead(input.dead), at(at), b(b),
      matrices(b, budget.partitions, budget.productColumns),
      turned(b, *budget.costs) {
  for (const Step &step : selected.steps) {
    setLevel(step);
    setBatches(step);
    setOfProducts(step);
  }
  for (auto [i, value] : llvm::enumerate(selected.yielded))
    storesOf[value].push_back(i);
  storeEngine = selected.storeEngine.value_or(chooseStoreEngine());
}

void RowStage::begin(int64_t newChunk, int64_t newWidth, int64_t newBuffers) {
  chunk = newChunk;
  width = newWidth;
  buffers = newBuffers;
  terms.reset();
  argValues.clear(); // of an attempt that did not fit
  carries.clear();
}

/// Products of one batch stand beside those of several (rule F7).
void RowStage::setBatches(const Step &step) {
  if (step.matrix == Step::Matrix::None)
    return;
  hasProducts = true;
  batchCount = std::max(batchCount, batchesOf(step.matmul));
}

void RowStage::hoist(Tiles &tiles, bool ofBatch) {
  for (const Step &step : selected.steps) {
    bool batched =
        step.matrix == Step::Matrix::Moving && batchesOf(step.matmul) > 1;
    if (isInvariant(step) && batched == ofBatch && !isOfChunks(step) &&
        (isWhole() || !isWide(step)) && !dependsOnWide(step))
      emitStep(step, tiles);
  }
}

bool RowStage::dependsOnWide(const Step &step) const {
  if (chunk == columns())
    return false;
  if (step.reduction() && isWide(step))
    return true;
  for (const Source &source : step.srcs)
    if (source.tile && levelOf(source.tile) > 0)
      return true;
  return false;
}

void RowStage::setLevel(const Step &step) {
  int level = 0;
  for (const Source &source : step.srcs)
    if (source.tile)
      level = std::max(level, levelOf(source.tile));
  bool reduces = step.opcode == Opcode::TensorReduce ||
                 step.opcode == Opcode::GpsimdReduce;
  if (step.out)
    levels[step.out] = level + (reduces ? 1 : 0);
  bool sums = step.acc && step.acc == step.reduction();
  if (step.acc)
    levels[step.acc] = level + (sums ? 1 : 0);
  maxLevel = std::max(maxLevel, level + (reduces || sums ? 1 : 0));
  stepLevels.push_back(level);
}

bool RowStage::isInvariant(const Step &step) const {
  if (step.matrix != Step::Matrix::None)
    return step.matrix == Step::Matrix::Moving;
  if (step.opcode == Opcode::DmaScatter)
    return false;
  Value made = step.out ? step.out : step.acc;
  return !space.hasRows(made) && !ofProducts.contains(made);
}

void RowStage::setOfProducts(const Step &step) {
  bool depends = step.matrix == Step::Matrix::Product;
  for (const Source &source : step.srcs)
    depends |= source.tile && ofProducts.contains(source.tile);
  for (Value made : {step.out, step.acc})
    if (depends && made)
      ofProducts.insert(made);
}

/// The step works on whole rows: its output, or what it reduces, has columns.
bool RowStage::isWide(const Step &step) const {
  if (step.matrix != Step::Matrix::None)
    return step.matrix != Step::Matrix::Stationary;
  if (step.opcode == Opcode::DmaScatter)
    return true;
  if (step.acc && space.hasColumns(step.acc))
    return true;
  if (step.out && space.hasColumns(step.out))
    return true;
  if (!step.reduction())
    return false;
  return step.opcode == Opcode::Activation
             ? space.hasColumns(step.srcs[0].tile)
             : step.srcs[0].tile && space.hasColumns(step.srcs[0].tile);
}

RowStage::Tiles RowStage::rowBody(const Tiles &hoisted, const Tiles *previous) {
  Tiles tiles = hoisted;
  for (const Step &step : selected.steps)
    if (Value value = memory.onChip.lookup(step.out);
        value && step.matrix == Step::Matrix::Stationary && !isPartial)
      tiles.stationary[step.out] =
          matrices.turned(previous->lookup(value), at.parts, rotatingBuffers());
  if (isWhole()) {
    for (const Step &step : selected.steps)
      if (!isInvariant(step) && !isMade(step, tiles))
        emitStep(step, tiles);
    return tiles;
  }
  at.column.assign(1, 0);
  for (int phase = 0; phase <= maxLevel; ++phase)
    phaseBody(phase, tiles);
  return tiles;
}

/// What phase `phase` is for: statistics of the next level, and outputs whose
/// value is known now.
bool RowStage::isGoal(const Step &step, size_t index, int phase) const {
  if (!isWide(step) || stepLevels[index] != phase)
    return false;
  if (step.reduction())
    return true;
  return step.out && storesOf.contains(step.out);
}

void RowStage::phaseBody(int phase, Tiles &tiles) {
  // Narrow steps of this level: arithmetic on the statistics of the last
  // phase.
  for (auto [i, step] : llvm::enumerate(selected.steps))
    if (!isWide(step) && levelOfNarrow(step) == phase && !isMade(step, tiles))
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
    bool computesWide = step.out && (step.matrix != Step::Matrix::None ||
                                     space.hasColumns(step.out));
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
  for (auto [i, step] : llvm::enumerate(selected.steps))
    if (needed[i] && step.opcode == Opcode::GpsimdScan)
      startScan(step);
  int64_t whole = columns() / chunk, rest = columns() % chunk;
  chunkLoop(whole, chunk, 0, phase, needed, tiles);
  if (rest)
    chunkLoop(1, rest, whole * chunk, phase, needed, tiles);
  for (auto [i, step] : llvm::enumerate(selected.steps))
    if (needed[i] && isGoal(step, i, phase) && step.reduction())
      storeAll(step.reduction(), tiles);
}

bool RowStage::isMade(const Step &step, const Tiles &tiles) {
  if (step.matrix == Step::Matrix::Stationary)
    return tiles.stationary.contains(step.out);
  return tiles.contains(step.out ? step.out : step.acc);
}

int RowStage::levelOfNarrow(const Step &step) const {
  return levelOf(step.out ? step.out : step.acc);
}

void RowStage::chunkLoop(int64_t count, int64_t size, int64_t base, int phase,
                         ArrayRef<bool> needed, const Tiles &tiles) {
  OpBuilder::InsertionGuard guard(b);
  width = size;
  at.column.assign(1, base);
  int64_t outer = at.depth;
  if (count > 1)
    enterLoop(b, kernel.getLoc(), at, count, at.column, size);
  Tiles local = tiles;
  for (auto [i, step] : llvm::enumerate(selected.steps)) {
    if (!needed[i])
      continue;
    Purpose purpose = isGoal(step, i, phase) ? Goal : Recomputed;
    emitStep(step, local, purpose);
    if (chunkReader && purpose == Goal && step.out)
      chunkReader->addProducts(step.out, local.lookup(step.out));
  }
  at.depth = outer;
  at.column.assign(1, 0);
}

//===--------------------------------------------------------------------===//
// Steps
//===--------------------------------------------------------------------===//

Value RowStage::tileFor(Value value, Tiles &tiles) {
  Value &tile = tiles[value];
  if (tile)
    return tile;
  int64_t free = space.hasColumns(value) ? width : 1;
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  int64_t allocated = space.hasRows(value) ? at.parts : at.tileRows;
  tile = nisa::AllocOp::create(
      b, value.getLoc(),
      nisa::memrefType({allocated, free}, element, nisa::MemorySpace::SBUF),
      IntegerAttr(), b.getI64IntegerAttr(buffersFor(value)), IntegerAttr());
  return tile;
}

Value RowStage::sourceTile(Value value, const Tiles &tiles) {
  Value tile = tiles.lookup(value);
  if (tile && space.hasColumns(value) && nisa::freeElements(tile) > width)
    return createPart(b, tile.getLoc(), tile, 0, width);
  return tile;
}

/// Columns of the right matrix: of a hoisted one, more than are used now.
int64_t RowStage::pitchOf(const Step &product, const Tiles &tiles) const {
  int64_t side = std::min(termsOf(product.matmul), matrices.partitions());
  return nisa::freeElements(tiles.moving.lookup(product.srcs[1].tile)) /
         llvm::divideCeil(termsOf(product.matmul), side);
}

int64_t RowStage::termsFor(ir::MatmulOp op) const {
  return terms && memory.onChip.contains(op.getLhs()) ? *terms : termsOf(op);
}

/// What DMA reads or writes in a loop over row tiles has several buffers, so
/// that it runs beside the engines' work on another tile.
int64_t RowStage::buffersFor(Value value) const {
  bool isMoved = isRead(value) || storesOf.contains(value);
  return isMoved && rotates() && space.hasRows(value) ? buffers : 1;
}

bool RowStage::rotates() const { return at.inTileLoop && isWhole(); }

/// The accumulator of a statistic starts from the identity of its function.
void RowStage::initialize(const Step &step, Tiles &tiles) {
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

void RowStage::fill(Value tile, TypedAttr number, Location loc) {
  Value immediate = nisa::ImmediateOp::create(b, loc, number.getType(), number);
  nisa::MemsetOp::create(b, loc, ValueRange{immediate}, ValueRange{tile},
                         engineAttr(Engine::Vector),
                         b.getI64IntegerAttr(at.parts), ArrayAttr(),
                         ArrayAttr(), UnitAttr());
}

TypedAttr RowStage::identity(StringRef name, Type type) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    double inf = std::numeric_limits<double>::infinity();
    double number = name == "max" ? -inf : name == "min" ? inf : name == "prod";
    return b.getFloatAttr(floating, number);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || bits == 1;
  APInt number(bits, 0);
  if (name == "max")
    number = isUnsigned ? APInt(bits, 0) : APInt::getSignedMinValue(bits);
  else if (name == "min")
    number =
        isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  else if (name == "prod" || name == "all")
    number = APInt(bits, 1);
  return IntegerAttr::get(type, number);
}

bool RowStage::isArg(const Step &step) {
  return step.reduce == "argmax" || step.reduce == "argmin";
}

/// The value beside the index of an arg-reduction.
Value RowStage::argValueTile(const Step &step, Tiles &tiles) {
  Value &tile = argValues[tileFor(step.out, tiles)];
  if (!tile)
    tile = nisa::AllocOp::create(
        b, step.loc,
        nisa::memrefType({at.parts, 1}, step.compute, nisa::MemorySpace::SBUF),
        IntegerAttr(), b.getI64IntegerAttr(1), IntegerAttr());
  return tile;
}

/// A scan of cut rows goes on from where the last cut ended: from a value that
/// changes nothing at first.
void RowStage::startScan(const Step &step) {
  int64_t outerParts = at.parts;
  if (isInvariant(step))
    at.parts = at.tileRows;
  Value carry = nisa::AllocOp::create(
      b, step.loc,
      nisa::memrefType({at.parts, 1}, step.compute, nisa::MemorySpace::SBUF),
      IntegerAttr(), b.getI64IntegerAttr(1), IntegerAttr());
  carries[step.out] = carry;
  StringRef name = step.reduce == "logaddexp" ? StringRef("max") : step.reduce;
  fill(carry, identity(name, step.compute), step.loc);
  at.parts = outerParts;
}

nisa::EngineAttr RowStage::engineAttr(Engine engine) {
  return nisa::EngineAttr::get(b.getContext(), engine);
}

void RowStage::emitStep(const Step &step, Tiles &tiles, Purpose purpose) {
  switch (step.matrix) {
  case Step::Matrix::None:
    break;
  case Step::Matrix::Stationary:
    if (isTooLong(step))
      return;
    tiles.stationary[step.out] = matrices.stationary(
        step.matmul, placeOf(step.out), at.row, at.parts,
        MatrixTiles::allTerms(step.matmul), rotatingBuffers());
    return;
  case Step::Matrix::Moving:
    if (isTooLong(step))
      return;
    tiles.moving[step.out] =
        matrices.moving(step.matmul, placeOf(step.out),
                        batchesOf(step.matmul) > 1 ? ArrayRef<int64_t>(at.batch)
                                                   : ArrayRef<int64_t>(),
                        at.column, width, MatrixTiles::allTerms(step.matmul),
                        rotatingBuffers());
    return;
  case Step::Matrix::Product:
    if (isTooLong(step))
      multiplyInChunks(step, tiles);
    else
      matrices.product(step.matmul, tiles.stationary.lookup(step.srcs[0].tile),
                       tiles.moving.lookup(step.srcs[1].tile),
                       tileFor(step.out, tiles), at.parts, width,
                       pitchOf(step, tiles), termsFor(step.matmul),
                       step.engine);
    if (purpose != Recomputed)
      storeAll(step.out, tiles);
    return;
  }
  int64_t outerParts = at.parts;
  if (isInvariant(step))
    at.parts = at.tileRows;
  emitInstruction(step, tiles, purpose);
  at.parts = outerParts;
  bool isStatistic = step.out && step.out == step.reduction();
  if (step.out && purpose != Recomputed && !(purpose == Goal && isStatistic))
    storeAll(step.out, tiles);
  bool isRow = step.acc && step.acc != step.reduction();
  if (step.acc && (purpose == Once || (isRow && purpose == Goal)))
    storeAll(step.acc, tiles);
}

void RowStage::emitInstruction(const Step &step, Tiles &tiles,
                               Purpose purpose) {
  if (step.opcode == Opcode::DmaLoad)
    return emitLoad(step, tiles);
  if (step.indexed)
    return emitIndexed(step, tiles);
  SmallVector<Value> srcs, outs;
  for (const Source &source : step.srcs)
    srcs.push_back(source.tile ? sourceTile(source.tile, tiles)
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
  if (step.opcode == Opcode::GpsimdRandom)
    return emitRandom(step, srcs, outs);
  InstructionFlags flags;
  if (step.opcode == Opcode::GpsimdScan && !isWhole()) {
    outs.push_back(carries.lookup(step.out));
    flags.accumulate = true;
    createInstruction(b, step, srcs, outs, at.parts, flags, {});
    return;
  }
  if (step.opcode == Opcode::GpsimdSort) {
    if (step.acc)
      outs.push_back(tileFor(step.acc, tiles));
    flags.hasAcc = bool(step.acc);
    createInstruction(b, step, srcs, outs, at.parts, flags, {});
    return;
  }
  flags.accumulate = purpose == Goal && step.reduction();
  flags.hasAcc = hasAcc;
  createInstruction(b, step, srcs, outs, at.parts, flags,
                    isArg(step) ? ArrayRef<int64_t>(at.column)
                                : ArrayRef<int64_t>());
}

/// The counted dimension is one of the space; the tile's rows or columns step
/// through it if it is the innermost of its kind, and the others are of
/// size 1.
void RowStage::emitIota(const Step &step, ValueRange outs) {
  bool isColumn = space.isColumn(step.iotaDim);
  int64_t inner = 1, outer = 1;
  for (size_t i = 0; i < space.getSizes().size(); ++i)
    if (space.isColumn(i) == isColumn)
      (i > step.iotaDim   ? inner
       : i < step.iotaDim ? outer
                          : inner) *=
          i == step.iotaDim ? 1 : space.getSizes()[i];
  if (step.step != 0 && (inner != 1 || outer != 1)) {
    isFailed = true;
    kernel.emitOpError(
        "L8: counts along one of several row or column dimensions");
  }
  SmallVector<int64_t> index{step.start};
  ArrayRef<int64_t> affine = isColumn ? at.column : at.row;
  index[0] += affine[0] * step.step;
  for (int64_t coefficient : affine.drop_front())
    index.push_back(coefficient * step.step);
  nisa::IotaOp::create(b, step.loc, ValueRange(), outs, engineAttr(step.engine),
                       b.getI64IntegerAttr(at.parts), ArrayAttr(), ArrayAttr(),
                       UnitAttr(), b.getDenseI64ArrayAttr(index),
                       b.getI64IntegerAttr(isColumn ? 0 : step.step),
                       b.getI64IntegerAttr(isColumn ? step.step : 0));
}

/// Counts the elements of the value in the order of rows and columns.
void RowStage::emitRandom(const Step &step, ValueRange srcs, ValueRange outs) {
  bool hasRows = space.hasRows(step.out),
       hasColumns = space.hasColumns(step.out);
  int64_t rowStep = !hasRows ? 0 : hasColumns ? columns() : 1;
  SmallVector<int64_t> index(std::max(at.row.size(), at.column.size()), 0);
  for (auto [i, value] : llvm::enumerate(at.row))
    index[i] += value * rowStep;
  for (auto [i, value] : llvm::enumerate(at.column))
    index[i] += hasColumns ? value : 0;
  nisa::GpsimdRandomOp::create(
      b, step.loc, srcs, outs, engineAttr(step.engine),
      b.getI64IntegerAttr(at.parts), ArrayAttr(), ArrayAttr(), UnitAttr(),
      b.getDenseI64ArrayAttr(index), b.getI64IntegerAttr(rowStep),
      b.getI64IntegerAttr(hasColumns ? 1 : 0));
}

void RowStage::emitIndexed(const Step &step, Tiles &tiles) {
  if (auto scatter = dyn_cast<ir::ScatterOp>(step.indexed)) {
    // The result lies where the destination does.
    HbmValue place = memory.written[storesOf.lookup(step.out).front()];
    HbmWindow window =
        indexedWindow(space, place, /*rows=*/true, /*columns=*/true, at.parts);
    return createScatter(b, scatter, window, place,
                         tiles.lookup(step.srcs[1].tile),
                         tiles.lookup(step.srcs[0].tile),
                         {at.parts, kScatterQueue, at.row, at.column});
  }
  HbmValue place = placeOf(step.indexed->getOperand(0));
  HbmWindow window = indexedWindow(space, place, space.hasRows(step.out),
                                   space.hasColumns(step.out), at.tileRows);
  createGather(b, step.loc, window, place, tiles.lookup(step.srcs[0].tile),
               tileFor(step.out, tiles),
               {at.parts, kGatherQueue + nextGatherQueue++ % kGatherQueues,
                rowOf(step.out), columnOf(step.out)});
}

//===--------------------------------------------------------------------===//
// HBM
//===--------------------------------------------------------------------===//

HbmValue RowStage::placeOf(Value value) {
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
    isFailed = true;
    op->emitOpError("L9: strides cannot say this view of an HBM value");
    layout = StridedLayout::dense(
        cast<RankedTensorType>(value.getType()).getShape());
  }
  return {inner.variable, *layout};
}

void RowStage::emitLoad(const Step &step, Tiles &tiles) {
  HbmWindow window = windowOf(space, step.out, placeOf(step.out), at.tileRows);
  Value tile = tileFor(step.out, tiles);
  auto queue = [&] { return nextLoadQueue++ % kLoadQueues; };
  Transfer transfer{window,       at.parts, rowOf(step.out), columnOf(step.out),
                    Engine::Sync, 0};
  int64_t free = nisa::freeElements(tile);
  if (turned.pays(window, elementOf(step.out), at.parts, free))
    return turned.load(step.loc, tile, free, transfer, queue,
                       rotatingBuffers());
  transfer.queue = queue();
  createLoad(b, step.loc, tile, transfer);
}

void RowStage::storeAll(Value value, Tiles &tiles) {
  if (value.getDefiningOp<ir::ScatterOp>())
    return; // it lies where it was scattered
  auto stores = storesOf.find(value);
  if (stores == storesOf.end())
    return;
  for (unsigned result : stores->second) {
    if (!memory.written[result].variable)
      continue; // stays on chip
    // The dimensions of the yielded value itself: a view may have renamed
    // them.
    Value yielded = cast<ir::YieldOp>(kernel.getBody().front().getTerminator())
                        .getValues()[result];
    HbmWindow window =
        windowOf(space, yielded, memory.written[result], at.tileRows);
    bool hasRows = space.hasRows(value);
    if (!hasRows) {
      window.rowSizes = {1};
      window.rowStrides = {0};
    }
    Transfer transfer{window,       hasRows ? at.parts : 1,
                      rowOf(value), columnOf(value),
                      storeEngine,  0};
    Value tile = tiles.lookup(value);
    int64_t free = nisa::freeElements(tile);
    if (turned.pays(window, elementOf(value), transfer.parts, free)) {
      turned.store(
          value.getLoc(), tile, free, transfer, [&] { return storeQueue(); },
          rotatingBuffers());
      continue;
    }
    transfer.queue = storeQueue();
    createStore(b, value.getLoc(), tile, transfer);
  }
}

/// The current rows and columns, of a value as far as it has them.
ArrayRef<int64_t> RowStage::rowOf(Value value) const {
  return space.hasRows(value) ? at.row : kStart;
}

ArrayRef<int64_t> RowStage::columnOf(Value value) const {
  return space.hasColumns(value) ? at.column : kStart;
}

/// An engine that issues a store waits for what it stores, and its own next
/// instruction waits with it: the one with the least to do takes the stores.
Engine RowStage::chooseStoreEngine() const {
  unsigned scalar = 0, gpsimd = 0;
  for (const Step &step : selected.steps)
    if (isWide(step)) {
      scalar += step.engine == Engine::Scalar;
      gpsimd += step.engine == Engine::GpSimd;
    }
  return scalar <= gpsimd ? Engine::Scalar : Engine::GpSimd;
}

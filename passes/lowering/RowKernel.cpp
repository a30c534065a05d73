//===- RowKernel.cpp - row kernels as loops of instructions ---------------===//
//
//   loop over blocks of columns, if there are products and no statistics
//     hoisted: what is the same for all rows
//     loop over batches of matrices
//       hoisted: what is the same for the rows of a batch
//       loop over tiles of 128 rows (and a last, smaller one): RowStage.h
//
// With matrix products, a tile of rows is within one batch. A block of the
// right matrix is brought to SBUF once for all rows of a batch.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/RowKernel.h"
#include "passes/lowering/RowStage.h"
#include "passes/lowering/TileClock.h"
#include "passes/memory/PlaceTiles.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

namespace {

/// Columns of a block, at most: enough to keep the engines busy between two
/// loads of the right matrix.
constexpr int64_t kBlockColumns = 4096;
/// Of small batches, at most.
constexpr int64_t kBatchBuffers = 8;

class Loops {
public:
  Loops(ArrayRef<StageInput> inputs, TileBudget budget, OpBuilder &b)
      : loc(ir::KernelOp(inputs.front().kernel).getLoc()), budget(budget),
        b(b) {
    for (const StageInput &input : inputs) {
      stages.emplace_back(input, budget, at, b);
      batches = std::max(batches, stages.back().batches());
    }
    name = nameOfChain(llvm::map_to_vector(
        inputs, [](const StageInput &input) { return input.kernel; }));
    rows = stages.front().rows();
    matrixRows = rows / batches;
    for (const RowStage &stage : stages)
      if (const DeadColumns *dead = stage.deadColumns())
        matrixRows = std::min(matrixRows, dead->rows);
  }

  bool sorts() const {
    return llvm::any_of(stages,
                        [](const RowStage &stage) { return stage.sorts(); });
  }
  int64_t columns() const { return stages.front().columns(); }
  bool blocksColumns() const {
    return stages.size() == 1 && stages.front().blocksColumns();
  }
  /// Whether rows of a chain can come in chunks.
  bool canCutRows() const {
    return stages.size() == 2 &&
           llvm::none_of(stages, [](const RowStage &stage) {
             return stage.scatters() || stage.sorts();
           });
  }
  /// Products of fewer terms at a time; false if there are none to cut.
  bool cutTerms() {
    RowStage &stage = stages.front();
    int64_t terms = termChunk ? termChunk : stage.maxTerms();
    int64_t next = terms / 2 / budget.partitions * budget.partitions;
    if (next == 0)
      return false;
    termChunk = std::min(next, kFirstTermChunk);
    stage.setTermChunk(termChunk);
    return true;
  }
  int64_t firstChunk() const {
    return blocksColumns() ? std::min(columns(), kBlockColumns) : columns();
  }

  /// A small batch takes less time than its DMA: more of them are under way.
  int64_t firstBuffers() const {
    return batchesAreTiles() ? kBatchBuffers : kMovedBuffers;
  }

  /// The bytes of a partition that the tiles take; what was emitted stays if
  /// they fit. Fails after an error.
  FailureOr<int64_t> tryEmit(int64_t chunk, int64_t buffers) {
    nisa::KernelOp emitted = emit(chunk, buffers);
    if (llvm::any_of(stages, [](const RowStage &stage) {
          return stage.hasFailed(); // has reported it
        }))
      return failure();
    int64_t peak = memory::peakBytes(emitted);
    if (peak > budget.bytes)
      emitted.erase();
    return peak;
  }

private:
  /// Of a chain, the chunks are of the first kernel's rows.
  nisa::KernelOp emit(int64_t chunk, int64_t buffers) {
    OpBuilder::InsertionGuard guard(b);
    auto emitted = nisa::KernelOp::create(b, loc, b.getStringAttr(name));
    b.setInsertionPointToEnd(&emitted.getBody().emplaceBlock());
    // A scatter goes row by row: of cut rows, one at a time.
    bool isCut = stages.size() == 1 && chunk != columns();
    at.tileRows = isCut && stages.front().scatters()
                      ? 1
                      : std::min(matrixRows, budget.partitions);
    at.depth = 0;
    at.row.assign(1, 0);
    at.column.assign(1, 0);
    at.parts = at.tileRows;
    isInChunks = stages.size() == 2 && chunk != columns();
    for (auto [i, stage] : llvm::enumerate(stages)) {
      bool makesChunks = isInChunks && i == 0;
      int64_t columns =
          stages.size() == 1 || makesChunks ? chunk : stage.columns();
      stage.begin(columns, std::min(columns, stage.columns()), buffers);
      stage.setInChunks(makesChunks, isInChunks && i == 1);
    }
    if (!blocksColumns()) {
      allRows();
      return emitted;
    }
    int64_t whole = columns() / chunk, rest = columns() % chunk;
    columnBlock(whole, chunk, 0);
    if (rest)
      columnBlock(1, rest, whole * chunk);
    return emitted;
  }

  void columnBlock(int64_t count, int64_t size, int64_t base) {
    OpBuilder::InsertionGuard guard(b);
    stages.front().setWidth(size);
    at.column.assign(1, base);
    at.row.assign(1, 0);
    int64_t outer = at.depth;
    if (count > 1)
      enterLoop(b, loc, at, count, at.column, size);
    allRows();
    at.depth = outer;
  }

  void allRows() {
    OpBuilder::InsertionGuard guard(b);
    std::vector<RowStage::Tiles> hoisted(stages.size());
    int64_t outer = at.depth;
    SmallVector<int64_t> outerRow = at.row;
    for (auto [stage, tiles] : llvm::zip(stages, hoisted))
      stage.hoist(tiles, /*ofBatch=*/false);
    at.batch.assign(1, 0);
    if (batches > 1) {
      enterLoop(b, loc, at, batches, at.row, rows / batches);
      at.batch.resize(at.depth, 0);
      at.batch.push_back(1);
      at.inTileLoop = batchesAreTiles();
      for (auto [stage, tiles] : llvm::zip(stages, hoisted))
        stage.hoist(tiles, /*ofBatch=*/true);
    }
    if (int64_t inBatch = rows / batches; matrixRows < inBatch)
      enterLoop(b, loc, at, inBatch / matrixRows, at.row, matrixRows);
    int64_t whole = matrixRows / at.tileRows;
    for (int64_t begin = 0, end; begin < whole; begin = end) {
      end = std::min(begin + tilesOfOneWidth(whole), whole);
      at.parts = at.tileRows;
      setWidths(end * at.tileRows);
      rowLoop(end - begin, begin * at.tileRows, hoisted);
    }
    setWidths(matrixRows);
    at.parts = matrixRows % at.tileRows;
    if (at.parts)
      rowLoop(1, whole * at.tileRows, hoisted);
    at.inTileLoop = false;
    at.depth = outer;
    at.row = outerRow;
  }

  /// Each batch is one tile: the loop over them is that over tiles.
  bool batchesAreTiles() const {
    return batches > 1 && matrixRows == rows / batches &&
           matrixRows <= budget.partitions;
  }

  /// Dead columns are left out by so many steps: each has code of its own.
  static constexpr int64_t kWidths = 8;

  int64_t tilesOfOneWidth(int64_t tiles) const {
    bool hasDead =
        !isInChunks && llvm::any_of(stages, [](const RowStage &stage) {
          return stage.deadColumns();
        });
    return hasDead ? llvm::divideCeil(tiles, kWidths) : tiles;
  }

  /// For rows up to `end` of a matrix. Whole squares, as matrices are turned.
  void setWidths(int64_t end) {
    for (size_t i = 0; i < stages.size(); ++i) {
      const DeadColumns *dead = stages[i].deadColumns();
      if (!dead || isInChunks)
        continue;
      int64_t width =
          std::min(llvm::alignTo(end + dead->reach, budget.partitions),
                   uint64_t(stages[i].columns()));
      stages[i].setWidth(width);
      stages[i + 1].setTerms(width);
    }
  }

  void rowLoop(int64_t count, int64_t base, ArrayRef<RowStage::Tiles> hoisted) {
    OpBuilder::InsertionGuard guard(b);
    int64_t outer = at.depth;
    SmallVector<int64_t> outerRow = at.row;
    at.row[0] += base;
    at.inTileLoop = count > 1 || batchesAreTiles();
    if (count > 1)
      enterLoop(b, loc, at, count, at.row, at.parts);
    if (isInChunks) {
      stages[0].rowBodyInChunks(hoisted[0], stages[1], hoisted[1]);
    } else {
      RowStage::Tiles made;
      for (auto [i, stage] : llvm::enumerate(stages))
        made = stage.rowBody(hoisted[i], i ? &made : nullptr);
    }
    at.inTileLoop = false;
    at.depth = outer;
    at.row = outerRow;
  }

  Location loc;
  TileBudget budget;
  OpBuilder &b;
  Position at;
  std::deque<RowStage> stages; ///< they refer to `at`, and stay where they are
  std::string name;
  static constexpr int64_t kFirstTermChunk = 4096;
  bool isInChunks = false; ///< rows of a chain
  int64_t termChunk = 0;   ///< of products; 0: whole
  int64_t rows = 0, batches = 1;
  int64_t matrixRows = 0; ///< rows that tiles do not go across the end of
};

} // namespace

std::string lowering::nameOfChain(ArrayRef<ir::KernelOp> kernels) {
  return llvm::join(
      llvm::map_range(kernels,
                      [](ir::KernelOp kernel) { return kernel.getSym(); }),
      "_");
}

LogicalResult lowering::emitRowKernel(const StageInput &stage,
                                      TileBudget budget, OpBuilder &b) {
  Loops loops(stage, budget, b);
  int64_t chunk = loops.firstChunk(), buffers = loops.firstBuffers();
  while (true) {
    FailureOr<int64_t> peak = loops.tryEmit(chunk, buffers);
    if (failed(peak))
      return failure();
    if (*peak <= budget.bytes)
      return success();
    // A whole row in one buffer is worth more than two buffers of a part.
    if (buffers > 1) {
      buffers /= 2;
      continue;
    }
    // Few columns fit beside all terms of a product: better more of both.
    if (chunk <= budget.partitions && loops.cutTerms()) {
      chunk = std::min(loops.columns(), budget.productColumns);
      continue;
    }
    ir::KernelOp kernel = stage.kernel;
    if (loops.sorts())
      return kernel.emitOpError("L14: sorts rows of ")
             << loops.columns() << " elements, which need " << *peak
             << " bytes a partition, SBUF has " << budget.bytes;
    if (chunk == 1)
      return kernel.emitOpError("L7: its statistics alone need ")
             << *peak << " bytes a partition, SBUF has " << budget.bytes;
    // The peak grows with the chunk: aim, and land on a round number.
    int64_t next = chunk * budget.bytes / *peak;
    next = std::min(next, chunk - 1);
    chunk = next > 256 ? next / 256 * 256 : std::max<int64_t>(next, 1);
  }
}

FailureOr<bool> lowering::emitChain(ArrayRef<StageInput> stages,
                                    TileBudget budget, OpBuilder &b) {
  Loops loops(stages, budget, b);
  int64_t chunk = loops.columns(), buffers = loops.firstBuffers();
  while (true) {
    FailureOr<int64_t> peak = loops.tryEmit(chunk, buffers);
    if (failed(peak))
      return failure();
    if (*peak <= budget.bytes)
      return true;
    if (buffers > 1) {
      buffers /= 2;
      continue;
    }
    if (!loops.canCutRows() || chunk <= budget.partitions)
      return false;
    // Whole squares, as chunks are turned.
    int64_t next = std::min(chunk * budget.bytes / *peak, chunk - 1);
    chunk = std::max(next / budget.partitions, int64_t(1)) * budget.partitions;
  }
}

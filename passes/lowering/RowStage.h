//===- RowStage.h - the steps of one kernel on a tile of rows ---*- C++ -*-===//
//
// What a kernel does with the rows where the loops stand now:
//
//   a row fits SBUF, or a block of columns is all that is wanted: each step
//   once else, for each level: a loop over chunks of columns, accumulating the
//     statistics of that level; then the arithmetic on them
//
// The level of a value is how many statistics it waits for: what depends on
// statistics of level n is computed in phase n. Values as wide as the row are
// computed again in every phase that needs them; only statistics stay.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "passes/lowering/MatrixTiles.h"
#include "passes/lowering/RowKernel.h"
#include "passes/lowering/TurnedDma.h"
#include "llvm/ADT/DenseSet.h"

namespace neuron::lowering {

/// Where the loops stand. Indices are `[base, coefficient a loop]`.
struct Position {
  int64_t parts = 0;    ///< rows of the current tile
  int64_t tileRows = 0; ///< of a whole one
  int64_t depth = 0;
  bool inTileLoop = false; ///< and in no other loop in it
  llvm::SmallVector<int64_t> row{0}, column{0}, batch{0};
};

/// Enters a loop by whose counter, times `coefficient`, `affine` grows.
void enterLoop(mlir::OpBuilder &b, mlir::Location loc, Position &at,
               int64_t count, llvm::SmallVectorImpl<int64_t> &affine,
               int64_t coefficient);

class RowStage {
public:
  /// Tiles by the value that they hold; of matrices, by the matrix.
  struct Tiles : llvm::DenseMap<mlir::Value, mlir::Value> {
    llvm::DenseMap<mlir::Value, mlir::Value> stationary, moving;
  };

  RowStage(const StageInput &input, TileBudget budget, Position &at,
           mlir::OpBuilder &b);

  int64_t rows() const { return space.rows(); }
  int64_t columns() const { return space.columns(); }
  /// Batches of matrices that its products go over.
  int64_t batches() const { return batchCount; }
  /// It has products, and no statistic that would need whole rows: columns can
  /// be cut into blocks outside of all else.
  bool blocksColumns() const {
    return hasProducts && maxLevel == 0 && !has(program::Opcode::GpsimdScan) &&
           !sorts() && !scatters();
  }
  /// Null: none.
  const DeadColumns *deadColumns() const { return dead ? &*dead : nullptr; }
  bool sorts() const { return has(program::Opcode::GpsimdSort); }
  bool scatters() const { return has(program::Opcode::DmaScatter); }

  /// Starts over, with chunks (or a block) of `chunk` columns, of which the
  /// current has `width`, and so many buffers for what DMA moves.
  void begin(int64_t chunk, int64_t width, int64_t buffers);
  void setWidth(int64_t columns) { width = columns; }
  /// How many terms of products the rows of the kernel before it have.
  void setTerms(int64_t count) { terms = count; }
  /// Products of more terms than this are made in chunks of so many; 0: whole.
  void setTermChunk(int64_t count) { termChunk = count; }
  /// Of its products, the most.
  int64_t maxTerms() const;
  /// Its rows are made in chunks for the kernel behind it, or come so from the
  /// kernel before it.
  void setInChunks(bool makes, bool reads) {
    makesChunks = makes;
    isPartial = reads;
  }
  /// What is the same for all rows, or for those of a batch.
  void hoist(Tiles &tiles, bool ofBatch);
  /// All of the current rows. `previous`: the tiles of the kernel before it in
  /// a chain.
  Tiles rowBody(const Tiles &hoisted, const Tiles *previous);
  /// The same of a chain whose rows do not fit: this kernel makes them in
  /// chunks, and `next` adds up what its products have of each.
  void rowBodyInChunks(const Tiles &hoisted, RowStage &next,
                       const Tiles &hoistedOfNext);
  /// Of an error that has been reported.
  bool hasFailed() const { return isFailed; }

private:
  bool has(program::Opcode opcode) const {
    return llvm::any_of(selected.steps, [&](const Step &step) {
      return step.opcode == opcode;
    });
  }

  // Levels
  int levelOf(mlir::Value value) const { return levels.lookup(value); }
  void setLevel(const Step &step);
  void setOfProducts(const Step &step);
  bool isInvariant(const Step &step) const;
  /// The step works on whole rows: its output, or what it reduces, has columns.
  bool isWide(const Step &step) const;
  void setBatches(const Step &step);
  bool isWhole() const {
    return chunk == columns() || (blocksColumns() && !makesChunks);
  }
  /// In chunked kernels, a scalar of all columns (a reduction of an invariant
  /// row) is made in the row loop like any statistic.
  bool dependsOnWide(const Step &step) const;

  // Phases
  /// What phase `phase` is for: statistics of the next level, and outputs whose
  /// value is known now.
  bool isGoal(const Step &step, size_t index, int phase) const;
  void phaseBody(int phase, Tiles &tiles);
  static bool isMade(const Step &step, const Tiles &tiles);
  int levelOfNarrow(const Step &step) const;
  void chunkLoop(int64_t count, int64_t size, int64_t base, int phase,
                 llvm::ArrayRef<bool> needed, const Tiles &tiles);

  // Products of rows that come in chunks (PartialProducts.cpp)
  bool isOfChunks(const Step &step) const;
  void startProduct(const Step &step);
  void addProduct(const Step &step, mlir::Value left,
                  const MatrixTiles::Terms &terms,
                  llvm::ArrayRef<int64_t> column);
  void finishProduct(const Step &step, Tiles &tiles);
  /// Of the rows of the kernel before it.
  void startProducts();
  void addProducts(mlir::Value rows, mlir::Value chunk);
  void finishProducts(Tiles &tiles);
  /// Of matrices with too many terms for SBUF, one product.
  bool isTooLong(const Step &step) const;
  void multiplyInChunks(const Step &step, Tiles &tiles);

  // Steps
  mlir::Value tileFor(mlir::Value value, Tiles &tiles);
  /// What a step reads: of a hoisted row, as much as the rows have now.
  mlir::Value sourceTile(mlir::Value value, const Tiles &tiles);
  int64_t termsFor(ir::MatmulOp op) const;
  int64_t pitchOf(const Step &product, const Tiles &tiles) const;
  /// What DMA reads or writes in a loop over row tiles has several buffers, so
  /// that it runs beside the engines' work on another tile.
  int64_t buffersFor(mlir::Value value) const;
  bool rotates() const;
  int64_t rotatingBuffers() const { return rotates() ? buffers : 1; }
  /// The accumulator of a statistic starts from the identity of its function.
  void initialize(const Step &step, Tiles &tiles);
  void fill(mlir::Value tile, mlir::TypedAttr number, mlir::Location loc);
  mlir::TypedAttr identity(llvm::StringRef name, mlir::Type type);
  static bool isArg(const Step &step);
  /// The value beside the index of an arg-reduction.
  mlir::Value argValueTile(const Step &step, Tiles &tiles);
  nisa::EngineAttr engineAttr(nisa::Engine engine);
  /// Once: not cut into chunks. Goal: for what it makes of this chunk.
  /// Recomputed: for others of the phase, its statistics are known already.
  enum Purpose { Once, Goal, Recomputed };
  void emitStep(const Step &step, Tiles &tiles, Purpose purpose = Once);
  void emitInstruction(const Step &step, Tiles &tiles, Purpose purpose);
  /// The counted dimension is one of the space; the tile's rows or columns step
  /// through it if it is the innermost of its kind, and the others are of
  /// size 1.
  void emitIota(const Step &step, mlir::ValueRange outs);
  void startScan(const Step &step);
  void emitRandom(const Step &step, mlir::ValueRange srcs,
                  mlir::ValueRange outs);
  void emitIndexed(const Step &step, Tiles &tiles);
  HbmValue placeOf(mlir::Value value);
  void emitLoad(const Step &step, Tiles &tiles);
  void storeAll(mlir::Value value, Tiles &tiles);
  /// The current rows and columns, of a value as far as it has them.
  llvm::ArrayRef<int64_t> rowOf(mlir::Value value) const;
  llvm::ArrayRef<int64_t> columnOf(mlir::Value value) const;
  /// An engine that issues a store waits for what it stores, and its own next
  /// instruction waits with it: the one with the least to do takes the stores.
  nisa::Engine chooseStoreEngine() const;
  // A queue is fed by one engine, also in a chain whose kernels store by
  // different ones: Sync loads on queues 0 to 3, Scalar stores on 4 to 7,
  // GpSimd gathers on 8 to 11, scatters on 12, where they keep their order, and
  // stores on 13 to 15.
  static constexpr int64_t kLoadQueues = 4;
  static constexpr int64_t kGatherQueue = 8, kGatherQueues = 4;
  static constexpr int64_t kScatterQueue = 12;
  int64_t storeQueue() {
    return storeEngine == nisa::Engine::Scalar ? 4 + nextStoreQueue++ % 4
                                               : 13 + nextStoreQueue++ % 3;
  }

  ir::KernelOp kernel;
  const KernelSpace &space;
  const Selected &selected;
  const KernelMemory &memory;
  std::optional<DeadColumns> dead;
  Position &at;
  mlir::OpBuilder &b;
  MatrixTiles matrices;
  TurnedDma turned;
  int64_t batchCount = 1;
  bool hasProducts = false;

  llvm::DenseMap<mlir::Value, int> levels;
  llvm::SmallVector<int> stepLevels; ///< of what the step reads
  int maxLevel = 0;
  /// What is made of products. A single row has them too, though no value of it
  /// runs along rows: they are not the same for all rows, and not hoisted.
  llvm::DenseSet<mlir::Value> ofProducts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 1>> storesOf;
  nisa::Engine storeEngine = nisa::Engine::Scalar;

  int64_t chunk = 0, width = 0, buffers = 1;
  std::optional<int64_t> terms; ///< all, if not set
  bool makesChunks = false, isPartial = false;
  int64_t termChunk = 0;
  llvm::DenseMap<mlir::Value, mlir::Value> sums; ///< of products, so far
  RowStage *chunkReader = nullptr; ///< while chunks are made for another stage
  /// By the tile of the index.
  llvm::DenseMap<mlir::Value, mlir::Value> argValues;
  llvm::DenseMap<mlir::Value, mlir::Value> carries; ///< of scans of cut rows
  int64_t nextLoadQueue = 0, nextStoreQueue = 0, nextGatherQueue = 0;
  const llvm::SmallVector<int64_t> kStart{0};
  bool isFailed = false;
};

} // namespace neuron::lowering

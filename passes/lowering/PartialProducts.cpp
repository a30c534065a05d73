//===- PartialProducts.cpp - products that are added up in chunks ---------===//
//
// Rows of a chain that are longer than SBUF: the first kernel makes them chunk
// by chunk, and computes again what it needs in the next phase (maxima, sums,
// the rows themselves). The second one multiplies each chunk by its part of the
// right matrix, and adds the products up in SBUF. So attention over any number
// of keys has no scores in HBM.
//
// Likewise matrices with so many terms that SBUF does not hold them for one
// tile of rows and a few columns: both are brought in chunks of terms.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/Instructions.h"
#include "passes/lowering/RowStage.h"
#include "passes/lowering/TileOps.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using nisa::MemorySpace;
using program::Opcode;

int64_t RowStage::maxTerms() const {
  int64_t most = 0;
  for (const Step &step : selected.steps)
    if (step.matrix == Step::Matrix::Product)
      most = std::max(most, termsOf(step.matmul));
  return most;
}

bool RowStage::isTooLong(const Step &step) const {
  return termChunk && step.matrix != Step::Matrix::None &&
         termsOf(step.matmul) > termChunk;
}

/// The left and the right matrix, and the products, of rows in chunks.
bool RowStage::isOfChunks(const Step &step) const {
  switch (step.matrix) {
  case Step::Matrix::None:
    return false;
  case Step::Matrix::Stationary:
    return isPartial && memory.onChip.contains(step.out);
  case Step::Matrix::Moving:
    // Unless another product has it too.
    return isPartial && llvm::all_of(selected.steps, [&](const Step &other) {
             return other.matrix != Step::Matrix::Product ||
                    other.srcs[1].tile != step.out || isOfChunks(other);
           });
  case Step::Matrix::Product:
    return isPartial && memory.onChip.contains(step.srcs[0].tile);
  }
  return false;
}

void RowStage::startProduct(const Step &step) {
  Value sum = createTile(b, step.loc, at.parts, width, b.getF32Type(),
                         MemorySpace::SBUF);
  fill(sum, b.getF32FloatAttr(0), step.loc);
  sums[step.out] = sum;
}

void RowStage::addProduct(const Step &step, Value left,
                          const MatrixTiles::Terms &terms,
                          ArrayRef<int64_t> column) {
  ir::MatmulOp op = step.matmul;
  bool hasBatches = llvm::product_of(op.getBatchSizes()) > 1;
  Value right = matrices.moving(op, placeOf(step.srcs[1].tile),
                                hasBatches ? ArrayRef<int64_t>(at.batch)
                                           : ArrayRef<int64_t>(),
                                column, width, terms, /*buffers=*/1);
  Value product = createTile(b, step.loc, at.parts, width, b.getF32Type(),
                             MemorySpace::SBUF);
  matrices.product(op, left, right, product, at.parts, width, width,
                   terms.count, step.engine);
  Step add(Opcode::TensorTensor, Engine::Vector, step.loc);
  add.fns = {program::Fn::add};
  Value sum = sums.lookup(step.out);
  createInstruction(b, add, {sum, product}, sum, at.parts, {}, {});
}

void RowStage::finishProduct(const Step &step, Tiles &tiles) {
  createCopy(b, step.loc, sums.lookup(step.out), tileFor(step.out, tiles),
             at.parts, step.engine);
}

//===----------------------------------------------------------------------===//
// Of rows in chunks
//===----------------------------------------------------------------------===//

void RowStage::startProducts() {
  for (const Step &step : selected.steps)
    if (isOfChunks(step) && step.matrix == Step::Matrix::Product)
      startProduct(step);
}

void RowStage::addProducts(Value rows, Value chunk) {
  MatrixTiles::Terms terms{at.column, nisa::freeElements(chunk)};
  for (const Step &step : selected.steps)
    if (isOfChunks(step) && step.matrix == Step::Matrix::Product &&
        memory.onChip.lookup(step.srcs[0].tile) == rows)
      addProduct(step, matrices.turned(chunk, at.parts, 1), terms, kStart);
}

void RowStage::finishProducts(Tiles &tiles) {
  for (const Step &step : selected.steps) {
    if (!isOfChunks(step))
      continue;
    if (step.matrix == Step::Matrix::Stationary)
      tiles.stationary[step.out] = {}; // made, and gone
    if (step.matrix != Step::Matrix::Product)
      continue;
    finishProduct(step, tiles);
    storeAll(step.out, tiles);
  }
}

void RowStage::rowBodyInChunks(const Tiles &hoisted, RowStage &next,
                               const Tiles &hoistedOfNext) {
  Tiles tiles = hoistedOfNext;
  next.startProducts();
  chunkReader = &next;
  rowBody(hoisted, nullptr);
  chunkReader = nullptr;
  next.finishProducts(tiles);
  next.rowBody(tiles, nullptr);
}

//===----------------------------------------------------------------------===//
// Of long matrices
//===----------------------------------------------------------------------===//

void RowStage::multiplyInChunks(const Step &step, Tiles &tiles) {
  ir::MatmulOp op = step.matmul;
  int64_t all = termsOf(op), whole = all / termChunk, rest = all % termChunk;
  startProduct(step);
  auto some = [&](int64_t count, int64_t size, int64_t first) {
    OpBuilder::InsertionGuard guard(b);
    MatrixTiles::Terms terms{{first}, size};
    int64_t outer = at.depth;
    if (count > 1)
      enterLoop(b, step.loc, at, count, terms.first, size);
    addProduct(step,
               matrices.stationary(op, placeOf(step.srcs[0].tile), at.row,
                                   at.parts, terms, 1),
               terms, at.column);
    at.depth = outer;
  };
  some(whole, termChunk, 0);
  if (rest)
    some(1, rest, whole * termChunk);
  finishProduct(step, tiles);
}

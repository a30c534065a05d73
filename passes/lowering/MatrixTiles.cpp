//===- MatrixTiles.cpp - matrix products on tiles -------------------------===//
#include "passes/lowering/MatrixTiles.h"
#include "passes/lowering/TileOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using nisa::MemorySpace;

// Those of a row kernel's loads, which Sync issues too.
static constexpr int64_t kFirstQueue = 0, kQueues = 4;

int64_t lowering::termsOf(ir::MatmulOp op) {
  return llvm::product_of(op.getKSizes());
}

static SmallVector<unsigned> dims(unsigned begin, unsigned end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

static SmallVector<unsigned> joined(ArrayRef<unsigned> a,
                                    ArrayRef<unsigned> b) {
  SmallVector<unsigned> result(a);
  result.append(b.begin(), b.end());
  return result;
}

/// `a * factor + b`, of affine indices.
static SmallVector<int64_t> sum(ArrayRef<int64_t> a, int64_t factor,
                                ArrayRef<int64_t> b) {
  SmallVector<int64_t> result(std::max(a.size(), b.size()), 0);
  for (auto [i, value] : llvm::enumerate(a))
    result[i] += value * factor;
  for (auto [i, value] : llvm::enumerate(b))
    result[i] += value;
  return result;
}

/// Whether neighbours along `dims` are neighbours in HBM.
static bool isDenseAlong(const StridedLayout &layout, ArrayRef<unsigned> dims) {
  for (unsigned dim : llvm::reverse(dims))
    if (layout.sizes[dim] != 1)
      return layout.strides[dim] == 1;
  return true;
}

void MatrixTiles::load(Location loc, Value tile, const HbmWindow &window,
                       int64_t parts, ArrayRef<int64_t> row,
                       ArrayRef<int64_t> column) {
  createLoad(b, loc, tile,
             {window, parts, row, column, Engine::Sync,
              kFirstQueue + nextQueue++ % kQueues});
}

Value MatrixTiles::stationary(ir::MatmulOp op, const HbmValue &place,
                              ArrayRef<int64_t> row, int64_t parts,
                              const Terms &some, int64_t buffers) {
  Location loc = op.getLoc();
  Type element = op.getLhs().getType().getElementType();
  unsigned rank = op.getLhs().getType().getRank(), contract = op.getContract();
  SmallVector<unsigned> rows = dims(0, rank - contract),
                        terms = dims(rank - contract, rank);
  int64_t k = some.count;
  bool turns = parts > 1 && isDenseAlong(place.layout, terms) &&
               !isDenseAlong(place.layout, rows);
  if (turns) {
    Value loaded =
        createTile(b, loc, parts, k, element, MemorySpace::SBUF, buffers);
    load(loc, loaded, windowOf(place, rows, terms), parts, row, some.first);
    return turned(loaded, parts, buffers);
  }
  Value result =
      createTile(b, loc, std::min(k, side), llvm::divideCeil(k, side) * parts,
                 element, MemorySpace::SBUF, buffers);
  HbmWindow window = windowOf(place, terms, rows);
  for (int64_t begin = 0, j = 0; begin < k; begin += side, ++j)
    load(loc, createPart(b, loc, result, j * parts, parts), window,
         std::min(side, k - begin), sum(some.first, 1, {begin}), row);
  return result;
}

Value MatrixTiles::turned(Value rows, int64_t parts, int64_t buffers) {
  Location loc = rows.getLoc();
  Type element = cast<MemRefType>(rows.getType()).getElementType();
  int64_t k = nisa::freeElements(rows);
  Value result =
      createTile(b, loc, std::min(k, side), llvm::divideCeil(k, side) * parts,
                 element, MemorySpace::SBUF, buffers);
  for (int64_t begin = 0, j = 0; begin < k; begin += side, ++j) {
    int64_t kParts = std::min(side, k - begin);
    createTurn(b, loc, createPart(b, loc, rows, begin, kParts), parts,
               createPart(b, loc, result, j * parts, parts), kParts);
  }
  return result;
}

MatrixTiles::Terms MatrixTiles::allTerms(ir::MatmulOp op) {
  return {{0}, termsOf(op)};
}

Value MatrixTiles::moving(ir::MatmulOp op, const HbmValue &place,
                          ArrayRef<int64_t> batch, ArrayRef<int64_t> column,
                          int64_t width, const Terms &some, int64_t buffers) {
  Location loc = op.getLoc();
  auto type = op.getRhs().getType();
  unsigned rank = type.getRank(), contract = op.getContract();
  SmallVector<unsigned> batches = dims(0, op.getBatch()),
                        terms = dims(op.getBatch(), op.getBatch() + contract),
                        columns = dims(op.getBatch() + contract, rank);
  int64_t k = some.count, tileK = std::min(k, side),
          n = llvm::product_of(op.getNSizes());
  Value result = createTile(b, loc, tileK, llvm::divideCeil(k, side) * width,
                            type.getElementType(), MemorySpace::SBUF, buffers);
  bool turns = n > 1 && isDenseAlong(place.layout, terms) &&
               !isDenseAlong(place.layout, columns);
  if (!turns) {
    HbmWindow window = windowOf(place, joined(batches, terms), columns);
    SmallVector<int64_t> first = sum(batch, termsOf(op), some.first);
    for (int64_t begin = 0, j = 0; begin < k; begin += side, ++j)
      load(loc, createPart(b, loc, result, j * width, width), window,
           std::min(side, k - begin), sum(first, 1, {begin}), column);
    return result;
  }
  HbmWindow window = windowOf(place, joined(batches, columns), terms);
  for (int64_t at = 0; at < width; at += side) {
    int64_t parts = std::min(side, width - at);
    Value loaded = createTile(b, loc, parts, k, type.getElementType(),
                              MemorySpace::SBUF, buffers);
    SmallVector<int64_t> first = sum(batch, n, column);
    first[0] += at;
    load(loc, loaded, window, parts, first, some.first);
    for (int64_t begin = 0, j = 0; begin < k; begin += side, ++j) {
      int64_t kParts = std::min(side, k - begin);
      createTurn(b, loc, createPart(b, loc, loaded, begin, kParts), parts,
                 createPart(b, loc, result, j * width + at, parts), kParts);
    }
  }
  return result;
}

void MatrixTiles::product(ir::MatmulOp op, Value stationary, Value moving,
                          Value out, int64_t parts, int64_t width,
                          int64_t pitch, int64_t k, Engine engine) {
  Location loc = op.getLoc();
  Type f32 = b.getF32Type();
  for (int64_t at = 0; at < width; at += psumColumns) {
    int64_t columns = std::min(psumColumns, width - at);
    Value sums = createTile(b, loc, parts, columns, f32, MemorySpace::PSUM);
    for (int64_t begin = 0, j = 0; begin < k; begin += side, ++j)
      nisa::MatmulOp::create(
          b, loc,
          ValueRange{createPart(b, loc, stationary, j * parts, parts),
                     createPart(b, loc, moving, j * pitch + at, columns)},
          ValueRange{sums},
          nisa::EngineAttr::get(b.getContext(), Engine::Tensor),
          b.getI64IntegerAttr(std::min(side, k - begin)), ArrayAttr(),
          ArrayAttr(), UnitAttr(), begin ? b.getUnitAttr() : UnitAttr());
    createCopy(b, loc, sums, createPart(b, loc, out, at, columns), parts,
               engine);
  }
}

//===- TurnedDma.cpp - matrices that lie along the kernel's rows ----------===//
#include "passes/lowering/TurnedDma.h"
#include "compiler/target/Cost.h"
#include "passes/lowering/TileOps.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::MemorySpace;

static int64_t bytesOf(Type element) {
  return program::bytesOf(*nisa::dtypeOf(element));
}

/// Rows as columns.
static HbmWindow turned(const HbmWindow &window) {
  return {window.variable,   window.offset,   window.colSizes,
          window.colStrides, window.rowSizes, window.rowStrides};
}

static SmallVector<int64_t> plus(ArrayRef<int64_t> affine, int64_t number) {
  SmallVector<int64_t> result(affine);
  result[0] += number;
  return result;
}

int64_t TurnedDma::bankElements(Type element) const {
  return target.psumBankBytes / bytesOf(element);
}

bool TurnedDma::pays(const HbmWindow &window, Type element, int64_t parts,
                     int64_t width) const {
  int64_t bytes = bytesOf(element);
  if ((bytes != 2 && bytes != 4) || parts < 2 || width < 2 ||
      window.rowStrides.back() != 1 || window.rowSizes.back() < 2 ||
      window.colStrides.back() == 1 || window.colStrides.back() == 0)
    return false;
  int64_t side = target.partitions;
  int64_t squares = (width + side - 1) / side;
  target::Work transpose, copy;
  transpose.opcode = program::Opcode::Transpose;
  transpose.engine = program::Unit::Tensor;
  transpose.elems = parts;
  transpose.rows = side;
  transpose.src = transpose.dst = *nisa::dtypeOf(element);
  copy.engine = static_cast<program::Unit>(copyEngineFor(element));
  copy.src = copy.dst = transpose.src;
  copy.all16 = bytes == 2;
  copy.psum = true;
  copy.elems = std::min(width, bankElements(element));
  // The engines work beside each other; the slowest counts. A DMA of whole
  // runs hides behind them, but for its issue.
  int64_t turning = std::max(
      {squares * target::costOf(target, transpose).busy,
       (width + copy.elems - 1) / copy.elems *
           target::costOf(target, copy).busy,
       squares * target::dmaIssueOf(target, program::Unit::Sync, side)});
  int64_t single =
      parts * width * target.dmaMinimumDescriptor / target.dmaEngines;
  return turning < single;
}

void TurnedDma::load(Location loc, Value tile, int64_t width,
                     const Transfer &transfer, const NextQueue &nextQueue,
                     int64_t buffers) {
  Type element = cast<MemRefType>(tile.getType()).getElementType();
  HbmWindow window = turned(transfer.window);
  int64_t parts = transfer.parts, side = target.partitions,
          bank = bankElements(element);
  for (int64_t begin = 0; begin < width; begin += bank) {
    int64_t size = std::min(bank, width - begin);
    Value inBank = createTile(b, loc, parts, size, element, MemorySpace::PSUM);
    for (int64_t at = 0; at < size; at += side) {
      int64_t columns = std::min(side, size - at);
      Value loaded = createTile(b, loc, columns, parts, element,
                                MemorySpace::SBUF, buffers);
      createLoad(b, loc, loaded,
                 {window, columns, plus(transfer.column, begin + at),
                  transfer.row, transfer.engine, nextQueue()});
      createTranspose(b, loc, loaded, columns,
                      createPart(b, loc, inBank, at, columns));
    }
    createCopy(b, loc, inBank, createPart(b, loc, tile, begin, size), parts,
               copyEngineFor(element));
  }
}

void TurnedDma::store(Location loc, Value tile, int64_t width,
                      const Transfer &transfer, const NextQueue &nextQueue,
                      int64_t buffers) {
  Type element = cast<MemRefType>(tile.getType()).getElementType();
  HbmWindow window = turned(transfer.window);
  int64_t parts = transfer.parts, side = target.partitions;
  for (int64_t at = 0; at < width; at += side) {
    int64_t columns = std::min(side, width - at);
    Value out =
        createTile(b, loc, columns, parts, element, MemorySpace::SBUF, buffers);
    createTurn(b, loc, createPart(b, loc, tile, at, columns), parts, out,
               columns);
    createStore(b, loc, out,
                {window, columns, plus(transfer.column, at), transfer.row,
                 transfer.engine, nextQueue()});
  }
}

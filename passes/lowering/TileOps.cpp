//===- TileOps.cpp - tiles, parts of them, and turning them round ---------===//
#include "passes/lowering/TileOps.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using nisa::MemorySpace;

static Type elementOf(Value tile) {
  return cast<MemRefType>(tile.getType()).getElementType();
}

Value lowering::createTile(OpBuilder &b, Location loc, int64_t parts,
                           int64_t free, Type element, MemorySpace space,
                           int64_t buffers) {
  return nisa::AllocOp::create(
      b, loc, nisa::memrefType({parts, free}, element, space), IntegerAttr(),
      b.getI64IntegerAttr(buffers), IntegerAttr());
}

Value lowering::createPart(OpBuilder &b, Location loc, Value tile,
                           int64_t begin, int64_t size) {
  if (begin == 0 && size == nisa::freeElements(tile))
    return tile;
  return nisa::SubtileOp::create(b, loc, tile, begin, size);
}

void lowering::createCopy(OpBuilder &b, Location loc, Value from, Value to,
                          int64_t parts, Engine engine) {
  nisa::TensorCopyOp::create(b, loc, ValueRange{from}, ValueRange{to},
                             nisa::EngineAttr::get(b.getContext(), engine),
                             b.getI64IntegerAttr(parts), ArrayAttr(),
                             ArrayAttr(), UnitAttr(), UnitAttr());
}

void lowering::createTranspose(OpBuilder &b, Location loc, Value from,
                               int64_t fromParts, Value to) {
  nisa::TransposeOp::create(
      b, loc, ValueRange{from}, ValueRange{to},
      nisa::EngineAttr::get(b.getContext(), Engine::Tensor),
      b.getI64IntegerAttr(fromParts), ArrayAttr(), ArrayAttr(), UnitAttr());
}

Engine lowering::copyEngineFor(Type element) {
  return isa<FloatType>(element) ? Engine::Scalar : Engine::Vector;
}

void lowering::createTurn(OpBuilder &b, Location loc, Value from,
                          int64_t fromParts, Value to, int64_t toParts) {
  Type element = elementOf(from);
  Value turned =
      createTile(b, loc, toParts, fromParts, element, MemorySpace::PSUM);
  createTranspose(b, loc, from, fromParts, turned);
  createCopy(b, loc, turned, to, toParts, copyEngineFor(element));
}

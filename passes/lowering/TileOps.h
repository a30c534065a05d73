//===- TileOps.h - tiles, parts of them, and turning them round -*- C++ -*-===//
#pragma once
#include "dialects/nisa/Nisa.h"
#include "mlir/IR/Builders.h"

namespace neuron::lowering {

mlir::Value createTile(mlir::OpBuilder &b, mlir::Location loc, int64_t parts,
                       int64_t free, mlir::Type element,
                       nisa::MemorySpace space, int64_t buffers = 1);

/// Free elements [begin, begin + size) of a tile.
mlir::Value createPart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile,
                       int64_t begin, int64_t size);

void createCopy(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from,
                mlir::Value to, int64_t parts, nisa::Engine engine);

/// to[toParts, fromParts] <- the transpose of from[fromParts, toParts]. `to` is
/// in PSUM.
void createTranspose(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from,
                     int64_t fromParts, mlir::Value to);

/// The same into SBUF.
void createTurn(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from,
                int64_t fromParts, mlir::Value to, int64_t toParts);

/// What copies a tile of this type out of PSUM: Scalar, which is idle more
/// often, converts integers.
nisa::Engine copyEngineFor(mlir::Type element);

} // namespace neuron::lowering

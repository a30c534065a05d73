//===- Nisa.h - the nisa dialect --------------------------------*- C++ -*-===//
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/program/Program.h"

#include "dialects/nisa/NisaDialect.h.inc"
#include "dialects/nisa/NisaEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nisa/NisaAttrs.h.inc"
#include "dialects/nisa/NisaInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/nisa/NisaOps.h.inc"

namespace neuron::nisa {

/// The rules that instructions share.
llvm::LogicalResult verifyInstruction(mlir::Operation *op);
/// Those of PSUM and of the Tensor engine.
llvm::LogicalResult verifyTensorEngine(InstructionOpInterface op);

/// A tile or subtile: what it is of, and its first element there.
struct TileView {
  AllocOp alloc; ///< null if the value is no tile
  int64_t begin = 0;
};
TileView viewOf(mlir::Value tile);

/// Whether it is a tile in that memory.
bool isIn(mlir::Value value, MemorySpace space);

/// Where a tile that is placed begins among the addresses of a partition, in
/// its first buffer; nothing if it has no place.
std::optional<int64_t> addressOf(mlir::Value tile);

/// Free elements of a tile: the product of all dimensions but the first.
int64_t freeElements(mlir::Value tile);

/// The program's element type of an MLIR one, or nothing.
std::optional<program::DType> dtypeOf(mlir::Type type);
mlir::Type typeOf(program::DType dtype, mlir::MLIRContext *context);

/// `#nisa.mem<space>` memref type.
mlir::MemRefType memrefType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            MemorySpace space);

} // namespace neuron::nisa

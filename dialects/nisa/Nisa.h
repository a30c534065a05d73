//===- Nisa.h - the nisa dialect ----------------------------------*- C++
//-*-===//
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

/// The rules I1 to I6 that all instructions share.
llvm::LogicalResult verifyInstruction(mlir::Operation *op);

/// Free elements of a tile: the product of all dimensions but the first.
int64_t freeElements(mlir::Value tile);

/// The program's element type of an MLIR one, or nothing.
std::optional<program::DType> dtypeOf(mlir::Type type);
mlir::Type typeOf(program::DType dtype, mlir::MLIRContext *context);

/// `#nisa.mem<space>` memref type.
mlir::MemRefType memrefType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            MemorySpace space);

} // namespace neuron::nisa

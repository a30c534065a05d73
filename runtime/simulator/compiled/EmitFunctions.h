//===- EmitFunctions.h - the table of functions as IR -----------*- C++ -*-===//
#pragma once
#include "runtime/program/Functions.h"
#include "runtime/program/Program.h"
#include "runtime/simulator/semantics/Reductions.h"
#include "llvm/IR/Value.h"
#include <array>

namespace neuron::simulator::compiled {

/// Emits fn of the operands' registers (Conversions.h) in the current
/// EmitScope; the result's NaNs are not canonical.
using EmitFunction = llvm::Value *(*)(llvm::Value *const *operands);

/// Null if the function exists one element at a time only (Scalars.h): then it
/// is called.
EmitFunction emitFunction(program::Fn fn, program::DType compute);

/// Emits the combining function of a reduction.
using EmitCombine = llvm::Value *(*)(llvm::Value * a, llvm::Value *b);
EmitCombine emitCombine(semantics::Reduction reduction, program::DType compute);
/// Emits the identity of a reduction.
using EmitIdentity = llvm::Value *(*)();
EmitIdentity emitIdentity(semantics::Reduction reduction,
                          program::DType compute);

/// Emits a cast of a register; `exact` says whether NaNs keep their bits, and
/// is updated: a converted NaN is not canonical.
llvm::Value *emitTorchCast(program::DType from, program::DType to,
                           llvm::Value *x, bool &exact);
llvm::Value *emitHardwareCast(program::DType from, program::DType to,
                              llvm::Value *x, bool &exact);

/// Emits the canonical NaN for NaNs.
llvm::Value *emitCanonical(program::DType dtype, llvm::Value *x);

/// The type of a register's element and of an element in memory.
llvm::Type *registerType(program::DType dtype, llvm::LLVMContext &context);
llvm::Type *memoryType(program::DType dtype, llvm::LLVMContext &context);

} // namespace neuron::simulator::compiled

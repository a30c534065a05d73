//===- Neuron.h - the neuron dialect ----------------------------*- C++ -*-===//
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/program/Functions.h"

#include "dialects/neuron/NeuronDialect.h.inc"
#include "dialects/neuron/NeuronInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/neuron/NeuronOps.h.inc"

namespace neuron::ir {

/// Whether an operand is read where it lies in HBM (MemoryReaderOpInterface).
bool isReadInMemory(mlir::OpOperand &use);

} // namespace neuron::ir

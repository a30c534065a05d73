//===- Cost.h - what an instruction costs its engine ------------*- C++ -*-===//
//
// One cost function for instruction selection and for the simulator's clock.
// Of a DMA only its issue is here: what it costs beside depends on what else
// moves (runtime/simulator).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "runtime/program/Program.h"

namespace neuron::target {

/// What the cost of an engine's instruction depends on.
struct Work {
  program::Opcode opcode = program::Opcode::TensorCopy;
  program::Unit engine = program::Unit::Vector;
  int64_t elems = 0; ///< elements of a partition that it streams
  /// Of the streams: the destination (the source of a reduction), the sources.
  program::DType dst = program::DType::F32, src = program::DType::F32;
  bool all16 = false;       ///< every stream holds 16-bit floats
  bool contiguous = true;   ///< every stream has stride 1
  unsigned pointers = 0;    ///< Scalar: operands of one element a partition
  bool accumulates = false; ///< Scalar: sums its results
  program::FnCost function = program::FnCost::Simple; ///< GpSimd
  bool wide = false; ///< GpSimd: computes in a 64-bit type
  bool psum = false; ///< a stream is in PSUM
  int64_t rows = 0;  ///< Tensor: partitions of what it makes
  int64_t depth = 0; ///< Tensor: partitions that it contracts
  bool cold = false; ///< Tensor: at the throttled rate
};

Work workOf(const program::Instruction &instruction);

/// In picoseconds. `busy`: until the next independent instruction of the engine
/// may start. `latency`: until what it wrote is visible and its semaphore
/// rises.
struct Cost {
  int64_t busy = 0, latency = 0;
};

Cost costOf(const Target &target, const Work &work);
inline Cost costOf(const Target &target,
                   const program::Instruction &instruction) {
  return costOf(target, workOf(instruction));
}

/// Picoseconds that issuing a DMA of so many partitions takes of an engine.
int64_t dmaIssueOf(const Target &target, program::Unit engine, int64_t parts);

/// Whether it runs in a mode of Vector that takes more than an element a cycle.
bool isFast(const Target &target, const program::Instruction &instruction);

/// Whether the Scalar engine must have the table of `fn` loaded to compute it;
/// it holds one such table at a time.
bool needsTable(program::Fn fn);

} // namespace neuron::target

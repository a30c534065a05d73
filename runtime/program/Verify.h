//===- Verify.h - may this program be run? ----------------------*- C++ -*-===//
//
// A program may come from a stranger's file. What passes here stays inside its
// tensors, SBUF and PSUM, ends, and means the same in both forms of the
// simulator. Whether its waits suffice, and whether what it reads was written,
// the reference interpreter finds when it runs it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"

namespace neuron::program {

/// Executed instructions of a program at most.
inline constexpr int64_t kMaxExecuted = int64_t(1) << 27;
inline constexpr int64_t kMaxLoopCount = int64_t(1) << 31;
inline constexpr size_t kMaxTensorRank = 64;

// number, enumerator, rule
#define NEURON_PROGRAM_RULES(X)                                                \
  X(1, Target, "the target is one that this build knows")                      \
  X(2, Enumerators, "every enumerator is a row of its table")                  \
  X(3, Locations, "location ids exist")                                        \
  X(4, Tensors,                                                                \
    "a tensor has a name of its own, a valid shape and the span "              \
    "that its strides reach")                                                  \
  X(5, Hbm, "all tensors fit into HBM")                                        \
  X(6, Constants, "a constant, and nothing else, holds its bytes")             \
  X(7, Aliases,                                                                \
    "only an output is written in place of an input, of its "                  \
    "dtype and span")                                                          \
  X(8, Loops, "a loop runs at least once, at most four deep")                  \
  X(9, Length, "the executed instructions are bounded")                        \
  X(10, Engines, "an engine runs its own instructions")                        \
  X(11, Queues, "a queue is fed by one engine of a kernel")                    \
  X(12, Partitions, "an instruction works on 1 to 128 partitions")             \
  X(13, Operands, "an instruction has its operands, and no others")            \
  X(14, Elements, "the operands of an instruction agree in elements")          \
  X(15, Tiles, "a tile is aligned, and inside the usable SBUF or PSUM")        \
  X(16, Overlap,                                                               \
    "a destination shares no byte with another operand, unless of an "         \
    "elementwise instruction or tensor_tensor_scan, with the very same "       \
    "elements")                                                                \
  X(17, Immediates, "an immediate is a value of its dtype")                    \
  X(18, DTypes, "the dtypes suit the instruction")                             \
  X(19, Functions, "the function suits the instruction and its dtype")         \
  X(20, Accumulation, "only reductions accumulate")                            \
  X(21, Windows, "a DMA stays inside its tensor")                              \
  X(22, Direction, "a DMA writes outputs and scratch only")                    \
  X(23, Distinct, "a store writes no element twice")                           \
  X(24, Affine, "an affine value fits 64 bits and uses enclosing loops only")  \
  X(25, Waits, "a wait is for a unit that signals in the same kernel")         \
  X(26, Psum,                                                                  \
    "Tensor reads SBUF and writes PSUM; Vector and Scalar reach both; DMA "    \
    "and GpSimd reach SBUF only")                                              \
  X(27, Banks, "Tensor writes within a bank of PSUM")                          \
  X(28, PsumStreams, "at most one streamed source is in PSUM")                 \
  X(29, TensorSizes,                                                           \
    "a matmul of K x M and K x N, all in adjacent elements, has K, M <= 128, " \
    "N <= 512 and a dst of M x N, a transpose of P x F one of F x P, F <= "    \
    "128")

enum class Rule : uint8_t {
#define NEURON_RULE(number, Name, text) Name = number,
  NEURON_PROGRAM_RULES(NEURON_RULE)
#undef NEURON_RULE
};

/// The message names the rule as "P<number>", and where it is broken.
Status verify(const Program &program);

} // namespace neuron::program

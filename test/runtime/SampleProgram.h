//===- SampleProgram.h - programs for tests ---------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Program.h"

namespace neuron::test {

/// Not runnable: every field of every structure holds a value of its own that
/// is not the default, so that a field that gets lost is seen.
program::Program everyField();

/// out = a + b over `rows` x `cols` float32, 128 rows at a time, with the
/// waits it needs: the smallest program that does real work.
program::Program addProgram(int64_t rows = 256, int64_t cols = 64);

/// x, a bfloat16 of 4 x 3 that lies transposed in its buffer, is copied to the
/// dense output z and doubled in place.
program::Program stridedProgram();

/// Runs for minutes in the interpreter.
program::Program slowProgram();

/// y = 2 x w on the Tensor engine: a transpose and two matmuls in PSUM.
program::Program productProgram();

} // namespace neuron::test

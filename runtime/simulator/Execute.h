//===- Execute.h - the effect of the engines' instructions ------*- C++ -*-===//
//
// One short function an instruction, row by row, on the scalar semantics that
// the compiled form shares (semantics/).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/Sbuf.h"
#include "runtime/simulator/semantics/Semantics.h"
#include <vector>

namespace neuron::simulator {

class Executor {
public:
  /// Not for DMAs. All partitions.
  void run(const program::Executed &it, Sbuf &sbuf);
  /// One partition, whose first byte is at `row`. Not for instructions that
  /// take rows to other partitions.
  void runPartition(const program::Executed &it, unsigned partition,
                    uint8_t *row);

  /// Since the executor was made.
  bool hasDividedByZero() const { return dividedByZero; }

private:
  using Function = void (Executor::*)();
  static const Function kFunctions[program::kNumOpcodes];

  /// An operand of the current row, converted.
  struct Row {
    const void *data;
    int64_t stride; ///< 0 or 1
  };

  void memset();
  void tensorCopy();
  void tensorTensor();
  void tensorScalar();
  void tensorTensorScan();
  void tensorReduce();
  void activation();
  void reciprocal();
  void select();
  void iota();
  void gpsimdElementwise();
  void gpsimdReduce();
  void gpsimdScan();
  void gpsimdSort();
  void gpsimdRandom();
  void notForRows() {}

  Row load(const program::Operand &operand, program::DType as,
           semantics::CastKind cast, unsigned buffer);
  void store(const void *values, program::DType from, semantics::CastKind cast,
             const program::Operand &tile, int64_t count);
  /// fn of float32 rows into a buffer, as float32 again.
  Row apply(program::Fn fn, Row a, Row b, unsigned buffer);
  void storeResult(program::Fn fn, program::DType compute,
                   std::initializer_list<Row> sources,
                   semantics::CastKind cast);
  void *scratch(unsigned buffer) { return buffers[buffer].data(); }
  uint8_t *at(const program::Operand &tile) {
    return partitionBase + it->offsetOf(tile);
  }

  bool dividedByZero = false;

  // The current instruction and partition.
  const program::Executed *it = nullptr;
  const program::Instruction *instruction = nullptr;
  unsigned partition = 0;
  uint8_t *partitionBase = nullptr;
  int64_t count = 0;                            ///< elements of the row
  std::array<std::vector<uint64_t>, 6> buffers; ///< a row each, of any dtype
};

/// Elements of a partition that an instruction goes through.
int64_t elementsOf(const program::Instruction &instruction);
/// And of all its partitions; for a matmul, what takes as long.
int64_t workOf(const program::Instruction &instruction);

} // namespace neuron::simulator

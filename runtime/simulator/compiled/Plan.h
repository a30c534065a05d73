//===- Plan.h - a program cut into segments ---------------------*- C++ -*-===//
//
// The compiled form runs a program partition by partition: no instruction but a
// DMA and those of the Tensor engine look at another partition, so partition p
// of a whole stretch of instructions can run before partition p + 1, and what
// it holds stays in the host's first cache. A stretch for which that is true is
// a segment: no partition loads from HBM what another partition of the segment
// stores, and no two partitions store to one element. Between segments run the
// instructions of the Tensor engine (TensorRun). All of them run one after the
// other, in the loops that had to be cut open (Phase).
//
// Instructions keep the order of the text. That is an order the semaphores
// allow if every wait is satisfied by what comes before it in the text; plan()
// refuses other programs.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"
#include "runtime/simulator/Execute.h"
#include <memory>

namespace neuron::simulator::compiled {

using program::HbmAccess;
using program::Instruction;
using program::Operand;

/// Bytes of a partition.
struct ByteRange {
  int64_t begin, end;
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};

struct TileWrite {
  ByteRange range;
  unsigned parts;
  bool isAll; ///< every byte of the range is written
};

struct Block;

/// An instruction, or a loop, in its block.
struct Item {
  const Instruction *instruction = nullptr; ///< null: a loop
  uint32_t number = 0;         ///< of the instruction, as Streams counts them
  int64_t count = 0;           ///< of the loop
  std::unique_ptr<Block> body; ///< of the loop
};

/// What a loop or a segment holds.
struct Block {
  Block *parent = nullptr; ///< null for a segment's own block
  size_t indexInParent = 0;
  unsigned depth =
      0; ///< loops around it, those outside of the segment included
  std::vector<Item> items;
};

struct Segment {
  Block body;
  uint32_t kernel = 0;
  uint32_t firstNumber = 0; ///< of its instructions; they are consecutive
  unsigned parts = 0;       ///< the most of its instructions
  /// A scatter, alone: its partitions may meet in HBM and go in order.
  bool isSequential = false;
  /// Has no code of its own (Moves.h).
  bool isMoves = false;
  /// Tensors that it accesses; generated code knows their positions here only.
  std::vector<uint32_t> tensors;
  /// Elements that are processed per partition, over all its loops.
  int64_t work = 0;
  /// What it finds and leaves in SBUF and PSUM, where a kernel keeps them.
  std::vector<ByteRange> reads;
  std::vector<TileWrite> writes;
  /// What something reads from here on (Liveness.h).
  std::vector<ByteRange> live;
};

/// Instructions of the Tensor engine, one after the other, whose destinations
/// are the very same or apart: threads can share them by columns.
struct TensorRun {
  std::vector<program::Executed> instructions = {}; ///< without counters
  int64_t work = 0;                                 ///< in elements
  int64_t columns = 0; ///< of the widest destination
};

/// What runs when: a segment, a run of the Tensor engine, or a loop over
/// phases.
struct Phase {
  enum class Kind : uint8_t { Segment, Tensor, Loop };
  Kind kind = Kind::Segment;
  size_t index = 0;  ///< in Plan::segments or Plan::tensorRuns
  int64_t count = 0; ///< of the loop
  unsigned depth = 0;
  std::vector<Phase> body = {};
};

struct KernelPlan {
  std::vector<Phase> phases;
  size_t firstSegment = 0, endSegment = 0;
  size_t firstTensorRun = 0, endTensorRun = 0;
  /// Values pass from one phase to another in SBUF or PSUM: every partition
  /// needs its own row of it, for as long as the kernel runs.
  bool keepsSbuf = false;
  /// The bytes that they do it in, if so.
  std::vector<ByteRange> outsideReads;
  /// What the Tensor engine reads in SBUF.
  std::vector<ByteRange> operands;
  bool hasLiveness = false; ///< Segment::live is known
};

struct Plan {
  std::vector<KernelPlan> kernels;
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<TensorRun> tensorRuns;
  /// Tensors that share memory have the same number.
  std::vector<uint32_t> memoryOf;
};

/// Refuses a program with a wait that is satisfied only by what comes later in
/// the text. Refers to the program.
Result<Plan> plan(const program::Program &program);

template <typename Visit> void forEachItem(const Block &block, Visit visit) {
  for (const Item &item : block.items) {
    visit(block, item);
    if (item.body)
      forEachItem(*item.body, visit);
  }
}

} // namespace neuron::simulator::compiled

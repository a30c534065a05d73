//===- Streams.h - what each engine runs ------------------------*- C++ -*-===//
//
// The streams of the five engines, derived from the structured program. They
// are walked with loop counters, never unrolled into memory. A DMA is in the
// stream of the engine that issues it. A barrier is in all streams, and so is
// the one that ends each kernel.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include <span>

namespace neuron::program {

/// One instruction of a program, as the text dump counts them.
struct StaticInstruction {
  const Instruction *instruction;
  uint32_t kernel;
  uint32_t index; ///< in its kernel, loops not unrolled
};

/// An instruction with the iteration it runs in.
struct Executed {
  const Instruction *instruction = nullptr; ///< null for a barrier
  uint32_t number = 0; ///< index into Streams::instructions
  uint32_t kernel = 0;
  uint32_t depth = 0;      ///< enclosing loops
  bool endsKernel = false; ///< barrier only
  std::array<int64_t, kMaxLoopDepth> counters{};

  int64_t innermost() const { return depth == 0 ? 0 : counters[depth - 1]; }
  /// Where the tile begins in this iteration, in bytes of the partition.
  uint32_t offsetOf(const Operand &tile) const {
    if (tile.buffers == 1)
      return tile.offset;
    return tile.offset +
           static_cast<uint32_t>(innermost() % tile.buffers) * tile.pitch;
  }
};

/// The code of the streams. Refers to the program, which must have passed
/// verify and must outlive it.
class Streams {
public:
  explicit Streams(const Program &program);

  const Program &program() const { return source; }
  /// All instructions, in the order of the text.
  const std::vector<StaticInstruction> &instructions() const { return all; }
  /// Those of one kernel; the first of them has the number `firstOf`.
  std::span<const StaticInstruction> instructionsOf(uint32_t kernel) const {
    return std::span(all).subspan(begins[kernel],
                                  begins[kernel + 1] - begins[kernel]);
  }
  uint32_t firstOf(uint32_t kernel) const { return begins[kernel]; }

private:
  friend class Stream;
  /// A loop's end jumps to the operation behind its start.
  struct Operation {
    enum class Kind : uint8_t { Run, Barrier, Enter, Repeat };
    Kind kind;
    bool endsKernel = false;
    uint32_t depth =
        0; ///< enclosing loops; of Enter and Repeat: without theirs
    uint32_t kernel = 0;
    uint32_t number = 0; ///< Run
    int64_t count = 0;   ///< Repeat
    size_t target = 0;   ///< Repeat
  };

  /// Which engines have a part in something: bit i is engine i.
  using Engines = unsigned;

  void append(Engines to, const Operation &operation);
  Engines derive(const std::vector<Node> &nodes, uint32_t kernel,
                 uint32_t depth);

  const Program &source;
  std::vector<StaticInstruction> all;
  std::vector<uint32_t> begins; ///< by kernel, and the end
  std::array<std::vector<Operation>, kNumEngines> code;
};

/// A walk through one engine's stream.
class Stream {
public:
  Stream(const Streams &streams, Unit engine);

  bool atEnd() const { return position == code->size(); }
  const Executed &current() const { return now; }
  void advance() {
    ++position;
    settle();
  }
  /// Goes to the start of the next kernel.
  void skipKernel();

private:
  /// Runs loop control up to the next instruction or barrier.
  void settle();

  const Streams *streams;
  const std::vector<Streams::Operation> *code;
  size_t position = 0;
  Executed now;
};

} // namespace neuron::program

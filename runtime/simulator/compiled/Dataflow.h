//===- Dataflow.h - which instruction made a tile's value -------*- C++ -*-===//
//
// SBUF is bytes, and tiles come and go in it. For every operand that a segment
// reads, this finds the one instruction that wrote exactly these elements, in
// the same iteration of the loops that they share. Where there is none (values
// carried by a loop, parts of tiles, other views of the bytes) the operand is
// read from SBUF as it is, and everything that may have written it, writes it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/compiled/Plan.h"

namespace neuron::simulator::compiled {

/// What an instruction reads: its sources, and what a reduction accumulates
/// onto.
enum class Slot : uint8_t { Src0, Src1, Src2, OldDst, OldAcc };
inline constexpr unsigned kNumSlots = 5;

/// The operand of a slot; null if the instruction does not read a tile there.
const Operand *readBy(const Instruction &it, Slot slot);

/// The bytes of a partition that a tile may cover, in any iteration.
ByteRange bytesOf(const Operand &tile);

/// Whether the tile is one element, repeated or not.
inline bool isSingle(const Operand &operand) {
  return operand.elems == 1 || operand.stride == 0;
}

/// Index of an instruction in its segment.
using Index = int32_t;
inline constexpr Index kUnknown = -1;

struct InstructionFacts {
  const Instruction *it = nullptr;
  const Block *block = nullptr;
  size_t position = 0; ///< in its block
  /// Who wrote what each slot reads.
  Index source[kNumSlots] = {kUnknown, kUnknown, kUnknown, kUnknown, kUnknown};
  /// A read that is not resolved may see this instruction's dst or acc.
  bool mayBeReadFromMemory = false;
  /// The same in all partitions.
  bool isUniform = false;
};

class Dataflow {
public:
  explicit Dataflow(const Segment &segment);

  const InstructionFacts &operator[](Index index) const { return facts[index]; }
  Index size() const { return static_cast<Index>(facts.size()); }
  /// Bytes that are read and were not all resolved.
  const std::vector<ByteRange> &unresolved() const { return unresolvedReads; }
  /// Bytes that are written.
  const std::vector<ByteRange> &writes() const { return allWrites; }

  /// What other segments read from SBUF is written to SBUF.
  void addOutsideReads(const std::vector<ByteRange> &reads);

private:
  Index resolve(const Block &block, size_t position, const Operand &tile,
                unsigned parts) const;
  bool isUniform(Index index) const;

  uint32_t firstNumber;
  std::vector<InstructionFacts> facts;
  std::vector<ByteRange> unresolvedReads, allWrites;
};

} // namespace neuron::simulator::compiled

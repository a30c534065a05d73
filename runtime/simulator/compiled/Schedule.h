//===- Schedule.h - which instructions share a loop -------------*- C++ -*-===//
//
// A block's instructions as groups that run one after the other. The members of
// a vector group run in one loop over the columns: what one member makes and
// another reads at the same column stays in a register. Statistics of a row
// (one element) are plain values. A load that only makes an image of HBM is
// dropped, and HBM is read where the image would be. A step is an instruction
// that the row executor runs: one whose function or addressing is rare.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/compiled/Dataflow.h"

namespace neuron::simulator::compiled {

struct Group {
  enum class Kind : uint8_t { Vector, Scalar, Step, Loop };
  Kind kind = Kind::Vector;
  int64_t elems = 1;
  unsigned parts = 0;
  std::vector<Index> members = {};
  const Item *loop = nullptr;
};

/// How a read gets its value.
enum class Read : uint8_t {
  Register, ///< made by another member of the group
  Scalar,   ///< one element that an earlier group made
  Image,    ///< where a load took it from
  Memory,
};

class Schedule {
public:
  /// `limit`: emitted operations, about; what is beyond becomes steps.
  Schedule(const Plan &plan, const program::Program &program,
           const Segment &segment, const Dataflow &flow, unsigned limit);

  std::vector<Group> groupsOf(const Block &block);

  bool isStep(Index i) const { return decisions[i].isStep; }
  bool isDropped(Index i) const { return decisions[i].isDropped; }
  /// Known only after groupsOf was called for all blocks.
  bool needsMemory(Index i) const { return decisions[i].needsMemory; }
  Read read(Index i, Slot slot) const {
    return decisions[i].reads[static_cast<unsigned>(slot)];
  }

private:
  struct Decision {
    bool isStep = false;
    bool isImage = false;   ///< a load that can be read in HBM instead
    bool isDropped = false; ///< and is, everywhere
    bool needsMemory = false;
    int group = -1; ///< over all blocks
    Read reads[kNumSlots] = {Read::Memory, Read::Memory, Read::Memory,
                             Read::Memory, Read::Memory};
  };
  /// In which order J must run behind I.
  enum class Order : uint8_t { Any, SameColumn, Later };

  bool mustStep(const Instruction &it) const;
  bool canBeImage(const Instruction &it) const;
  Order orderOf(Index i, Index j) const;
  Order sbufOrder(Index i, Index j) const;
  Order hbmOrder(const Instruction &i, const Instruction &j) const;
  void place(Index j, std::vector<Group> &groups, size_t runStart, int base);
  void decideReads(Index j);

  const Plan &plan;
  const program::Program &program;
  const Segment &segment;
  const Dataflow &flow;
  std::vector<bool> storedMemory; ///< by Plan::memoryOf
  std::vector<Decision> decisions;
  int nextGroup = 0;
};

/// Emitted operations of an instruction, about.
unsigned emittedSize(const Instruction &it);

/// Whether the columns of a window lie one beside the other (stride 1), or are
/// all the same element (stride 0).
std::optional<int64_t> simpleColumnStride(const HbmAccess &access);

} // namespace neuron::simulator::compiled

//===- Packs.h - operands of matmuls that stay packed -----------*- C++ -*-===//
//
// A weight in SBUF meets many tiles of rows, and a tile of rows many weights.
// Packing an operand for the host's multiply-add units (Matmul.h) takes a good
// part of the time of a product, so what several products read is packed once
// and kept until something writes to its bytes. Each such operand of a kernel
// has a slot.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/compiled/Plan.h"
#include "runtime/simulator/tensor/Tensor.h"
#include <span>

namespace neuron::simulator::compiled {

inline constexpr int kNoSlot = -1;

struct PackSlot {
  Operand tile;
  unsigned parts;
  bool isStationary;
  size_t begin; ///< of its floats, in the memory of all slots
};

/// The slots of a matmul's operands.
struct PackUse {
  int stationary = kNoSlot, moving = kNoSlot;
};

struct PackPlan {
  std::vector<PackSlot> slots;
  std::vector<std::vector<PackUse>> uses; ///< by tensor run, by instruction
  std::vector<std::vector<int>> endedBy; ///< by segment: the slots it writes to
  size_t floats = 0;                     ///< of memory; kernels share it
};

/// Which operands are worth a slot: those that are read more than once. Beyond
/// a bound of memory there are no more slots.
PackPlan planPacks(const Plan &plan);

/// An operand and, if it is not in SBUF, what reads it.
struct HeldOperand {
  tensor::OperandTile tile;
  std::shared_ptr<const tensor::RowReader> reader;
};

/// A matmul of a tensor run, and where its operands are.
struct PackedProduct {
  program::Executed it;
  size_t index; ///< in the run
  HeldOperand stationary, moving;
};

/// What the slots hold, during one execution.
class Packs {
public:
  Packs(const PackPlan &plan, float *memory)
      : plan(plan), memory(memory), heldAt(plan.slots.size(), kNothing) {}

  /// SBUF is undefined.
  void endAll() { heldAt.assign(heldAt.size(), kNothing); }
  void endBy(size_t segment) {
    for (int slot : plan.endedBy[segment])
      heldAt[slot] = kNothing;
  }

  /// The packed operands of an instruction of a run; they have been claimed and
  /// packed.
  tensor::PackedOperands get(size_t run, size_t index) const;

  /// What is not packed yet; `pack` does it, for each index below the size.
  class Missing {
  public:
    size_t size() const { return todo.size(); }
    void pack(size_t index) const;

  private:
    friend class Packs;
    struct Todo {
      tensor::OperandTile tile;
      bool isStationary;
      float *into;
    };
    std::vector<Todo> todo;
  };
  /// Counts what these products of a run need as packed from now on.
  Missing claim(size_t run, std::span<const PackedProduct> products);

private:
  static constexpr uint32_t kNothing = ~uint32_t(0);

  void need(int slot, const program::Executed &it,
            const tensor::OperandTile &tile, Missing &missing);

  const PackPlan &plan;
  float *memory;
  std::vector<uint32_t> heldAt; ///< by slot: where in a partition it lies
};

} // namespace neuron::simulator::compiled

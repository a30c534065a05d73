//===- Deferred.h - moves that have not been made ---------------*- C++ -*-===//
//
// On its way to a matmul a matrix is loaded to SBUF, transposed to PSUM and
// copied back: three moves of which only the last result is read, and that
// once, to be packed. So plain loads, transposes, and copies of what is not
// there yet are not made. It is kept in mind where the elements of the tile
// really are, and a matmul packs its operand from there. As soon as anything
// else wants to read the tile, or is about to change what it comes from, the
// move is made; when the tile is overwritten, or the kernel ends, it need never
// be.
//
// In one run's caller's thread only. All of it moves bits.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/compiled/Packs.h"
#include <functional>
#include <optional>
#include <span>

namespace neuron::simulator::compiled {

class Deferred {
public:
  /// Finishes what was taken up before a move is made; then runs its argument
  /// on all pieces [begin, end) of a number of things.
  using Share = std::function<void(
      unsigned count, const std::function<void(unsigned, unsigned)> &)>;

  Deferred(const Plan &plan, std::span<uint8_t *const> tensors, uint8_t *sbuf,
           int64_t pitch, Share share)
      : plan(plan), tensors(tensors), sbuf(sbuf), pitch(pitch),
        share(std::move(share)) {}

  /// SBUF and PSUM are undefined; operands of this kernel's products are worth
  /// deferring.
  void begin(const KernelPlan &kernel);

  /// Before any segment: forgets what nothing will read.
  void enter(const Segment &segment);

  /// Before a segment with code of its own.
  void beforeSegment(const Segment &segment);

  /// Takes an instruction of a segment of moves, or has it made now: false.
  /// What it reads is there then.
  bool takeMove(const program::Executed &it);

  void takeTranspose(const program::Executed &it);

  /// Where to pack an operand from. `inPlace`: only from SBUF.
  HeldOperand operand(const program::Executed &it, unsigned source,
                      bool inPlace);

  /// Before a matmul writes there.
  void beforeMatmul(const program::Executed &it);

private:
  struct Move {
    ByteRange range; ///< of the tile
    tensor::OperandTile from;
    std::shared_ptr<const tensor::RowReader> reader; ///< of `from`
    ByteRange base;      ///< bytes of SBUF that it comes from, or none
    uint32_t memory = 0; ///< that it comes from, if there is a reader
  };

  void make(const Move &move);
  /// Makes all for which `isWanted`.
  template <typename Predicate> void makeIf(Predicate isWanted);
  void beforeRead(ByteRange range);
  void beforeWrite(ByteRange range, unsigned parts, bool isAll);
  void beforeStore(uint32_t tensor);
  /// The one move that makes the whole tile. None if all of it is in place.
  std::optional<Move> find(ByteRange range, const Operand &tile,
                           unsigned parts);
  /// The same of an operand whose columns several turned moves make.
  std::optional<HeldOperand> findPieces(ByteRange range, const Operand &tile,
                                        unsigned parts) const;
  bool isOperand(ByteRange range) const;
  static ByteRange rangeOf(const program::Executed &it, const Operand &tile);

  const Plan &plan;
  std::span<uint8_t *const> tensors;
  uint8_t *sbuf;
  int64_t pitch;
  Share share;
  std::vector<Move> moves; ///< of disjoint tiles
  const KernelPlan *kernel = nullptr;
};

} // namespace neuron::simulator::compiled

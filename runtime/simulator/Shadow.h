//===- Shadow.h - who touched what ------------------------------*- C++ -*-===//
//
// Beside each cell of a memory: the event that wrote it last, and for each unit
// the event that read it last. A cell is a byte of all partitions of SBUF
// (tiles begin at partition 0, so that two tiles which share a column of bytes
// share it in that partition), or an element of an HBM variable.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/Order.h"
#include "runtime/simulator/Zeroed.h"
#include <optional>

namespace neuron::simulator {

class Shadow {
public:
  explicit Shadow(size_t cells) : cells(cells), writes(cells) {}

  struct Conflict {
    size_t cell;
    Stamp earlier;
    bool earlierWrites;
  };

  /// `now` reads or writes cells [begin, end). Fails if an earlier access that
  /// must not be exchanged with it is not ordered before it.
  std::optional<Conflict> read(size_t begin, size_t end, Stamp now,
                               const Order &order);
  std::optional<Conflict> write(size_t begin, size_t end, Stamp now,
                                const Order &order);

  /// Who wrote the cell last.
  Stamp lastWrite(size_t cell) const { return writes[cell]; }

  /// The first cell of [begin, end) that nothing wrote.
  std::optional<size_t> firstUnwritten(size_t begin, size_t end) const;

private:
  using Stamps = Zeroed<Stamp>;
  static std::optional<size_t> firstUnordered(const Stamps &stamps,
                                              size_t begin, size_t end,
                                              unsigned unit,
                                              const Order &order);

  size_t cells;
  Stamps writes;
  std::array<Stamps, program::kNumUnits>
      reads; ///< of the units that read at all
};

} // namespace neuron::simulator

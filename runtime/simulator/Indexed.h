//===- Indexed.h - gathers and scatters, a row at a time --------*- C++ -*-===//
#pragma once
#include "runtime/simulator/HbmWindow.h"
#include <optional>

namespace neuron::simulator {

/// An index outside of [0, HbmAccess::indexBound) that a row holds, if it does.
std::optional<int64_t> firstBadIndex(const program::Executed &dma,
                                     const uint8_t *row);

/// Where the indices of a row lie, and how far apart: 0 if all elements have
/// one.
struct RowIndices {
  const int64_t *data;
  int64_t stride;

  RowIndices(const program::Executed &dma, const uint8_t *row);
  int64_t at(int64_t column) const { return data[column * stride]; }
};

/// Calls visit(run) for the runs of elements that the row moves, all indices
/// being in range; until it returns false.
template <typename Visit>
bool forEachIndexedRun(const HbmWindow &window, const program::Executed &dma,
                       int64_t partition, const uint8_t *row, Visit visit) {
  RowIndices indices(dma, row);
  int64_t stride = dma.instruction->hbm.indexStride;
  return window.forEachRun(partition, [&](const HbmRun &run) {
    if (indices.stride == 0) {
      HbmRun moved = run;
      moved.offset += indices.at(0) * stride;
      return visit(moved);
    }
    for (int64_t i = 0; i < run.count; ++i) {
      int64_t column = run.firstColumn + i;
      int64_t offset =
          run.offset + i * run.stride + indices.at(column) * stride;
      if (!visit(HbmRun{offset, 1, column, 1}))
        return false;
    }
    return true;
  });
}

/// Moves one partition of a gather or scatter. All indices are in range.
void moveIndexedRow(const program::Executed &dma, const HbmWindow &window,
                    unsigned partition, uint8_t *row, uint8_t *tensor);

} // namespace neuron::simulator

//===- HbmWindow.h - the elements that a DMA moves --------------*- C++ -*-===//
#pragma once
#include "runtime/program/Streams.h"
#include <algorithm>
#include <array>

namespace neuron::simulator {

/// Elements of a tensor at offset, offset + stride, ...
struct HbmRun {
  int64_t offset, stride;
  int64_t firstColumn; ///< of the window
  int64_t count;
};

/// The window of an HbmAccess in one iteration, row by row as evenly spaced
/// runs.
class HbmWindow {
public:
  HbmWindow(const program::HbmAccess &access, const program::Executed &it,
            int64_t elems)
      : access(access), firstRow(access.row.at(it.counters)),
        firstColumn(access.column.at(it.counters)), elems(elems) {
    mergeInnerDims();
  }

  /// Calls visit(run) for the runs of row `row` of the window; stops when it
  /// returns false, and returns that.
  template <typename Visit> bool forEachRun(int64_t row, Visit visit) const {
    return forEachRun(row, 0, elems, visit);
  }

  /// The same of its columns [first, end).
  template <typename Visit>
  bool forEachRun(int64_t row, int64_t first, int64_t end, Visit visit) const {
    int64_t offset = access.offset + offsetOfRow(firstRow + row);
    int64_t inner = (firstColumn + first) % innerSize,
            outer = (firstColumn + first) / innerSize;
    // Places in the outer dimensions; to go on needs no division.
    std::array<int64_t, program::kMaxRank> at;
    for (size_t i = outerDims; i-- > 0; outer /= access.colSizes[i]) {
      at[i] = outer % access.colSizes[i];
      offset += at[i] * access.colStrides[i];
    }
    for (int64_t done = first; done < end; inner = 0) {
      int64_t count = std::min(end - done, innerSize - inner);
      if (!visit(
              HbmRun{offset + inner * innerStride, innerStride, done, count}))
        return false;
      done += count;
      for (size_t i = outerDims; i-- > 0;) {
        offset += access.colStrides[i];
        if (++at[i] < access.colSizes[i])
          break;
        offset -= at[i] * access.colStrides[i];
        at[i] = 0;
      }
    }
    return true;
  }

private:
  int64_t offsetOfRow(int64_t row) const {
    int64_t offset = 0;
    for (size_t i = access.rowSizes.size(); i-- > 0; row /= access.rowSizes[i])
      offset += row % access.rowSizes[i] * access.rowStrides[i];
    return offset;
  }

  /// Columns of the last dimensions that are evenly spaced make one run.
  void mergeInnerDims() {
    outerDims = access.colSizes.size();
    while (outerDims > 0) {
      int64_t size = access.colSizes[outerDims - 1];
      int64_t stride = access.colStrides[outerDims - 1];
      if (innerSize == 1)
        innerStride = stride;
      else if (size != 1 && stride != innerSize * innerStride)
        break;
      innerSize *= size;
      --outerDims;
    }
  }

  const program::HbmAccess &access;
  int64_t firstRow, firstColumn, elems;
  int64_t innerSize = 1, innerStride = 1;
  size_t outerDims = 0;
};

} // namespace neuron::simulator

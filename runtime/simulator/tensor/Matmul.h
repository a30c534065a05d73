//===- Matmul.h - a product of two tiles ------------------------*- C++ -*-===//
#pragma once
#include "runtime/program/DType.h"
#include "runtime/simulator/tensor/MatmulKernel.h"
#include <cstddef>

namespace neuron::simulator::tensor {

/// The rows of a matrix that does not lie in rows a pitch apart.
class RowReader {
public:
  virtual ~RowReader() = default;
  /// Elements [first, first + count) of a row: where they are, or in `scratch`.
  virtual const uint8_t *read(int64_t row, int64_t first, unsigned count,
                              uint8_t *scratch) const = 0;
};

/// An operand as it lies: element (i, j), of `k` by `width`, is element
/// (row + i, column + j) of a matrix, or if it is turned (row + j, column + i).
/// The matrix has its rows `pitch` bytes apart, or a reader.
struct OperandTile {
  const uint8_t *data;
  int64_t pitch;
  unsigned k, width;
  program::DType dtype;
  const RowReader *reader = nullptr;
  int64_t row = 0, column = 0;
  bool isTurned = false;

  /// Of the matrix's row number `index`, counted from `row`.
  const uint8_t *read(unsigned index, unsigned first, unsigned count,
                      uint8_t *scratch) const {
    if (reader)
      return reader->read(row + index, column + first, count, scratch);
    return data + (row + index) * pitch +
           (column + first) * program::bytesOf(dtype);
  }
  /// Columns [begin, end) of it.
  OperandTile columns(unsigned begin, unsigned end) const {
    OperandTile part = *this;
    part.width = end - begin;
    (isTurned ? part.row : part.column) += begin;
    return part;
  }
};

/// dst[m][n] (+)= sum over k of stationary[k][m] * moving[k][n]; m and n are
/// the operands' widths. dst holds float32, in rows `pitch` bytes apart.
struct Product {
  OperandTile stationary, moving;
  uint8_t *dst;
  int64_t pitch;
  bool accumulate;
};

/// Operands of a product in panels of floats, which can be kept for other
/// products as long as the tiles do not change. Null: packed when needed.
struct PackedOperands {
  const float *stationary = nullptr;
  const float *moving = nullptr; ///< all columns
};

/// Floats that a packed operand takes.
size_t stationaryFloats(unsigned k, unsigned m);
size_t movingFloats(unsigned k, unsigned n,
                    const KernelSet &kernels = hostKernels());
void packStationary(const OperandTile &tile, float *into,
                    const KernelSet &kernels = hostKernels());
void packMoving(const OperandTile &tile, float *into,
                const KernelSet &kernels = hostKernels());

/// The elements of a tile, as rows `pitch` bytes apart.
void copyTile(const OperandTile &tile, uint8_t *to, int64_t pitch);

/// A product that reads its operands in place, which must be no reader's:
/// packing them would take longer.
bool isUnpacked(unsigned m, program::DType dtype);

/// Columns [begin, end) of dst. k, m <= 128 and n <= 512. With a packed moving
/// operand, `begin` is a multiple of the kernels' columns.
void multiply(const Product &product, unsigned begin, unsigned end,
              const PackedOperands &packed = {},
              const KernelSet &kernels = hostKernels());

} // namespace neuron::simulator::tensor

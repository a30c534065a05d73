//===- Packing.cpp - operands of a product as panels ----------------------===//
#include "runtime/simulator/tensor/Packing.h"
#include "runtime/simulator/semantics/Semantics.h"
#include "runtime/simulator/tensor/TransposeSquare.h"
#include <cstring>
#include <memory>

namespace neuron::simulator::tensor {
using program::DType;

Buffers &threadBuffers() {
  thread_local std::unique_ptr<Buffers> buffers(new Buffers);
  return *buffers;
}

namespace {

/// `count` elements from `from` as floats.
const float *widened(const uint8_t *from, DType dtype, unsigned count,
                     float *into) {
  if (dtype == DType::F32)
    return reinterpret_cast<const float *>(from);
  semantics::rowCast(semantics::CastKind::Hardware, dtype,
                     DType::F32)(from, 1, into, count);
  return into;
}

/// A block's floats of one row of the stationary operand. The usual heights are
/// constants, so that no function is called for some bytes.
void copyBlock(float *to, const float *from, unsigned height) {
  switch (height) {
  case 4:
    std::memcpy(to, from, 4 * sizeof(float));
    return;
  case 6:
    std::memcpy(to, from, 6 * sizeof(float));
    return;
  case 8:
    std::memcpy(to, from, 8 * sizeof(float));
    return;
  default:
    for (unsigned i = 0; i < height; ++i)
      to[i] = from[i];
  }
}

/// `columns` floats, of which `width` are there: the others are zeros.
void copyPanelRow(float *to, const float *from, unsigned width,
                  unsigned columns) {
  constexpr unsigned kUnit = 16;
  if (width == columns && columns % kUnit == 0) {
    for (unsigned i = 0; i < columns; i += kUnit)
      std::memcpy(to + i, from + i, kUnit * sizeof(float));
    return;
  }
  std::copy_n(from, width, to);
  std::fill(to + width, to + columns, 0.0f);
}

/// Floats of `rows` rows of the matrix of a turned tile.
void readTurned(const OperandTile &tile, unsigned first, unsigned rows,
                const float **into, Buffers &buffers) {
  for (unsigned i = 0; i < rows; ++i)
    into[i] = widened(tile.read(first + i, 0, tile.k, buffers.rowElements[i]),
                      tile.dtype, tile.k, buffers.rows[i]);
}

/// to[j * pitch + i] = rows[i][j] for i below `count` and j below k, in
/// squares. Of a number of rows that is no multiple of a square's side, the
/// last square begins earlier.
void turn(const float *const *rows, unsigned count, unsigned k, float *to,
          unsigned pitch) {
  constexpr unsigned kSide = Square<float>::kSide;
  unsigned squares = count < kSide ? 0 : (count + kSide - 1) / kSide,
           whole = k / kSide * kSide;
  for (unsigned s = 0; s < squares; ++s) {
    unsigned i = std::min(s * kSide, count - kSide);
    const uint8_t *from[kSide];
    for (unsigned r = 0; r < kSide; ++r)
      from[r] = reinterpret_cast<const uint8_t *>(rows[i + r]);
    for (unsigned j = 0; j < whole; j += kSide)
      Square<float>::transpose(from, j,
                               reinterpret_cast<uint8_t *>(to + j * pitch + i),
                               int64_t(pitch) * int64_t(sizeof(float)));
  }
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = squares ? whole : 0; j < k; ++j)
      to[j * pitch + i] = rows[i][j];
}

/// Rows [begin, end) of the matrix of a turned tile become columns of `to`.
template <typename T>
void copyTurned(const OperandTile &tile, uint8_t *to, int64_t pitch) {
  constexpr unsigned kSide = Square<T>::kSide;
  Buffers &buffers = threadBuffers();
  unsigned whole = tile.k / kSide * kSide;
  for (unsigned j = 0; j < tile.width; j += kSide) {
    unsigned rows = std::min(kSide, tile.width - j);
    const uint8_t *from[kSide];
    for (unsigned r = 0; r < rows; ++r)
      from[r] = tile.read(j + r, 0, tile.k, buffers.rowElements[r]);
    uint8_t *at = to + j * sizeof(T);
    bool isSquare = rows == kSide;
    for (unsigned i = 0; isSquare && i < whole; i += kSide)
      Square<T>::transpose(from, i, at + i * pitch, pitch);
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned i = isSquare ? whole : 0; i < tile.k; ++i)
        std::memcpy(at + i * pitch + r * sizeof(T), from[r] + i * sizeof(T),
                    sizeof(T));
  }
}

} // namespace

size_t stationaryFloats(unsigned k, unsigned m) { return size_t(k) * m; }

size_t movingFloats(unsigned k, unsigned n, const KernelSet &kernels) {
  return (n + kernels.columns - 1) / kernels.columns *
         panelFloats(k, kernels.columns);
}

/// The panel of a block that begins at row m of dst begins at m * k.
void packStationary(const OperandTile &tile, float *into,
                    const KernelSet &kernels) {
  Buffers &buffers = threadBuffers();
  if (tile.isTurned) {
    for (unsigned m = 0, height; m < tile.width; m += height) {
      height = heightAt(m, tile.width, kernels.rows);
      const float *rows[KernelSet::kMaxRows];
      readTurned(tile, m, height, rows, buffers);
      turn(rows, height, tile.k, into + m * tile.k, height);
    }
    return;
  }
  for (unsigned k = 0; k < tile.k; ++k) {
    const float *row = widened(tile.read(k, 0, tile.width, buffers.elements),
                               tile.dtype, tile.width, buffers.row);
    for (unsigned m = 0, height; m < tile.width; m += height) {
      height = heightAt(m, tile.width, kernels.rows);
      copyBlock(into + m * tile.k + k * height, row + m, height);
    }
  }
}

/// The last panel is filled up with zeros.
void packMoving(const OperandTile &tile, float *into,
                const KernelSet &kernels) {
  Buffers &buffers = threadBuffers();
  unsigned columns = kernels.columns;
  size_t panel = panelFloats(tile.k, columns);
  if (tile.isTurned) {
    for (unsigned n = 0; n < tile.width; n += columns, into += panel) {
      unsigned width = std::min(columns, tile.width - n);
      const float *rows[KernelSet::kMaxColumns];
      readTurned(tile, n, width, rows, buffers);
      turn(rows, width, tile.k, into, columns);
      for (unsigned k = 0; width < columns && k < tile.k; ++k)
        std::fill(into + k * columns + width, into + (k + 1) * columns, 0.0f);
    }
    return;
  }
  for (unsigned k = 0; k < tile.k; ++k) {
    const float *row = widened(tile.read(k, 0, tile.width, buffers.elements),
                               tile.dtype, tile.width, buffers.row);
    float *to = into + k * columns;
    for (unsigned n = 0; n < tile.width; n += columns, to += panel)
      copyPanelRow(to, row + n, std::min(columns, tile.width - n), columns);
  }
}

void copyTile(const OperandTile &tile, uint8_t *to, int64_t pitch) {
  unsigned bytes = program::bytesOf(tile.dtype);
  if (tile.isTurned)
    return (bytes == 2 ? copyTurned<uint16_t> : copyTurned<uint32_t>)(tile, to,
                                                                      pitch);
  for (unsigned i = 0; i < tile.k; ++i, to += pitch) {
    const uint8_t *from = tile.read(i, 0, tile.width, to);
    if (from != to)
      std::memmove(to, from, size_t(tile.width) * bytes);
  }
}

} // namespace neuron::simulator::tensor

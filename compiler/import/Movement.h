//===- Movement.h - elements to other places along a dimension --*- C++ -*-===//
//
// What rows of padding, resizing, pooling and convolution are made of: slices,
// windows, constants and concats.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/NodeBuilder.h"

namespace neuron::import {

/// `size` elements of dimension `dim` from `start` on, every `step`-th.
mlir::Value sliceDim(Emitter &e, mlir::Value x, int64_t dim, int64_t start,
                     int64_t step, int64_t size);

/// `before` and `after` times `number` around dimension `dim`; negative counts
/// cut elements off.
mlir::Value padDim(Emitter &e, mlir::Value x, int64_t dim, int64_t before,
                   int64_t after, Number number);

/// Elements start, start + step, ... of dimension `dim` replaced by those of
/// `source`.
mlir::Value replaceDim(Emitter &e, mlir::Value x, mlir::Value source,
                       int64_t dim, int64_t start, int64_t step);

/// `gap` times `number` between neighbours of dimension `dim`.
mlir::Value spreadDim(Emitter &e, mlir::Value x, int64_t dim, int64_t gap,
                      Number number);

/// The elements of dimension `dim` at `indices`, which are in range: views
/// where the indices advance evenly, and concats of them. Null if they are so
/// irregular that it would take more than kMaxPieces.
inline constexpr int64_t kMaxPieces = 256;
mlir::Value takeDim(Emitter &e, mlir::Value x, int64_t dim,
                    llvm::ArrayRef<int64_t> indices);

} // namespace neuron::import

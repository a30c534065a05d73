//===- Emitter.h - builds neuron ops ----------------------------*- C++ -*-===//
//
// The importer's one way to make operations: shapes and result types follow
// from the operands as in PyTorch.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Types.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <utility>
#include <variant>

namespace neuron::import {

/// A Python number.
using Number = std::variant<bool, int64_t, double>;

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder)
      : builder(builder), loc(builder.getUnknownLoc()) {}

  void setLocation(mlir::Location location) { loc = location; }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLocation() const { return loc; }

  /// A type of more than kMaxRank dimensions is remembered, see
  /// takeRankOverflow.
  mlir::RankedTensorType type(DType dtype, llvm::ArrayRef<int64_t> shape);
  static constexpr size_t kMaxRank = ir::kMaxRank;
  /// The rank of a value beyond kMaxRank that was built since the last call; 0
  /// if there is none. The IR is not valid then.
  size_t takeRankOverflow() { return std::exchange(rankOverflow, 0); }
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
  static int64_t rankOf(mlir::Value value) { return shapeOf(value).size(); }

  /// `value` converted as PyTorch converts a Python number, repeated over
  /// `shape`.
  mlir::Value constant(DType dtype, Number value,
                       llvm::ArrayRef<int64_t> shape = {});
  /// A tensor of zero elements.
  mlir::Value empty(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// Elements in row-major order, as they lie in memory.
  mlir::Value constantData(DType dtype, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<uint8_t> bytes);
  /// Whether converting `value` to `dtype` loses nothing that float32 holds.
  static bool isExact(DType dtype, Number value);

  /// `value` as it is once stored in a floating `dtype`; a number of another
  /// dtype is returned as it is.
  static Number rounded(DType dtype, Number value);

  /// Tensor.to(dtype); to bool it is `value != 0`.
  mlir::Value cast(mlir::Value value, DType dtype);
  /// The bits, read as another dtype of the same width.
  mlir::Value bitcast(mlir::Value value, DType dtype);
  mlir::Value unary(llvm::StringRef name, mlir::Value input);
  mlir::Value test(llvm::StringRef name, mlir::Value input);
  mlir::Value binary(llvm::StringRef name, mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(llvm::StringRef name, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse);

  using Attributes = llvm::ArrayRef<mlir::NamedAttribute>;
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::Value reduce(llvm::StringRef name, mlir::Value input,
                     llvm::ArrayRef<int64_t> dims, bool keepdim, DType result,
                     Attributes extra = {});
  mlir::Value iota(DType dtype, int64_t count, mlir::TypedAttr start,
                   mlir::TypedAttr step);
  mlir::Value softmax(bool logarithm, mlir::Value input, int64_t dim);
  mlir::Value layerNorm(mlir::Value input, mlir::Value weight, mlir::Value bias,
                        llvm::ArrayRef<int64_t> dims, double eps);
  /// neuron.matmul; its dimensions are those of the op.
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs, int64_t batch,
                     int64_t contract, DType result);
  mlir::Value rmsNorm(mlir::Value input, mlir::Value weight,
                      llvm::ArrayRef<int64_t> dims, double eps);

  /// `input` with dimension `dim` first, and 1 in its place: what neuron.gather
  /// and neuron.scatter index.
  mlir::Value dimFirst(mlir::Value input, int64_t dim);
  mlir::Value gather(mlir::Value input, mlir::Value index,
                     llvm::ArrayRef<int64_t> shape);
  mlir::Value scan(llvm::StringRef kind, mlir::Value input, int64_t dim);
  mlir::Value sort(mlir::Value input, int64_t dim, bool descending);
  mlir::Value argsort(mlir::Value input, int64_t dim, bool descending);
  mlir::Value random(mlir::Value key, DType dtype,
                     llvm::ArrayRef<int64_t> shape);

  mlir::Value reshape(mlir::Value input, llvm::ArrayRef<int64_t> shape);
  mlir::Value expand(mlir::Value input, llvm::ArrayRef<int64_t> shape);
  mlir::Value permute(mlir::Value input, llvm::ArrayRef<int64_t> permutation);
  mlir::Value slice(mlir::Value input, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> steps,
                    llvm::ArrayRef<int64_t> sizes);
  /// `count` windows of `size` elements of dimension `dim`.
  mlir::Value window(mlir::Value input, int64_t dim, int64_t count,
                     int64_t size, int64_t step, int64_t dilation);
  /// Operands without elements along `dim` are left out, unless all are.
  mlir::Value concat(mlir::ValueRange inputs, int64_t dim);

  /// Any op of the dialect with one result. Arithmetic of 8-bit floats is made
  /// that of float32, and rounded.
  mlir::Value op(llvm::StringRef name, mlir::ValueRange operands,
                 mlir::RankedTensorType result, Attributes attributes = {});

private:
  llvm::SmallVector<mlir::Value> widened(mlir::ValueRange operands);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  size_t rankOverflow = 0;
};

} // namespace neuron::import

//===- ConstantMath.h - exact arithmetic on constants -----------*- C++ -*-===//
//
// Evaluates scalar functions at compile time where the result surely has the
// bits that it has at run time, and refuses otherwise: transcendental
// functions, roots (PyTorch's square root, by MKL, is not always the nearest
// value), integer division by zero, conversions out of range, NaN made or
// passed on by arithmetic (its payload and sign are the hardware's choice).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/program/Functions.h"
#include <optional>
#include <variant>

namespace neuron::ir {

/// Constants of more elements than this are folded only if they are splats.
inline constexpr int64_t kMaxFoldedElements = 1024;

/// One element of a constant.
struct Scalar {
  mlir::Type type;                                ///< element type
  std::variant<llvm::APInt, llvm::APFloat> value; ///< of that type's width

  const llvm::APInt &asInt() const { return std::get<llvm::APInt>(value); }
  const llvm::APFloat &asFloat() const {
    return std::get<llvm::APFloat>(value);
  }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  bool isNaN() const { return isFloat() && asFloat().isNaN(); }
  bool isZero() const {
    return isFloat() ? asFloat().isZero() : asInt().isZero();
  }
};

/// The bit of program::fn_table for an element type.
uint8_t domainOf(mlir::Type element);

/// Whether integers of this type are compared and divided without a sign.
bool isUnsigned(mlir::Type element);

/// A small integer in any element type; in bool, 0 is false.
Scalar scalarOf(mlir::Type element, int64_t value);

/// `scalar` as PyTorch converts it.
std::optional<Scalar> convert(const Scalar &scalar, mlir::Type to);

/// The value of a function, of the element type `result`.
std::optional<Scalar> evaluate(program::Fn fn, llvm::ArrayRef<Scalar> operands,
                               mlir::Type result);

/// The one value of a constant whose elements are all equal.
std::optional<Scalar> splatOf(mlir::Attribute attr);

/// All elements of a constant; of a splat, one.
llvm::SmallVector<Scalar> scalarsOf(mlir::DenseElementsAttr attr);

/// A constant with these elements; one makes a splat.
mlir::DenseElementsAttr constantOf(mlir::RankedTensorType type,
                                   llvm::ArrayRef<Scalar> scalars);

} // namespace neuron::ir

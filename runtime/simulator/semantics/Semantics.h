//===- Semantics.h - what functions, casts, reductions mean -----*- C++ -*-===//
//
// What the interpreter calls, and the compiled form for what it does not
// inline. Rows are arrays in the host's layout: bool is a byte that is 0 or not
// 0 (1 when written), float16 and bfloat16 are their bits.
//
// A function computes in one of the types of isLegal (Functions.h); operands
// are converted to it before and the result after. A NaN that is computed or
// converted is canonical (positive, quiet, no payload); identity, select and
// equal-type casts keep the bits.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/simulator/semantics/Reductions.h"

namespace neuron::simulator::semantics {

using program::DType;
using program::Fn;

/// dst[i] = fn(srcs[0][i * strides[0]], ...) for i in [0, n); a stride is 0 or
/// 1. Sets *divisionByZero if an integer was divided by zero (the result is
/// then 0) and leaves it alone otherwise. dst may be equal to a source of the
/// same element size and stride 1.
using RowFunction = void (*)(const void *const *srcs, const int64_t *strides,
                             void *dst, int64_t n, bool *divisionByZero);

/// Null if fn is not defined in `compute` (program::isLegal).
RowFunction rowFunction(Fn fn, DType compute);

/// The type of the result of fn in `compute`: bool or `compute`.
inline DType resultType(Fn fn, DType compute) {
  return program::info(fn).resultIsBool ? DType::Bool : compute;
}
/// The type of operand `index` of fn: `compute`, but for select's condition.
inline DType operandType(Fn fn, unsigned index, DType compute) {
  return fn == Fn::select && index == 0 ? DType::Bool : compute;
}

enum class CastKind : uint8_t {
  Torch,    ///< as PyTorch's CPU casts
  Hardware, ///< by float32, nearest even, saturating (TensorCopy)
};

/// dst[i] = cast(src[i * stride]); a stride is 0 or 1. Equal types: a copy of
/// bits (bool is normalised to 0 and 1).
using RowCast = void (*)(const void *src, int64_t stride, void *dst, int64_t n);
RowCast rowCast(CastKind kind, DType from, DType to);

/// *result = the reduction of src[0..n) in the order of Program.h, combined
/// with *old if that is not null: f(*old, reduced).
using RowReduction = void (*)(const void *src, int64_t stride, int64_t n,
                              const void *old, void *result);
/// Null for float16 and bfloat16.
RowReduction rowReduction(Reduction reduction, DType compute);

/// The first NaN or else first extremum of src[0..n) and its index, counted
/// from `base`; with `accumulate` what *value and *index hold is a candidate
/// that came before.
using RowArgReduction = void (*)(bool isMax, const void *src, int64_t stride,
                                 int64_t n, int64_t base, bool accumulate,
                                 void *value, int64_t *index);
RowArgReduction rowArgReduction(DType compute);

/// The reduction of a GpsimdReduce; not for arg-reductions.
Reduction reductionOf(program::Instruction::Reduce reduce);
/// The reduction of a TensorReduce's function: add, hw_max, hw_min.
std::optional<Reduction> reductionOf(Fn fn);

/// Sets the floating point environment that the semantics assume (nearest
/// even, subnormals kept) and restores the caller's. PyTorch users may have
/// called torch.set_flush_denormal.
class FloatingPointScope {
public:
  FloatingPointScope();
  ~FloatingPointScope();
  FloatingPointScope(const FloatingPointScope &) = delete;
  FloatingPointScope &operator=(const FloatingPointScope &) = delete;

private:
  unsigned saved;
};

} // namespace neuron::simulator::semantics

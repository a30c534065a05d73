//===- ReductionRows.cpp - ATen overloads that reduce ---------------------===//
//
// A 0-dim tensor is reduced as one of one element. A reduction of no elements
// is its identity, here and now.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/NodeBuilder.h"
#include <cmath>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// The value that a reduction of no elements gives; absent where PyTorch
/// raises.
static std::optional<Number> identityOf(StringRef op) {
  if (op == "sum" || op == "norm")
    return Number(int64_t(0));
  if (op == "prod")
    return Number(int64_t(1));
  if (op == "mean" || op == "var")
    return Number(NAN);
  if (op == "any")
    return Number(false);
  if (op == "all")
    return Number(true);
  return std::nullopt;
}

/// Reduces `input` along dims of the argument's own rank; the result has the
/// shape of result `index`.
static Value reduced(NodeBuilder &n, StringRef op, Value input,
                     ArrayRef<int64_t> dims, bool keepdim, DType dtype,
                     unsigned index = 0, Emitter::Attributes extra = {}) {
  ArrayRef<int64_t> shape = n.resultShape(index);
  // In bool, a product is true if all are, a sum if any is.
  if (dtype == DType::Bool && op == "prod")
    op = "all";
  else if (dtype == DType::Bool && op == "sum")
    op = "any";
  if (cast<RankedTensorType>(input.getType()).getNumElements() == 0) {
    if (std::optional<Number> identity = identityOf(op))
      return n.e.constant(dtype, *identity, shape);
    n.fail("cannot reduce a dimension of no elements by " + op);
    return n.e.constant(dtype, int64_t(0), shape);
  }
  if (Emitter::rankOf(input) == 0)
    return n.e.reshape(
        n.e.reduce(op, n.e.reshape(input, {1}), 0, false, dtype, extra), shape);
  return n.e.reduce(op, input, dims, keepdim, dtype, extra);
}

/// sum, mean, prod(self, [dim, keepdim,] *, dtype): computed in the result's
/// dtype.
static void arithmeticAll(NodeBuilder &n) {
  Value x = n.e.cast(n.tensor(0), n.resultDType());
  n.result(reduced(n, n.row.op, x, n.dims(99, x), false, n.resultDType()));
}
static void arithmeticDim(NodeBuilder &n) {
  Value x = n.e.cast(n.tensor(0), n.resultDType());
  n.result(reduced(n, n.row.op, x, n.dims(1, x), n.flag(2), n.resultDType()));
}

/// amax, amin(self, dim=[], keepdim)
static void extremum(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(reduced(n, n.row.op, x, n.dims(1, x), n.flag(2), n.resultDType()));
}
static void extremumAll(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(reduced(n, n.row.op, x, n.dims(99, x), false, n.resultDType()));
}
/// max.dim, min.dim: the values and the index of the first of them.
static void extremumDim(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> dims = n.dims(1, x);
  n.result(0, reduced(n, n.row.op, x, dims, n.flag(2), n.resultDType(0), 0));
  n.result(1, reduced(n, n.row.op == "max" ? "argmax" : "argmin", x, dims,
                      n.flag(2), DType::I64, 1));
}
/// aminmax(self, *, dim, keepdim)
static void aminmax(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> dims = n.dims(1, x);
  bool keepdim = n.flag(2);
  n.result(0, reduced(n, "min", x, dims, keepdim, n.resultDType(0), 0));
  n.result(1, reduced(n, "max", x, dims, keepdim, n.resultDType(1), 1));
}

/// argmax, argmin(self, dim=None, keepdim)
static void argExtremum(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(reduced(n, n.row.op, x, n.dims(1, x), n.flag(2), DType::I64));
}

/// any, all; of uint8 the result is uint8.
static void truth(NodeBuilder &n, SmallVector<int64_t> dims, bool keepdim) {
  Value x = n.e.cast(n.tensor(0), DType::Bool);
  if (dims.empty()) // any(dim=()) of a tensor reduces nothing
    return n.result(n.e.cast(x, n.resultDType()));
  n.result(n.e.cast(reduced(n, n.row.op, x, dims, keepdim, DType::Bool),
                    n.resultDType()));
}
static void truthAll(NodeBuilder &n) {
  truth(n, n.dims(99, n.tensor(0)), false);
}
static void truthDim(NodeBuilder &n) {
  truth(n, n.dims(1, n.tensor(0)), n.flag(2));
}
static void truthDims(NodeBuilder &n) {
  truth(n, n.dims(1, n.tensor(0), n.isNone(1)), n.flag(2));
}

//===----------------------------------------------------------------------===//
// Moments and norms
//===----------------------------------------------------------------------===//

static Value variance(NodeBuilder &n, Value x, ArrayRef<int64_t> dims,
                      double correction, bool keepdim) {
  NamedAttribute extra =
      n.e.attr("correction", n.e.getBuilder().getF64FloatAttr(correction));
  return reduced(n, "var", x, dims, keepdim, dtypeOf(x.getType()), 0, extra);
}

/// var, std(self, dim=None, *, correction=None, keepdim); var_mean and std_mean
/// give the mean too.
static void moments(NodeBuilder &n, bool root, bool mean,
                    SmallVector<int64_t> dims, double correction,
                    bool keepdim) {
  Value x = n.tensor(0);
  DType dtype = dtypeOf(x.getType());
  // The root is taken before rounding.
  Value wide = root ? n.e.cast(x, opmath(dtype)) : x;
  Value spread = variance(n, wide, dims, correction, keepdim);
  n.result(0, n.e.cast(root ? n.e.unary("sqrt", spread) : spread, dtype));
  if (mean)
    n.result(1, reduced(n, "mean", x, dims, keepdim, dtype, 1));
}
template <bool root, bool mean> static void momentsCorrection(NodeBuilder &n) {
  moments(n, root, mean, n.dims(1, n.tensor(0)), n.isNone(2) ? 1 : n.real(2),
          n.flag(3));
}
template <bool root, bool mean> static void momentsAll(NodeBuilder &n) {
  moments(n, root, mean, n.dims(99, n.tensor(0)), n.flag(1) ? 1 : 0, false);
}
template <bool root, bool mean> static void momentsDim(NodeBuilder &n) {
  moments(n, root, mean, n.dims(1, n.tensor(0)), n.flag(2) ? 1 : 0, n.flag(3));
}

/// linalg_vector_norm(self, ord=2, dim=None, keepdim, *, dtype)
static void vectorNorm(NodeBuilder &n) {
  Value x = n.e.cast(n.tensor(0), n.resultDType());
  NamedAttribute extra =
      n.e.attr("ord", n.e.getBuilder().getF64FloatAttr(n.real(1)));
  n.result(reduced(n, "norm", x, n.dims(2, x), n.flag(3), n.resultDType(), 0,
                   extra));
}

/// dist(self, other, p): the norm of the difference
static void dist(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.e.binary("sub", n.operand(0, dtype), n.operand(1, dtype));
  NamedAttribute extra =
      n.e.attr("ord", n.e.getBuilder().getF64FloatAttr(n.real(2)));
  n.result(reduced(n, "norm", x, n.dims(99, x), false, dtype, 0, extra));
}

/// logsumexp(self, dim, keepdim): m + log(sum(exp(x - m))) with m = 0 where it
/// is infinite.
static void logsumexp(NodeBuilder &n) {
  Emitter &e = n.e;
  DType dtype = n.resultDType();
  Value x = e.cast(n.tensor(0), dtype);
  if (Emitter::rankOf(x) == 0)
    return n.result(x);
  SmallVector<int64_t> dims = n.dims(1, x);
  bool keepdim = n.flag(2);
  if (cast<RankedTensorType>(x.getType()).getNumElements() == 0)
    return n.result(
        e.expand(e.constant(dtype, -INFINITY), n.resultShape())); // log(0)
  Value max = e.reduce("max", x, dims, true, dtype);
  Value infinite =
      e.compare("eq", e.unary("abs", max), e.constant(dtype, INFINITY));
  max = e.select(infinite, e.constant(dtype, 0.0), max);
  Value sum = e.reduce("sum", e.unary("exp", e.binary("sub", x, max)), dims,
                       keepdim, dtype);
  n.result(e.binary("add", e.unary("log", sum),
                    e.reshape(max, Emitter::shapeOf(sum))));
}

static const AtenRow kRows[] = {
    {"aten.sum.default", arithmeticAll, "sum"},
    {"aten.sum.dim_IntList", arithmeticDim, "sum"},
    {"aten.mean.default", arithmeticAll, "mean"},
    {"aten.mean.dim", arithmeticDim, "mean"},
    {"aten.prod.default", arithmeticAll, "prod"},
    {"aten.prod.dim_int", arithmeticDim, "prod"},
    {"aten.amax.default", extremum, "max"},
    {"aten.amin.default", extremum, "min"},
    {"aten.max.default", extremumAll, "max"},
    {"aten.min.default", extremumAll, "min"},
    {"aten.max.dim", extremumDim, "max"},
    {"aten.min.dim", extremumDim, "min"},
    {"aten.aminmax.default", aminmax, "min"},
    {"aten.argmax.default", argExtremum, "argmax"},
    {"aten.argmin.default", argExtremum, "argmin"},
    {"aten.any.default", truthAll, "any"},
    {"aten.any.dim", truthDim, "any"},
    {"aten.any.dims", truthDims, "any"},
    {"aten.all.default", truthAll, "all"},
    {"aten.all.dim", truthDim, "all"},
    {"aten.all.dims", truthDims, "all"},
    {"aten.var.default", momentsAll<false, false>, "var"},
    {"aten.var.dim", momentsDim<false, false>, "var"},
    {"aten.var.correction", momentsCorrection<false, false>, "var"},
    {"aten.std.default", momentsAll<true, false>, "var"},
    {"aten.std.dim", momentsDim<true, false>, "var"},
    {"aten.std.correction", momentsCorrection<true, false>, "var"},
    {"aten.var_mean.default", momentsAll<false, true>, "var"},
    {"aten.var_mean.dim", momentsDim<false, true>, "var"},
    {"aten.var_mean.correction", momentsCorrection<false, true>, "var"},
    {"aten.std_mean.default", momentsAll<true, true>, "var"},
    {"aten.std_mean.dim", momentsDim<true, true>, "var"},
    {"aten.std_mean.correction", momentsCorrection<true, true>, "var"},
    {"aten.linalg_vector_norm.default", vectorNorm, "norm"},
    {"aten.dist.default", dist, "norm"},
    {"aten.logsumexp.default", logsumexp},
};

ArrayRef<AtenRow> import::reductionRows() { return kRows; }

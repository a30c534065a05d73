//===- SequenceRows.cpp - ATen overloads that scan, sort and draw ---------===//
#include "compiler/import/NodeBuilder.h"
#include <cmath>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

namespace {

using Sizes = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// cumsum, cumprod(self, dim, *, dtype), logcumsumexp(self, dim)
void scan(NodeBuilder &n) {
  Value x = n.e.cast(n.tensor(0), n.resultDType());
  if (Emitter::rankOf(x) == 0) {
    n.dim(n.integer(1), x);
    return n.result(n.e.reshape(n.e.scan(n.row.op, n.e.reshape(x, {1}), 0),
                                n.resultShape()));
  }
  n.result(n.e.scan(n.row.op, x, n.dim(n.integer(1), x)));
}

/// Of dimension `dim`: 0, 1, 2, ..., in line with the other dimensions.
Value counted(NodeBuilder &n, Value x, int64_t dim) {
  Builder &b = n.e.getBuilder();
  ArrayRef<int64_t> shape = Emitter::shapeOf(x);
  Sizes sizes(shape.size(), 1);
  sizes[dim] = shape[dim];
  return n.e.reshape(n.e.iota(DType::I64, shape[dim], b.getI64IntegerAttr(0),
                              b.getI64IntegerAttr(1)),
                     sizes);
}

/// cummax, cummin(self, dim) -> values, indices. An element is the new extremum
/// exactly if it is equal to it, or NaN: the last such index counts.
void scanExtremum(NodeBuilder &n) {
  Emitter &e = n.e;
  Value x = n.tensor(0);
  if (Emitter::rankOf(x) == 0) {
    n.result(0, x);
    return n.result(1, e.constant(DType::I64, int64_t(0)));
  }
  int64_t dim = n.dim(n.integer(1), x);
  Value values = e.scan(n.row.op, x, dim);
  Value isNew = e.compare("eq", x, values);
  if (isFloating(dtypeOf(x.getType())))
    isNew = e.compare("logical_or", isNew, e.test("isnan", x));
  Value place =
      e.select(isNew, counted(n, x, dim), e.constant(DType::I64, int64_t(0)));
  n.result(0, values);
  n.result(1, e.scan("max", place, dim));
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// `count` elements along `dim` from `start` on.
Value part(NodeBuilder &n, Value x, int64_t dim, int64_t start, int64_t count) {
  Sizes starts(Emitter::rankOf(x), 0), steps(Emitter::rankOf(x), 1),
      sizes(Emitter::shapeOf(x));
  starts[dim] = start;
  sizes[dim] = count;
  return n.e.slice(x, starts, steps, sizes);
}

void sortInto(NodeBuilder &n, Value x, int64_t dim, bool descending) {
  if (Emitter::rankOf(x) == 0) {
    n.result(0, x);
    return n.result(1, n.e.constant(DType::I64, int64_t(0)));
  }
  n.result(0, n.e.sort(x, dim, descending));
  n.result(1, n.e.argsort(x, dim, descending));
}
/// sort(self, dim, descending): stable as well.
void sort(NodeBuilder &n) {
  Value x = n.tensor(0);
  sortInto(n, x, n.dim(n.integer(1), x), n.flag(2));
}
/// sort(self, *, stable, dim, descending)
void sortStable(NodeBuilder &n) {
  Value x = n.tensor(0);
  sortInto(n, x, n.dim(n.integer(2), x), n.flag(3));
}

/// topk(self, k, dim, largest, sorted)
void topk(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t count = n.integer(1), dim = n.dim(n.integer(2), x);
  bool largest = n.flag(3);
  if (Emitter::rankOf(x) == 0)
    return sortInto(n, x, 0, false);
  n.result(0, part(n, n.e.sort(x, dim, largest), dim, 0, count));
  n.result(1, part(n, n.e.argsort(x, dim, largest), dim, 0, count));
}

/// kthvalue(self, k, dim, keepdim)
void kthvalue(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t k = n.integer(1), dim = n.dim(n.integer(2), x);
  if (Emitter::rankOf(x) == 0)
    return sortInto(n, x, 0, false);
  for (unsigned i = 0; i < 2; ++i) {
    Value sorted = i ? n.e.argsort(x, dim, false) : n.e.sort(x, dim, false);
    n.result(i, n.e.reshape(part(n, sorted, dim, k - 1, 1), n.resultShape(i)));
  }
}

/// The lower median along `dim` and where it stands; a NaN is the median of all
/// that it is among.
std::pair<Value, Value> medianOf(NodeBuilder &n, Value x, int64_t dim) {
  Emitter &e = n.e;
  int64_t size = Emitter::shapeOf(x)[dim], middle = (size - 1) / 2;
  Value value = part(n, e.sort(x, dim, false), dim, middle, 1);
  Value place = part(n, e.argsort(x, dim, false), dim, middle, 1);
  if (!isFloating(dtypeOf(x.getType())))
    return {value, place};
  Value isNaN = e.test("isnan", x);
  Value hasNaN = e.reduce("any", isNaN, dim, true, DType::Bool);
  Value first =
      e.reduce("argmax", e.cast(isNaN, DType::I8), dim, true, DType::I64);
  Value nan = e.constant(dtypeOf(x.getType()), double(NAN));
  return {e.select(hasNaN, nan, value), e.select(hasNaN, first, place)};
}

/// The element of each sequence along `dim` that `place` names.
Value pick(NodeBuilder &n, Value x, Value place, int64_t dim) {
  return n.e.gather(n.e.dimFirst(x, dim), place, Emitter::shapeOf(place));
}

/// The lower median of what is no NaN, and where it stands.
std::pair<Value, Value> nanMedianOf(NodeBuilder &n, Value x, int64_t dim) {
  Emitter &e = n.e;
  if (!isFloating(dtypeOf(x.getType())))
    return medianOf(n, x, dim);
  Value isNumber = e.test("logical_not", e.test("isnan", x));
  Value count =
      e.reduce("sum", e.cast(isNumber, DType::I64), dim, true, DType::I64);
  Value one = e.constant(DType::I64, int64_t(1));
  Value last = e.binary("maximum", e.binary("sub", count, one),
                        e.constant(DType::I64, int64_t(0)));
  Value place = e.binary("shift_right", last, one);
  return {pick(n, e.sort(x, dim, false), place, dim),
          pick(n, e.argsort(x, dim, false), place, dim)};
}

using MedianOf = std::pair<Value, Value>(NodeBuilder &, Value, int64_t);

/// median<medianOf>, nanmedian (self)
template <MedianOf *of> void median(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t size = llvm::product_of(Emitter::shapeOf(x));
  if (size == 0)
    return n.result(n.e.constant(n.resultDType(), double(NAN)));
  Value flat = n.e.reshape(x, size);
  n.result(n.e.reshape(of(n, flat, 0).first, n.resultShape()));
}
/// median<medianOf>, nanmedian (self, dim, keepdim)
template <MedianOf *of> void medianDim(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x);
  if (Emitter::rankOf(x) == 0)
    return sortInto(n, x, 0, false);
  auto [value, place] = of(n, x, dim);
  n.result(0, n.e.reshape(value, n.resultShape(0)));
  n.result(1, n.e.reshape(place, n.resultShape(1)));
}

/// mode(self, dim, keepdim): in sorted order, how long the run of equals up to
/// each element is; the first of the longest ends at the most frequent one.
void mode(NodeBuilder &n) {
  Emitter &e = n.e;
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x);
  if (Emitter::rankOf(x) == 0)
    return sortInto(n, x, 0, false);
  Value sorted = e.sort(x, dim, false), place = counted(n, x, dim);
  Value zero = e.constant(DType::I64, int64_t(0));
  Value before = e.binary(
      "maximum", e.binary("sub", place, e.constant(DType::I64, int64_t(1))),
      zero);
  Value previous =
      e.gather(e.dimFirst(sorted, dim), before, Emitter::shapeOf(x));
  Value starts = e.compare("logical_or", e.compare("ne", sorted, previous),
                           e.compare("eq", place, zero));
  Value start = e.scan("max", e.select(starts, place, zero), dim);
  Value end =
      e.reduce("argmax", e.binary("sub", place, start), dim, true, DType::I64);
  n.result(0, e.reshape(pick(n, sorted, end, dim), n.resultShape(0)));
  n.result(1, e.reshape(pick(n, e.argsort(x, dim, false), end, dim),
                        n.resultShape(1)));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// Halves are computed from float32 numbers.
DType drawnIn(DType dtype) {
  return dtype == DType::F64 ? DType::F64 : DType::F32;
}

Value uniform(NodeBuilder &n, DType dtype) {
  return n.e.random(n.key(), dtype, n.resultShape());
}
/// In (0, 1].
Value positive(NodeBuilder &n, DType dtype) {
  return n.e.binary("sub", n.e.constant(dtype, 1.0), uniform(n, dtype));
}
/// Box and Muller's.
Value normal(NodeBuilder &n, DType dtype) {
  Emitter &e = n.e;
  Value radius =
      e.unary("sqrt", e.binary("mul", e.unary("log", positive(n, dtype)),
                               e.constant(dtype, -2.0)));
  Value angle = e.binary("mul", uniform(n, dtype),
                         e.constant(dtype, 2 * std::acos(-1.0)));
  return e.binary("mul", radius, e.unary("cos", angle));
}

/// rand, rand_like
void rand(NodeBuilder &n) { n.result(uniform(n, n.resultDType())); }
/// randn, randn_like
void randn(NodeBuilder &n) {
  n.result(n.e.cast(normal(n, drawnIn(n.resultDType())), n.resultDType()));
}

/// uniform(self, from, to), normal_functional(self, mean, std): drawn and then
/// moved.
void uniformBetween(NodeBuilder &n) {
  DType dtype = drawnIn(n.resultDType());
  double from = n.real(1), to = n.real(2);
  Value width = n.e.constant(dtype, to - from);
  Value drawn = n.e.binary("add", n.e.binary("mul", uniform(n, dtype), width),
                           n.e.constant(dtype, from));
  n.result(n.e.cast(drawn, n.resultDType()));
}
void normalWith(NodeBuilder &n) {
  DType dtype = drawnIn(n.resultDType());
  Value drawn = n.e.binary(
      "add",
      n.e.binary("mul", normal(n, dtype), n.e.constant(dtype, n.number(2))),
      n.e.constant(dtype, n.number(1)));
  n.result(n.e.cast(drawn, n.resultDType()));
}
/// normal(mean, std) of tensors and numbers
void normalOf(NodeBuilder &n) {
  DType dtype = drawnIn(n.resultDType());
  Value drawn = n.e.binary(
      "add", n.e.binary("mul", normal(n, dtype), n.operand(1, dtype)),
      n.operand(0, dtype));
  n.result(n.e.cast(drawn, n.resultDType()));
}

/// exponential(self, lambd)
void exponential(NodeBuilder &n) {
  DType dtype = drawnIn(n.resultDType());
  Value drawn = n.e.binary("div", n.e.unary("log", positive(n, dtype)),
                           n.e.constant(dtype, -n.real(1)));
  n.result(n.e.cast(drawn, n.resultDType()));
}

/// bernoulli(self, p): of a number or of tensors
void bernoulli(NodeBuilder &n) {
  DType dtype = DType::F32;
  if (n.isTensor(1) && dtypeOf(n.tensor(1).getType()) == DType::F64)
    dtype = DType::F64;
  Value drawn = n.e.compare("lt", uniform(n, dtype), n.operand(1, dtype));
  n.result(n.e.cast(drawn, n.resultDType()));
}

/// Integers of [low, high): 63 random bits modulo their number.
void integersBetween(NodeBuilder &n, int64_t low, int64_t high) {
  Emitter &e = n.e;
  if (high <= low)
    return n.fail("no integer is in range");
  Value bits = e.binary("shift_right", uniform(n, DType::I64),
                        e.constant(DType::I64, int64_t(1)));
  Value mask = e.constant(DType::I64, ~(int64_t(1) << 63));
  Value drawn = e.binary("remainder", e.binary("bitwise_and", bits, mask),
                         e.constant(DType::I64, high - low));
  drawn = e.binary("add", drawn, e.constant(DType::I64, low));
  n.result(e.cast(drawn, n.resultDType()));
}
/// randint(high, size), randint_like(self, high)
template <unsigned position> void randint(NodeBuilder &n) {
  integersBetween(n, 0, n.integer(position));
}
/// randint(low, high, size), randint_like(self, low, high)
template <unsigned position> void randintLow(NodeBuilder &n) {
  integersBetween(n, n.integer(position), n.integer(position + 1));
}

/// randperm(n): the order of random numbers
void randperm(NodeBuilder &n) {
  Value drawn = n.e.random(n.key(), DType::I64, n.resultShape());
  n.result(n.e.cast(n.e.argsort(drawn, 0, false), n.resultDType()));
}

const AtenRow kRows[] = {
    {"aten.cumsum.default", scan, "sum"},
    {"aten.cumprod.default", scan, "prod"},
    {"aten.logcumsumexp.default", scan, "logaddexp"},
    {"aten.cummax.default", scanExtremum, "max"},
    {"aten.cummin.default", scanExtremum, "min"},
    {"aten.sort.default", sort, "sort"},
    {"aten.sort.stable", sortStable, "sort"},
    {"aten.topk.default", topk, "sort"},
    {"aten.kthvalue.default", kthvalue, "sort"},
    {"aten.median.default", median<medianOf>, "sort"},
    {"aten.median.dim", medianDim<medianOf>, "sort"},
    {"aten.nanmedian.default", median<nanMedianOf>, "sort"},
    {"aten.nanmedian.dim", medianDim<nanMedianOf>, "sort"},
    {"aten.mode.default", mode, "sort"},
    {"aten.rand.default", rand, "random", kRandom},
    {"aten.rand_like.default", rand, "random", kRandom},
    {"aten.randn.default", randn, "random", kRandom},
    {"aten.randn_like.default", randn, "random", kRandom},
    {"aten.uniform.default", uniformBetween, "random", kRandom},
    {"aten.normal_functional.default", normalWith, "random", kRandom},
    {"aten.normal.Tensor_Tensor", normalOf, "random", kRandom},
    {"aten.normal.Tensor_float", normalOf, "random", kRandom},
    {"aten.normal.float_Tensor", normalOf, "random", kRandom},
    {"aten.normal.float_float", normalOf, "random", kRandom},
    {"aten.exponential.default", exponential, "random", kRandom},
    {"aten.bernoulli.p", bernoulli, "random", kRandom},
    {"aten.bernoulli.Tensor", bernoulli, "random", kRandom},
    {"aten.randint.default", randint<0>, "random", kRandom},
    {"aten.randint.low", randintLow<0>, "random", kRandom},
    {"aten.randint_like.default", randint<1>, "random", kRandom},
    {"aten.randint_like.low_dtype", randintLow<1>, "random", kRandom},
    {"aten.randperm.default", randperm, "random", kRandom},
};

} // namespace

ArrayRef<AtenRow> import::sequenceRows() { return kRows; }

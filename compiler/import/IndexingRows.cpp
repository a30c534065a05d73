//===- IndexingRows.cpp - ATen overloads that gather and scatter ----------===//
//
// neuron.gather and neuron.scatter index the first dimension of a value. Views
// bring the indexed dimensions there; several become one, whose index is
// computed.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/NodeBuilder.h"
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

namespace {

using Sizes = SmallVector<int64_t>;

Sizes ones(int64_t count) { return Sizes(count, 1); }

Sizes joined(std::initializer_list<ArrayRef<int64_t>> parts) {
  Sizes sizes;
  for (ArrayRef<int64_t> part : parts)
    sizes.append(part.begin(), part.end());
  return sizes;
}

/// An index out of bounds among several; the device reports it.
constexpr int64_t kBad = std::numeric_limits<int64_t>::min();

Value number(NodeBuilder &n, int64_t value) {
  return n.e.constant(DType::I64, value);
}

/// -1 is the last one, where ATen says so.
Value wrapped(NodeBuilder &n, Value index, int64_t size) {
  Value isNegative = n.e.compare("lt", index, number(n, 0));
  return n.e.select(isNegative, n.e.binary("add", index, number(n, size)),
                    index);
}

/// index, or kBad where it is not in [0, size).
Value checked(NodeBuilder &n, Value index, int64_t size, Value otherwise) {
  Value fits =
      n.e.compare("logical_and", n.e.compare("ge", index, number(n, 0)),
                  n.e.compare("lt", index, number(n, size)));
  return n.e.select(fits, otherwise, number(n, kBad));
}

Value gathered(NodeBuilder &n, Value x, Value index, ArrayRef<int64_t> shape) {
  if (Emitter::shapeOf(x).front() == 0)
    n.fail("indexes a dimension of no elements");
  return n.e.gather(x, index, shape);
}

Value scattered(NodeBuilder &n, Value dest, Value index, Value updates,
                StringRef reduce) {
  if (Emitter::shapeOf(dest).front() == 0)
    n.fail("indexes a dimension of no elements");
  return n.e.op("scatter", {dest, index, updates},
                cast<RankedTensorType>(dest.getType()),
                n.e.attr("reduce", n.e.getBuilder().getStringAttr(reduce)));
}

/// The first `sizes` elements of each dimension.
Value cut(NodeBuilder &n, Value x, ArrayRef<int64_t> sizes) {
  return n.e.slice(x, Sizes(sizes.size(), 0), Sizes(sizes.size(), 1), sizes);
}

/// What dimFirst made, back in its place.
Value dimBack(NodeBuilder &n, Value x, int64_t dim, ArrayRef<int64_t> shape) {
  Sizes sizes{shape[dim]}, order;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    if (i != dim)
      sizes.push_back(shape[i]);
    order.push_back(i == dim ? 0 : i < dim ? i + 1 : i);
  }
  return n.e.permute(n.e.reshape(x, sizes), order);
}

/// A 0-dim tensor is indexed as one of one element.
Value atLeast1D(NodeBuilder &n, Value x) {
  return Emitter::rankOf(x) == 0 ? n.e.reshape(x, {1}) : x;
}

/// In the dtypes that eager allows: tensors without memory are not asked.
Value indexArgument(NodeBuilder &n, unsigned position) {
  DType dtype = dtypeOf(n.tensor(position).getType());
  if (dtype != DType::I32 && dtype != DType::I64)
    n.fail("an index of dtype " + Twine(nameOf(dtype)) +
           "; eager takes int32 and int64");
  return n.e.cast(n.tensor(position), DType::I64);
}

/// dimFirst adds a dimension; where there is no room, the dimensions before
/// `dim` and those behind it become one each.
bool hasRoom(int64_t rank) { return rank < int64_t(Emitter::kMaxRank); }

Value folded(NodeBuilder &n, Value x, int64_t dim) {
  ArrayRef<int64_t> shape = Emitter::shapeOf(x);
  return n.e.reshape(x, {llvm::product_of(shape.take_front(dim)), shape[dim],
                         llvm::product_of(shape.drop_front(dim + 1))});
}

//===----------------------------------------------------------------------===//
// Along one dimension
//===----------------------------------------------------------------------===//

/// embedding(weight, indices, ...)
void embedding(NodeBuilder &n) {
  Value weight = n.tensor(0), index = indexArgument(n, 1);
  int64_t count = llvm::product_of(Emitter::shapeOf(index));
  int64_t width = Emitter::shapeOf(weight)[1];
  Value rows =
      gathered(n, weight, n.e.reshape(index, {count, 1}), Sizes{count, width});
  n.result(n.e.reshape(rows, n.resultShape()));
}

/// index_select(self, dim, index)
void indexSelect(NodeBuilder &n) {
  Value x = atLeast1D(n, n.tensor(0));
  int64_t dim = n.dim(n.integer(1), x);
  if (!hasRoom(Emitter::rankOf(x))) {
    x = folded(n, x, dim);
    dim = 1;
  }
  int64_t rank = Emitter::rankOf(x);
  Value index = indexArgument(n, 2);
  Sizes shape(Emitter::shapeOf(x)), along = ones(rank - dim);
  shape[dim] = along[0] = llvm::product_of(Emitter::shapeOf(index));
  Value result =
      gathered(n, n.e.dimFirst(x, dim), n.e.reshape(index, along), shape);
  n.result(n.e.reshape(result, n.resultShape()));
}

/// gather(self, dim, index): the index may be smaller in the other dimensions.
void gather(NodeBuilder &n) {
  Value x = atLeast1D(n, n.tensor(0));
  Value index = atLeast1D(n, indexArgument(n, 2));
  int64_t dim = n.dim(n.integer(1), x);
  Sizes sizes(Emitter::shapeOf(index));
  sizes[dim] = Emitter::shapeOf(x)[dim];
  x = cut(n, x, sizes);
  if (!hasRoom(sizes.size())) {
    x = folded(n, x, dim);
    index = folded(n, index, dim);
    dim = 1;
  }
  Value result =
      gathered(n, n.e.dimFirst(x, dim), index, Emitter::shapeOf(index));
  n.result(n.e.reshape(result, n.resultShape()));
}

/// Scatters along `dim` of x; the index may be smaller than x in the other
/// dimensions, and the source larger than the index.
Value scatteredAlong(NodeBuilder &n, Value x, int64_t dim, Value index,
                     Value source, StringRef reduce) {
  Sizes shape(Emitter::shapeOf(x)), space(Emitter::shapeOf(index));
  if (llvm::product_of(space) == 0)
    return x;
  // Halves are combined in float32 and rounded once, as eager does.
  DType dtype = dtypeOf(x.getType());
  if (isReduced(dtype) && reduce != "none") {
    Value wide = scatteredAlong(n, n.e.cast(x, DType::F32), dim, index,
                                n.e.cast(source, DType::F32), reduce);
    return n.e.cast(wide, dtype);
  }
  if (Emitter::rankOf(source) != 0)
    source = cut(n, source, space);
  Sizes whole = space;
  whole[dim] = shape[dim];
  if (whole == shape && !hasRoom(shape.size())) {
    if (Emitter::rankOf(source) != 0)
      source = folded(n, source, dim);
    Value result = scatteredAlong(n, folded(n, x, dim), 1,
                                  folded(n, index, dim), source, reduce);
    return n.e.reshape(result, shape);
  }
  if (whole == shape) {
    Value dest = n.e.dimFirst(x, dim);
    return dimBack(n, scattered(n, dest, index, source, reduce), dim, shape);
  }
  // The place in the flat destination is computed.
  Value flat;
  int64_t stride = 1;
  Builder &b = n.e.getBuilder();
  for (int64_t i = shape.size(); i-- > 0; stride *= shape[i]) {
    Value coordinate = index;
    if (i != dim) {
      Sizes sizes = ones(space.size());
      sizes[i] = space[i];
      coordinate =
          n.e.reshape(n.e.iota(DType::I64, space[i], b.getI64IntegerAttr(0),
                               b.getI64IntegerAttr(1)),
                      sizes);
    }
    Value term = n.e.binary("mul", coordinate, number(n, stride));
    flat = flat ? n.e.binary("add", flat, term) : term;
  }
  flat = checked(n, index, shape[dim], flat);
  if (!hasRoom(space.size())) {
    space = {llvm::product_of(space)};
    flat = n.e.reshape(flat, space);
    if (Emitter::rankOf(source) != 0)
      source = n.e.reshape(source, space);
  }
  Value dest = n.e.reshape(
      x, joined({llvm::product_of(shape), ones(int64_t(space.size()))}));
  return n.e.reshape(scattered(n, dest, flat, source, reduce), shape);
}

/// What an update of the reduction does not change.
Value neutral(NodeBuilder &n, StringRef reduce, DType dtype) {
  using Limits = std::numeric_limits<double>;
  if (reduce == "sum" || reduce == "prod")
    return n.e.constant(dtype, int64_t(reduce == "prod"));
  bool isMax = reduce == "max";
  if (isFloating(dtype))
    return n.e.constant(dtype,
                        isMax ? -Limits::infinity() : Limits::infinity());
  if (isBool(dtype))
    return n.e.constant(dtype, !isMax);
  unsigned bits = 8 * program::bytesOf(dtype);
  bool isSigned = program::info(dtype).isSigned;
  int64_t low = isSigned ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t high = isSigned ? ~low : int64_t(~uint64_t(0) >> (64 - bits));
  return n.e.constant(dtype, isMax ? low : high);
}

StringRef reductionNamed(NodeBuilder &n, StringRef name) {
  if (name == "add" || name == "sum" || name == "mean")
    return "sum";
  if (name == "multiply" || name == "prod")
    return "prod";
  if (name == "amax" || name == "amin")
    return name == "amax" ? "max" : "min";
  n.fail("unknown reduction " + name);
  return "sum";
}

/// scatter_reduce and index_reduce: along `dim`, mean and what is not there
/// included.
Value reducedAlong(NodeBuilder &n, Value x, int64_t dim, Value index,
                   Value source, StringRef name, bool includeSelf) {
  DType dtype = dtypeOf(x.getType());
  StringRef reduce = reductionNamed(n, name);
  Value from = x;
  if (!includeSelf)
    from = scatteredAlong(n, x, dim, index, neutral(n, reduce, dtype), "none");
  Value result = scatteredAlong(n, from, dim, index, source, reduce);
  if (name != "mean")
    return result;
  Value one = n.e.constant(dtype, int64_t(1));
  Value counts = n.e.constant(dtype, int64_t(includeSelf), Emitter::shapeOf(x));
  counts = scatteredAlong(n, counts, dim, index, one, "sum");
  Value none = n.e.compare("eq", counts, n.e.constant(dtype, int64_t(0)));
  counts = n.e.select(none, one, counts);
  return n.e.binary(isFloating(dtype) ? "div" : "floor_div", result, counts);
}

/// scatter(self, dim, index, src or value, [reduce]); scatter_add
template <bool reduces> void scatter(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = atLeast1D(n, n.tensor(0));
  int64_t dim = n.dim(n.integer(1), x);
  Value index = atLeast1D(n, indexArgument(n, 2));
  Value source = n.operand(3, dtype);
  if (n.isTensor(3))
    source = atLeast1D(n, source);
  StringRef reduce = n.has(kSecond) ? StringRef("sum")
                     : reduces      ? reductionNamed(n, n.string(4))
                                    : StringRef("none");
  if (isBool(dtype) && reduce != "none")
    reduce = reduce == "sum" || reduce == "max" ? "max" : "min";
  n.result(n.e.reshape(scatteredAlong(n, x, dim, index, source, reduce),
                       n.resultShape()));
}

/// Of bools, a sum is true if any is, a product if all are.
StringRef reductionOf(NodeBuilder &n, StringRef name) {
  if (!isBool(n.resultDType()))
    return name;
  if (name == "mean")
    n.fail("a mean of bools");
  return name == "sum" || name == "amax" ? "amax" : "amin";
}

/// scatter_reduce(self, dim, index, src, reduce, *, include_self)
void scatterReduce(NodeBuilder &n) {
  Value x = atLeast1D(n, n.tensor(0));
  Value result = reducedAlong(n, x, n.dim(n.integer(1), x),
                              atLeast1D(n, indexArgument(n, 2)),
                              atLeast1D(n, n.operand(3, n.resultDType())),
                              reductionOf(n, n.string(4)), n.flag(5));
  n.result(n.e.reshape(result, n.resultShape()));
}

/// index_reduce(self, dim, index, source, reduce, *, include_self)
void indexReduce(NodeBuilder &n) {
  Value x = atLeast1D(n, n.tensor(0));
  int64_t dim = n.dim(n.integer(1), x), rank = Emitter::rankOf(x);
  Value index = indexArgument(n, 2);
  Sizes along = ones(rank), space(Emitter::shapeOf(x));
  along[dim] = space[dim] = llvm::product_of(Emitter::shapeOf(index));
  Value everywhere = n.e.expand(n.e.reshape(index, along), space);
  Value source = n.e.reshape(n.operand(3, n.resultDType()), space);
  Value result = reducedAlong(n, x, dim, everywhere, source,
                              reductionOf(n, n.string(4)), n.flag(5));
  n.result(n.e.reshape(result, n.resultShape()));
}

//===----------------------------------------------------------------------===//
// By several tensors
//===----------------------------------------------------------------------===//

/// x[indices]: the indexed dimensions of x go first and become one.
struct Indexed {
  Value value;           ///< [n, rest...], the rest in line with the result
  Value index;           ///< in line with the result
  Sizes shape;           ///< of the result
  Sizes order, permuted; ///< x permuted, and its sizes then
  bool isMerged = false; ///< `shape` has fewer dimensions than the result
  Sizes whole;           ///< all dimensions of the result
};

std::optional<Indexed> indexedBy(NodeBuilder &n, Value x, unsigned position) {
  const ArgumentList *list = n.arg(position).as<ArgumentList>();
  if (!list) {
    n.fail("indices are not a list");
    return std::nullopt;
  }
  Sizes dims, shape;
  SmallVector<Value> indices;
  for (auto [dim, item] : llvm::enumerate(*list)) {
    if (item.isNone())
      continue;
    Value index = n.tensorOf(item);
    DType dtype = dtypeOf(index.getType());
    if (isBool(dtype) || dtype == DType::U8) {
      n.fail("an index of bools: the shape of its result depends on data");
      return std::nullopt;
    }
    dims.push_back(dim);
    indices.push_back(n.e.cast(index, DType::I64));
  }
  if (dims.empty() || Emitter::rankOf(x) == 0) {
    n.fail("an index of nothing");
    return std::nullopt;
  }
  ArrayRef<int64_t> sizes = Emitter::shapeOf(x);
  for (Value index : indices) {
    ArrayRef<int64_t> other = Emitter::shapeOf(index);
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t &size = shape[shape.size() - other.size() + i];
      size = size == 1 ? other[i] : size;
    }
  }
  // Where the indices' dimensions stand in the result.
  bool adjacent = dims.back() - dims.front() + 1 == int64_t(dims.size());
  Indexed result;
  result.order = dims;
  Sizes before, after;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    result.order.push_back(dim);
    (adjacent && dim < dims.front() ? before : after).push_back(sizes[dim]);
  }
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= sizes[dim];
  result.whole = joined({before, shape, after});
  // Few dimensions are enough: the result is reshaped.
  if (before.size() + shape.size() + after.size() > 7) {
    result.isMerged = true;
    before = {llvm::product_of(before)};
    after = {llvm::product_of(after)};
    shape = Sizes{llvm::product_of(shape)};
    for (Value &index : indices)
      index = n.e.reshape(n.e.expand(index, shape), shape);
  }
  Value index;
  for (auto [dim, one] : llvm::zip(dims, indices)) {
    Value place = wrapped(n, one, sizes[dim]);
    if (dims.size() > 1)
      place = checked(n, place, sizes[dim], place);
    if (!index) {
      index = place;
      continue;
    }
    Value isBad =
        n.e.compare("logical_or", n.e.compare("eq", index, number(n, kBad)),
                    n.e.compare("eq", place, number(n, kBad)));
    index = n.e.binary("add", n.e.binary("mul", index, number(n, sizes[dim])),
                       place);
    index = n.e.select(isBad, number(n, kBad), index);
  }
  Sizes own(Emitter::shapeOf(index));
  own.append(after.size(), 1);
  result.index = n.e.reshape(index, own);
  Value moved = n.e.permute(x, result.order);
  result.permuted = Sizes(Emitter::shapeOf(moved));
  result.value =
      n.e.reshape(moved, joined({count, before, ones(shape.size()), after}));
  result.shape = joined({before, shape, after});
  return result;
}

/// index(self, indices)
void index(NodeBuilder &n) {
  auto indexed = indexedBy(n, n.tensor(0), 1);
  if (!indexed)
    return;
  Value result = gathered(n, indexed->value, indexed->index, indexed->shape);
  n.result(n.e.reshape(result, n.resultShape()));
}

/// x[mask] = one number: no shape depends on the mask.
bool putsByMask(NodeBuilder &n, Value x, Value values) {
  const ArgumentList *list = n.arg(1).as<ArgumentList>();
  bool isOne = list && list->size() == 1 && list->front().as<NodeRef>() &&
               llvm::product_of(Emitter::shapeOf(values)) == 1;
  if (!isOne)
    return false;
  Value mask = n.tensorOf(list->front());
  if (!isBool(dtypeOf(mask.getType())))
    return false;
  Sizes sizes(Emitter::shapeOf(mask));
  sizes.append(Emitter::rankOf(x) - sizes.size(), 1);
  Value number = n.e.reshape(values, {});
  if (n.flag(3))
    number = n.e.binary("add", x, number);
  n.result(n.e.select(n.e.reshape(mask, sizes), number, x));
  return true;
}

/// index_put(self, indices, values, accumulate)
void indexPut(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.tensor(0), values = n.operand(2, dtype);
  if (putsByMask(n, x, values))
    return;
  auto indexed = indexedBy(n, x, 1);
  if (!indexed)
    return;
  if (llvm::product_of(indexed->shape) == 0)
    return n.result(x);
  StringRef reduce = !n.flag(3) ? "none" : isBool(dtype) ? "max" : "sum";
  if (indexed->isMerged)
    values = n.e.reshape(n.e.expand(values, indexed->whole), indexed->shape);
  else
    values = n.e.expand(values, indexed->shape);
  Value dest = scattered(n, indexed->value, indexed->index, values, reduce);
  Sizes back(indexed->order.size());
  for (auto [i, dim] : llvm::enumerate(indexed->order))
    back[dim] = i;
  n.result(n.e.permute(n.e.reshape(dest, indexed->permuted), back));
}

/// put(self, index, source, accumulate): as if flat.
void put(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Value x = n.tensor(0);
  Value index = indexArgument(n, 1);
  int64_t count = llvm::product_of(Emitter::shapeOf(index));
  int64_t size = llvm::product_of(Emitter::shapeOf(x));
  if (count == 0)
    return n.result(x);
  Value flat = wrapped(n, n.e.reshape(index, count), size);
  Value source = n.e.reshape(n.operand(2, dtype), count);
  StringRef reduce = !n.flag(3) ? "none" : isBool(dtype) ? "max" : "sum";
  Value dest = scattered(n, n.e.reshape(x, {size, 1}), flat, source, reduce);
  n.result(n.e.reshape(dest, n.resultShape()));
}

/// masked_scatter(self, mask, source): the elements of source in order, where
/// the mask holds.
void maskedScatter(NodeBuilder &n) {
  Emitter &e = n.e;
  Value x = n.tensor(0), source = n.tensor(2);
  Value mask = e.expand(n.tensor(1), n.resultShape());
  int64_t size = llvm::product_of(n.resultShape());
  int64_t count = llvm::product_of(Emitter::shapeOf(source));
  if (count == 0)
    return n.fail("a source of no elements");
  Value flat = e.reshape(mask, size);
  Value before =
      e.binary("sub", e.scan("sum", e.cast(flat, DType::I64), 0), number(n, 1));
  Value place = e.select(flat, before, number(n, 0));
  Value taken = gathered(n, e.reshape(source, {count, 1}), place, size);
  n.result(e.select(mask, e.reshape(taken, n.resultShape()),
                    e.expand(x, n.resultShape())));
}

//===----------------------------------------------------------------------===//
// Among sorted numbers
//===----------------------------------------------------------------------===//

/// How many of the sorted numbers [..., m] are below each value [..., k].
Value placeAmong(NodeBuilder &n, Value sorted, Value values, bool right) {
  Emitter &e = n.e;
  Sizes left(Emitter::shapeOf(sorted));
  left.insert(left.end() - 1, 1);
  Sizes each(Emitter::shapeOf(values));
  each.push_back(1);
  Promotion promotion;
  promotion.addTensor(dtypeOf(sorted.getType()), false);
  promotion.addTensor(dtypeOf(values.getType()), false);
  DType dtype = promotion.result();
  Value below =
      e.test("logical_not", e.compare(right ? "gt" : "ge",
                                      e.reshape(e.cast(sorted, dtype), left),
                                      e.reshape(e.cast(values, dtype), each)));
  return e.reduce("sum", e.cast(below, DType::I64), Emitter::rankOf(below) - 1,
                  false, DType::I64);
}

/// bucketize(self, boundaries, *, out_int32, right)
void bucketize(NodeBuilder &n) {
  Value boundaries = n.tensor(1);
  Value values =
      n.isNumber(0) ? n.operand(0, dtypeOf(boundaries.getType())) : n.tensor(0);
  Value flat = n.e.reshape(values, llvm::product_of(Emitter::shapeOf(values)));
  Value place = placeAmong(n, boundaries, flat, n.flag(3));
  n.result(n.e.cast(n.e.reshape(place, n.resultShape()), n.resultDType()));
}

/// searchsorted(sorted_sequence, self, *, out_int32, right, side, sorter)
void searchsorted(NodeBuilder &n) {
  Value sorted = n.tensor(0);
  if (!n.isNone(5))
    return n.fail("a sorter");
  Value values =
      n.isNumber(1) ? n.operand(1, dtypeOf(sorted.getType())) : n.tensor(1);
  bool right = n.flag(3) || (!n.isNone(4) && n.string(4) == "right");
  if (Emitter::rankOf(sorted) == 1)
    values = n.e.reshape(values, llvm::product_of(Emitter::shapeOf(values)));
  Value place = placeAmong(n, sorted, values, right);
  n.result(n.e.cast(n.e.reshape(place, n.resultShape()), n.resultDType()));
}

const AtenRow kRows[] = {
    {"aten.embedding.default", embedding, "gather"},
    {"aten.index_select.default", indexSelect, "gather"},
    {"aten.gather.default", gather, "gather"},
    {"aten.index.Tensor", index, "gather"},
    {"aten._unsafe_index.Tensor", index, "gather"},
    {"aten.scatter.src", scatter<false>, "scatter"},
    {"aten.scatter.value", scatter<false>, "scatter"},
    {"aten.scatter.reduce", scatter<true>, "scatter"},
    {"aten.scatter.value_reduce", scatter<true>, "scatter"},
    {"aten.scatter_add.default", scatter<false>, "scatter", kSecond},
    {"aten.scatter_reduce.two", scatterReduce, "scatter"},
    {"aten.index_reduce.default", indexReduce, "scatter"},
    {"aten.index_put.default", indexPut, "scatter"},
    {"aten._unsafe_index_put.default", indexPut, "scatter"},
    {"aten.put.default", put, "scatter"},
    {"aten.masked_scatter.default", maskedScatter, "gather"},
    {"aten.bucketize.Tensor", bucketize, "sum"},
    {"aten.bucketize.Scalar", bucketize, "sum"},
    {"aten.searchsorted.Tensor", searchsorted, "sum"},
    {"aten.searchsorted.Scalar", searchsorted, "sum"},
};

} // namespace

ArrayRef<AtenRow> import::indexingRows() { return kRows; }

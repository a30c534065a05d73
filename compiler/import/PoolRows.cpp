//===- PoolRows.cpp - ATen overloads that pool ----------------------------===//
//
// A window of few elements is taken apart: one strided slice of the padded
// input for each of its places, combined by elementwise operations in the order
// in which eager goes through a window. Larger windows are reduced over
// neuron.window views.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/Movement.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

namespace {

/// Windows of more places than this are reduced.
constexpr int64_t kMaxUnrolled = 64;

/// The windows along each of the last dimensions.
struct Pool {
  SmallVector<int64_t> kernel, stride, padding, dilation;
  SmallVector<int64_t> sizes;  ///< of the input
  SmallVector<int64_t> counts; ///< of windows
  int64_t first;               ///< dimension that is pooled

  int64_t dims() const { return sizes.size(); }
  int64_t places() const { return llvm::product_of(kernel); }
  /// Elements between neighbours along dimension k in the pooled dimensions.
  int64_t flatStride(int64_t k) const {
    return llvm::product_of(ArrayRef<int64_t>(sizes).drop_front(k + 1));
  }
  int64_t startOf(int64_t k, int64_t window) const {
    return window * stride[k] - padding[k];
  }
};

/// A list argument of one number for each dimension, or of one for all; an
/// empty one stands for `otherwise`.
SmallVector<int64_t> listOf(NodeBuilder &n, unsigned index, int64_t dims,
                            ArrayRef<int64_t> otherwise) {
  SmallVector<int64_t> list;
  if (!n.isNone(index))
    list = n.ints(index);
  if (list.empty())
    list.assign(otherwise.begin(), otherwise.end());
  if (list.size() == 1)
    list.assign(dims, list[0]);
  if (int64_t(list.size()) != dims)
    n.fail("argument " + Twine(index) + " has not " + Twine(dims) + " numbers");
  list.resize(dims, 1);
  return list;
}

Pool poolOf(NodeBuilder &n, int64_t dims, bool dilates) {
  Pool pool;
  Value x = n.tensor(0);
  pool.first = Emitter::rankOf(x) - dims;
  pool.sizes.assign(Emitter::shapeOf(x).take_back(dims).begin(),
                    Emitter::shapeOf(x).end());
  pool.counts.assign(n.resultShape().take_back(dims).begin(),
                     n.resultShape().end());
  pool.kernel = listOf(n, 1, dims, {});
  pool.stride = listOf(n, 2, dims, pool.kernel);
  pool.padding = listOf(n, 3, dims, {0});
  pool.dilation =
      dilates ? listOf(n, 4, dims, {1}) : SmallVector<int64_t>(dims, 1);
  return pool;
}

/// The windows that divide the input, if they do so evenly.
std::optional<Pool> evenPool(Value x, ArrayRef<int64_t> counts) {
  Pool pool;
  int64_t dims = counts.size();
  pool.first = Emitter::rankOf(x) - dims;
  pool.sizes.assign(Emitter::shapeOf(x).take_back(dims).begin(),
                    Emitter::shapeOf(x).end());
  pool.counts.assign(counts.begin(), counts.end());
  pool.padding.assign(dims, 0);
  pool.dilation.assign(dims, 1);
  for (auto [size, count] : llvm::zip(pool.sizes, counts)) {
    if (size % count != 0)
      return std::nullopt;
    pool.kernel.push_back(size / count);
  }
  pool.stride = pool.kernel;
  return pool;
}

/// `number` around the input, as far as windows reach.
Value padded(NodeBuilder &n, const Pool &pool, Value x, Number number) {
  for (int64_t k = 0; k < pool.dims(); ++k) {
    int64_t reach = (pool.counts[k] - 1) * pool.stride[k] +
                    (pool.kernel[k] - 1) * pool.dilation[k] + 1;
    int64_t behind = reach - pool.sizes[k] - pool.padding[k];
    x = padDim(n.e, x, pool.first + k, pool.padding[k],
               std::max<int64_t>(behind, 0), number);
  }
  return x;
}

/// Calls `visit(places)` for all places in a window, in row-major order.
template <typename Visit>
void forEachPlace(ArrayRef<int64_t> kernel, Visit visit) {
  if (llvm::is_contained(kernel, 0))
    return;
  SmallVector<int64_t> place(kernel.size(), 0);
  while (true) {
    visit(ArrayRef<int64_t>(place));
    int64_t k = kernel.size();
    while (k > 0 && ++place[k - 1] == kernel[k - 1])
      place[--k] = 0;
    if (k == 0)
      return;
  }
}

/// The elements at one place of all windows.
Value elementsAt(NodeBuilder &n, const Pool &pool, Value x,
                 ArrayRef<int64_t> place) {
  for (int64_t k = 0; k < pool.dims(); ++k)
    x = sliceDim(n.e, x, pool.first + k, place[k] * pool.dilation[k],
                 pool.stride[k], pool.counts[k]);
  return x;
}

/// The windows of the padded input, their elements as the last dimensions.
Value windowsOf(NodeBuilder &n, const Pool &pool, Value x) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, pool.first));
  SmallVector<int64_t> inner;
  for (int64_t k = 0; k < pool.dims(); ++k) {
    x = n.e.window(x, pool.first + 2 * k, pool.counts[k], pool.kernel[k],
                   pool.stride[k], pool.dilation[k]);
    permutation.push_back(pool.first + 2 * k);
    inner.push_back(pool.first + 2 * k + 1);
  }
  permutation.append(inner);
  return n.e.permute(x, permutation);
}

SmallVector<int64_t> innerDims(const Pool &pool) {
  return llvm::to_vector(llvm::seq<int64_t>(pool.first + pool.dims(),
                                            pool.first + 2 * pool.dims()));
}

/// Numbers along dimension k of the windows.
template <typename T>
Value along(NodeBuilder &n, DType dtype, int64_t dims, int64_t k,
            ArrayRef<T> numbers) {
  if (llvm::all_equal(numbers))
    return n.e.constant(dtype, numbers[0]);
  SmallVector<int64_t> shape(dims - k, 1);
  shape[0] = numbers.size();
  return n.e.constantData(
      dtype, shape,
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(numbers.data()),
                        numbers.size() * sizeof(T)));
}

/// The sum over dimensions of a number that `of(k, window)` says.
template <typename Of> Value sumAlong(NodeBuilder &n, const Pool &pool, Of of) {
  Value sum;
  for (int64_t k = 0; k < pool.dims(); ++k) {
    SmallVector<int64_t> numbers;
    for (int64_t window = 0; window < pool.counts[k]; ++window)
      numbers.push_back(of(k, window));
    Value part = along<int64_t>(n, DType::I64, pool.dims(), k, numbers);
    sum = sum ? n.e.binary("add", sum, part) : part;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Maximum
//===----------------------------------------------------------------------===//

/// The largest element and where it is, place by place: a later one counts if
/// it is larger, or NaN.
struct Largest {
  NodeBuilder &n;
  Value value, where;

  void add(Value element, Value index) {
    if (!value) {
      value = element;
      return;
    }
    Value takes = n.e.compare("gt", element, value);
    if (isFloating(dtypeOf(element.getType())))
      takes = n.e.op("logical_or", {takes, n.e.test("isnan", element)},
                     cast<RankedTensorType>(takes.getType()));
    where = n.e.select(takes, index, where);
    value = n.e.binary("maximum", value, element);
  }
};

Number lowest(DType dtype) {
  if (isFloating(dtype))
    return -INFINITY;
  switch (dtype) {
  case DType::I8:
    return int64_t(std::numeric_limits<int8_t>::min());
  case DType::I16:
    return int64_t(std::numeric_limits<int16_t>::min());
  case DType::I32:
    return int64_t(std::numeric_limits<int32_t>::min());
  case DType::I64:
    return std::numeric_limits<int64_t>::min();
  default:
    return int64_t(0);
  }
}

/// The first place of a window that is within the input.
int64_t firstPlace(const Pool &pool, int64_t k, int64_t window) {
  int64_t before = std::max<int64_t>(-pool.startOf(k, window), 0);
  return (before + pool.dilation[k] - 1) / pool.dilation[k];
}

void placeByPlace(NodeBuilder &n, const Pool &pool, Value x) {
  Largest largest{n, {}, {}};
  // Counted from the start of the window. Where nothing is larger than the
  // first element within the input, it is that.
  largest.where = n.e.cast(sumAlong(n, pool,
                                    [&](int64_t k, int64_t window) {
                                      return firstPlace(pool, k, window) *
                                             pool.dilation[k] *
                                             pool.flatStride(k);
                                    }),
                           DType::I32);
  forEachPlace(pool.kernel, [&](ArrayRef<int64_t> place) {
    int64_t offset = 0;
    for (int64_t k = 0; k < pool.dims(); ++k)
      offset += place[k] * pool.dilation[k] * pool.flatStride(k);
    largest.add(elementsAt(n, pool, x, place),
                n.e.constant(DType::I32, offset));
  });
  n.result(0, largest.value);
  Value start = sumAlong(n, pool, [&](int64_t k, int64_t window) {
    return pool.startOf(k, window) * pool.flatStride(k);
  });
  Value where = n.e.binary("add", n.e.cast(largest.where, DType::I64), start);
  n.result(1, n.e.expand(where, n.resultShape(1)));
}

/// The same by reductions: the first largest element, or the last NaN.
void reducing(NodeBuilder &n, const Pool &pool, Value x) {
  Emitter &e = n.e;
  DType dtype = dtypeOf(x.getType());
  Value windows = windowsOf(n, pool, x);
  SmallVector<int64_t> inner = innerDims(pool);
  Value largest = e.reduce("max", windows, inner, false, dtype);
  Value place = e.reduce("argmax", windows, inner, false, DType::I64);
  if (isFloating(dtype)) {
    SmallVector<int64_t> starts(Emitter::rankOf(windows), 0),
        steps(starts.size(), 1), sizes(Emitter::shapeOf(windows));
    for (int64_t dim : inner) {
      starts[dim] = sizes[dim] - 1;
      steps[dim] = -1;
    }
    Value backwards = e.slice(windows, starts, steps, sizes);
    Value isNan = e.cast(e.test("isnan", backwards), DType::F32);
    Value fromBehind = e.reduce("argmax", isNan, inner, false, DType::I64);
    Value last =
        e.binary("sub", e.constant(DType::I64, pool.places() - 1), fromBehind);
    place = e.select(e.test("isnan", largest), last, place);
  }
  int64_t below = pool.places();
  Value outside = sumAlong(n, pool, [&](int64_t k, int64_t window) {
    int64_t step =
        llvm::product_of(ArrayRef<int64_t>(pool.kernel).drop_front(k + 1));
    return firstPlace(pool, k, window) * step;
  });
  place = e.select(e.compare("eq", largest, e.constant(dtype, lowest(dtype))),
                   outside, place);
  Value where = sumAlong(n, pool, [&](int64_t k, int64_t window) {
    return pool.startOf(k, window) * pool.flatStride(k);
  });
  for (int64_t k = 0; k < pool.dims(); ++k) {
    below /= pool.kernel[k];
    auto number = [&](int64_t value) { return e.constant(DType::I64, value); };
    Value along = e.binary("trunc_div", place, number(below));
    place = e.binary("sub", place, e.binary("mul", along, number(below)));
    where = e.binary(
        "add", where,
        e.binary("mul", along, number(pool.dilation[k] * pool.flatStride(k))));
  }
  n.result(0, largest);
  n.result(1, e.expand(where, n.resultShape(1)));
}

void maxPoolOf(NodeBuilder &n, const Pool &pool) {
  Value x = n.tensor(0);
  DType dtype = n.resultDType(0);
  x = padded(n, pool, x, lowest(dtype));
  bool few = pool.places() <= kMaxUnrolled &&
             llvm::product_of(pool.sizes) < std::numeric_limits<int32_t>::max();
  few ? placeByPlace(n, pool, x) : reducing(n, pool, x);
}

//===----------------------------------------------------------------------===//
// Mean
//===----------------------------------------------------------------------===//

Value sumOf(NodeBuilder &n, const Pool &pool, Value x) {
  x = padded(n, pool, x, int64_t(0));
  if (pool.places() > kMaxUnrolled)
    return n.e.reduce("sum", windowsOf(n, pool, x), innerDims(pool), false,
                      dtypeOf(x.getType()));
  Value sum;
  forEachPlace(pool.kernel, [&](ArrayRef<int64_t> place) {
    Value element = elementsAt(n, pool, x, place);
    sum = sum ? n.e.binary("add", sum, element) : element;
  });
  return sum;
}

/// What the sum of a window is divided by: its elements, with the padding that
/// eager counts.
Value divisorOf(NodeBuilder &n, const Pool &pool, DType dtype,
                bool countsPadding) {
  Value divisor;
  for (int64_t k = 0; k < pool.dims(); ++k) {
    SmallVector<float> numbers;
    for (int64_t window = 0; window < pool.counts[k]; ++window) {
      int64_t start = pool.startOf(k, window);
      int64_t end =
          std::min(start + pool.kernel[k], pool.sizes[k] + pool.padding[k]);
      if (!countsPadding) {
        start = std::max<int64_t>(start, 0);
        end = std::min(end, pool.sizes[k]);
      }
      numbers.push_back(end - start);
    }
    Value part = llvm::all_equal(numbers)
                     ? n.e.constant(DType::F32, double(numbers[0]))
                     : along<float>(n, DType::F32, pool.dims(), k, numbers);
    divisor = divisor ? n.e.binary("mul", divisor, part) : part;
  }
  return n.e.cast(divisor, dtype);
}

} // namespace

/// max_pool*_with_indices(self, kernel_size, stride, padding, dilation,
/// ceil_mode): the number of windows is the result's.
template <int64_t dims> static void maxPool(NodeBuilder &n) {
  maxPoolOf(n, poolOf(n, dims, /*dilates=*/true));
}

/// avg_pool*(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
/// divisor_override)
template <int64_t dims> static void meanPool(NodeBuilder &n) {
  DType dtype = n.resultDType();
  Pool pool = poolOf(n, dims, /*dilates=*/false);
  DType wide = opmath(dtype);
  Value sum = sumOf(n, pool, n.e.cast(n.tensor(0), wide));
  Value divisor = n.isNone(6) ? divisorOf(n, pool, wide, n.flag(5))
                              : n.e.constant(wide, n.integer(6));
  // Of integers, C++'s quotient.
  StringRef divide = isFloating(dtype) ? "div" : "trunc_div";
  n.result(n.e.cast(n.e.binary(divide, sum, divisor), dtype));
}

//===----------------------------------------------------------------------===//
// Adaptive pools: window i of dimension k is [i * size / count,
// ceil((i + 1) * size / count))
//===----------------------------------------------------------------------===//

static int64_t adaptiveStart(int64_t i, int64_t size, int64_t count) {
  return i * size / count;
}
static int64_t adaptiveEnd(int64_t i, int64_t size, int64_t count) {
  return ((i + 1) * size + count - 1) / count;
}

/// Eager refuses windows of nothing; tensors without memory are not asked.
static bool isEmpty(NodeBuilder &n, Value x) {
  bool empty = cast<RankedTensorType>(x.getType()).getNumElements() == 0;
  if (empty)
    n.fail("adaptive pooling of an input without elements; eager refuses it");
  return empty;
}

/// _adaptive_avg_pool*(self, output_size): of windows that differ, sums along
/// one dimension after the other.
template <int64_t dims> static void adaptiveMean(NodeBuilder &n) {
  DType dtype = n.resultDType();
  if (!isFloating(dtype))
    return n.fail("the mean of integers");
  DType wide = opmath(dtype);
  Value x = n.e.cast(n.tensor(0), wide);
  if (isEmpty(n, x))
    return;
  ArrayRef<int64_t> counts = n.resultShape().take_back(dims);
  if (std::optional<Pool> pool = evenPool(x, counts)) {
    Value mean =
        n.e.binary("div", sumOf(n, *pool, x), divisorOf(n, *pool, wide, true));
    return n.result(n.e.cast(mean, dtype));
  }
  Value divisor;
  for (int64_t k = 0; k < dims; ++k) {
    int64_t dim = Emitter::rankOf(x) - dims + k;
    int64_t size = Emitter::shapeOf(x)[dim];
    if (counts[k] > kMaxPieces)
      return n.fail("adaptive pooling to " + Twine(counts[k]) +
                    " windows that do not divide the input");
    SmallVector<Value> sums;
    SmallVector<float> lengths;
    for (int64_t i = 0; i < counts[k]; ++i) {
      int64_t start = adaptiveStart(i, size, counts[k]);
      int64_t length = adaptiveEnd(i, size, counts[k]) - start;
      sums.push_back(n.e.reduce("sum", sliceDim(n.e, x, dim, start, 1, length),
                                dim, true, wide));
      lengths.push_back(length);
    }
    x = n.e.concat(sums, dim);
    Value part = llvm::all_equal(lengths)
                     ? n.e.constant(DType::F32, double(lengths[0]))
                     : along<float>(n, DType::F32, dims, k, lengths);
    divisor = divisor ? n.e.binary("mul", divisor, part) : part;
  }
  n.result(n.e.cast(n.e.binary("div", x, n.e.cast(divisor, wide)), dtype));
}

/// adaptive_max_pool*(self, output_size): windows that differ are as long as
/// the longest, their last elements taken again.
template <int64_t dims> static void adaptiveMax(NodeBuilder &n) {
  Value x = n.tensor(0);
  if (isEmpty(n, x))
    return;
  ArrayRef<int64_t> counts = n.resultShape().take_back(dims);
  if (std::optional<Pool> pool = evenPool(x, counts))
    return maxPoolOf(n, *pool);
  ArrayRef<int64_t> sizes = Emitter::shapeOf(x).take_back(dims);
  SmallVector<int64_t> longest(dims, 1);
  for (int64_t k = 0; k < dims; ++k)
    for (int64_t i = 0; i < counts[k]; ++i)
      longest[k] =
          std::max(longest[k], adaptiveEnd(i, sizes[k], counts[k]) -
                                   adaptiveStart(i, sizes[k], counts[k]));
  if (llvm::product_of(longest) > kMaxUnrolled)
    return n.fail("adaptive pooling by windows of more than " +
                  Twine(kMaxUnrolled) +
                  " elements that do not divide the input");
  auto indexAt = [&](int64_t k, int64_t i, int64_t place) {
    return std::min(adaptiveStart(i, sizes[k], counts[k]) + place,
                    adaptiveEnd(i, sizes[k], counts[k]) - 1);
  };
  Largest largest{n, {}, {}};
  forEachPlace(longest, [&](ArrayRef<int64_t> place) {
    Value element = x;
    SmallVector<int32_t> where(llvm::product_of(counts), 0);
    int64_t inner = where.size(), flat = llvm::product_of(sizes);
    for (int64_t k = 0; k < dims; ++k) {
      SmallVector<int64_t> indices;
      for (int64_t i = 0; i < counts[k]; ++i)
        indices.push_back(indexAt(k, i, place[k]));
      if (element)
        element = takeDim(n.e, element, Emitter::rankOf(x) - dims + k, indices);
      inner /= counts[k];
      flat /= sizes[k];
      for (auto [at, index] : llvm::enumerate(where))
        index += indices[at / inner % counts[k]] * flat;
    }
    if (!element)
      return n.fail("adaptive pooling by windows that are too irregular");
    Value index = n.e.constantData(
        DType::I32, counts,
        ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(where.data()),
                          where.size() * sizeof(int32_t)));
    if (!largest.where)
      largest.where = index;
    largest.add(element, index);
  });
  if (!largest.value)
    return;
  n.result(0, largest.value);
  n.result(1,
           n.e.expand(n.e.cast(largest.where, DType::I64), n.resultShape(1)));
}

static const AtenRow kRows[] = {
    {"aten.max_pool2d_with_indices.default", maxPool<2>, "maximum"},
    {"aten.max_pool3d_with_indices.default", maxPool<3>, "maximum"},
    {"aten.avg_pool1d.default", meanPool<1>, "div"},
    {"aten.avg_pool2d.default", meanPool<2>, "div"},
    {"aten.avg_pool3d.default", meanPool<3>, "div"},
    {"aten._adaptive_avg_pool2d.default", adaptiveMean<2>, "div"},
    {"aten._adaptive_avg_pool3d.default", adaptiveMean<3>, "div"},
    {"aten.adaptive_max_pool2d.default", adaptiveMax<2>, "maximum"},
    {"aten.adaptive_max_pool3d.default", adaptiveMax<3>, "maximum"},
};

ArrayRef<AtenRow> import::poolRows() { return kRows; }

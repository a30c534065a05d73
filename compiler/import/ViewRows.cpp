//===- ViewRows.cpp - ATen overloads that only reinterpret ----------------===//
//
// Views have no identity in the neuron dialect: each is a function of the
// viewed value. That an output is a view of an input is found separately, see
// Importer.cpp.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/Movement.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// Row-major order of the logical elements is kept, whatever the strides.
static void reshapeToResult(NodeBuilder &n) {
  n.result(n.e.reshape(n.tensor(0), n.resultShape()));
}

static void identity(NodeBuilder &n) { n.result(n.tensor(0)); }

static void expand(NodeBuilder &n) {
  n.result(n.e.expand(n.tensor(0), n.resultShape()));
}

static void permute(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> permutation;
  for (int64_t index : n.ints(1))
    permutation.push_back(n.dim(index, x));
  n.result(n.e.permute(x, permutation));
}

static Value transposed(NodeBuilder &n, Value x, int64_t a, int64_t b) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, Emitter::rankOf(x)));
  if (!permutation.empty())
    std::swap(permutation[a], permutation[b]);
  return n.e.permute(x, permutation);
}
static void transpose(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(transposed(n, x, n.dim(n.integer(1), x), n.dim(n.integer(2), x)));
}
static void matrixTranspose(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(Emitter::rankOf(x) < 2 ? x : transposed(n, x, 0, 1));
}

/// slice(self, dim, start, end, step): the size is the result's.
static void slice(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x), extent = Emitter::shapeOf(x)[dim];
  int64_t start = n.isNone(2) ? 0 : n.integer(2);
  start = std::clamp<int64_t>(start < 0 ? start + extent : start, 0, extent);
  n.result(sliceDim(n.e, x, dim, start, n.integer(4), n.resultShape()[dim]));
}

/// narrow_copy(self, dim, start, length)
static void narrowCopy(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x), start = n.integer(2);
  if (start < 0)
    start += Emitter::shapeOf(x)[dim];
  n.result(sliceDim(n.e, x, dim, start, 1, n.resultShape()[dim]));
}

static Value selected(NodeBuilder &n, Value x, int64_t dim, int64_t index,
                      ArrayRef<int64_t> shape) {
  if (index < 0)
    index += Emitter::shapeOf(x)[dim];
  return n.e.reshape(sliceDim(n.e, x, dim, index, 1, 1), shape);
}
static void select(NodeBuilder &n) {
  Value x = n.tensor(0);
  n.result(
      selected(n, x, n.dim(n.integer(1), x), n.integer(2), n.resultShape()));
}
static void unbind(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x);
  for (unsigned i = 0; i < n.node.results.size(); ++i)
    n.result(i, selected(n, x, dim, i, n.resultShape(i)));
}
/// split by one size or by sizes: those of the results.
static void split(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(2), x), start = 0;
  for (unsigned i = 0; i < n.node.results.size(); ++i) {
    int64_t size = n.resultShape(i)[dim];
    n.result(i, sliceDim(n.e, x, dim, start, 1, size));
    start += size;
  }
}

/// The two dimensions go last, are cut to where the diagonal starts and merged:
/// the diagonal is then every (columns + 1)-th element.
static void diagonal(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t offset = n.integer(1), first = n.dim(n.integer(2), x),
          second = n.dim(n.integer(3), x);
  int64_t rank = Emitter::rankOf(x), count = n.resultShape().back();
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    if (i != first && i != second)
      permutation.push_back(i);
  permutation.append({first, second});
  x = n.e.permute(x, permutation);
  SmallVector<int64_t> merged(Emitter::shapeOf(x).drop_back(2));
  int64_t columns = Emitter::shapeOf(x).back();
  merged.push_back(Emitter::shapeOf(x)[rank - 2] * columns);
  int64_t start = offset >= 0 ? offset : -offset * columns;
  n.result(sliceDim(n.e, n.e.reshape(x, merged), rank - 2, start, columns + 1,
                    count));
}

/// repeat(self, repeats): each size s that repeats becomes (r, s), the r
/// repeated, then merged; neighbours that do not repeat are one.
static void repeat(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> repeats = n.ints(1), single, wide;
  int64_t extra = repeats.size() - Emitter::rankOf(x);
  bool open = false; // the last size may take another that does not repeat
  for (auto [index, count] : llvm::enumerate(repeats)) {
    int64_t size = static_cast<int64_t>(index) < extra
                       ? 1
                       : Emitter::shapeOf(x)[index - extra];
    if (count != 1) {
      single.push_back(1);
      wide.push_back(count);
      open = false;
    }
    if (open) {
      single.back() *= size;
      wide.back() *= size;
    } else {
      single.push_back(size);
      wide.push_back(size);
    }
    open = count == 1;
  }
  if (single.size() <= Emitter::kMaxRank)
    return n.result(
        n.e.reshape(n.e.expand(n.e.reshape(x, single), wide), n.resultShape()));
  // More dimensions than there are: one after the other.
  SmallVector<int64_t> shape(extra, 1);
  llvm::append_range(shape, Emitter::shapeOf(x));
  x = n.e.reshape(x, shape);
  for (auto [dim, count] : llvm::enumerate(repeats))
    if (count != 1)
      x = n.e.concat(SmallVector<Value>(count, x), dim);
  n.result(x);
}

/// unfold(self, dimension, size, step): the elements of a window go last.
static void unfold(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t size = n.integer(2), step = n.integer(3);
  if (Emitter::rankOf(x) == 0)
    return n.result(n.e.reshape(x, n.resultShape()));
  int64_t dim = n.dim(n.integer(1), x);
  x = n.e.window(x, dim, n.resultShape()[dim], size, step, 1);
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < Emitter::rankOf(x); ++i)
    if (i != dim + 1)
      permutation.push_back(i);
  permutation.push_back(dim + 1);
  n.result(n.e.permute(x, permutation));
}

/// The elements of a tensor in the order of memory, if it fills that.
static Value inMemoryOrder(NodeBuilder &n, Value x, const TensorMeta &meta) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, meta.shape.size()));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return meta.strides[a] > meta.strides[b];
  });
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(order)) {
    if (meta.shape[dim] == 1)
      continue;
    if (meta.strides[dim] != stride)
      return {};
    stride *= meta.shape[dim];
  }
  return n.e.reshape(n.e.permute(x, order), {stride});
}

/// as_strided(self, size, stride, storage_offset): windows of windows; each
/// reaches as far as those inside it do.
static void asStrided(NodeBuilder &n) {
  const TensorMeta *meta = n.meta(0);
  SmallVector<int64_t> sizes = n.ints(1), strides = n.ints(2);
  if (sizes.size() >= Emitter::kMaxRank)
    return n.fail("as_strided to more than " + Twine(Emitter::kMaxRank - 1) +
                  " dimensions");
  if (!meta || sizes.size() != strides.size())
    return n.fail("as_strided without known strides");
  int64_t offset =
      (n.isNone(3) ? meta->storageOffset : n.integer(3)) - meta->storageOffset;
  Value x = inMemoryOrder(n, n.tensor(0), *meta);
  if (!x)
    return n.fail("as_strided of a tensor whose memory has gaps or overlaps");
  int64_t reach = 1;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    reach += (size - 1) * stride;
  if (offset < 0 || offset + reach > Emitter::shapeOf(x)[0])
    return n.fail("as_strided beyond the elements of its operand");
  x = sliceDim(n.e, x, 0, offset, 1, reach);
  SmallVector<int64_t> outer;
  for (auto [dim, sizeAndStride] : llvm::enumerate(llvm::zip(sizes, strides))) {
    auto [size, stride] = sizeAndStride;
    reach -= (size - 1) * stride;
    outer.push_back(size);
    if (stride != 0) {
      x = n.e.window(x, dim, size, reach, stride, 1);
      continue;
    }
    SmallVector<int64_t> shape(outer);
    shape.push_back(reach);
    SmallVector<int64_t> single(shape);
    single[dim] = 1;
    x = n.e.expand(n.e.reshape(x, single), shape);
  }
  n.result(n.e.reshape(x, n.resultShape()));
}

/// view(dtype): to a dtype of the same width, where any bits are a value.
static void viewDType(NodeBuilder &n) {
  Value x = n.tensor(0);
  DType from = dtypeOf(x.getType()), to = n.resultDType();
  if (from == to)
    return n.result(x);
  if (program::bytesOf(from) != program::bytesOf(to))
    return n.fail("reinterpreting the bits of a tensor as a dtype of another "
                  "width");
  if (isBool(to))
    return n.fail("reinterpreting the bits of a tensor as bool");
  // What makes or reads halves may leave out their rounding (passes/graph).
  if (program::bytesOf(from) == 2 && (isFloating(from) || isFloating(to)))
    return n.fail("reinterpreting the bits of half precision");
  if (isBool(from)) // bytes that are 0 or 1
    x = n.e.cast(x, DType::U8);
  n.result(dtypeOf(x.getType()) == to ? x : n.e.bitcast(x, to));
}

static const AtenRow kRows[] = {
    {"aten.view.default", reshapeToResult, "reshape", kView},
    {"aten.reshape.default", reshapeToResult, "reshape"},
    {"aten._unsafe_view.default", reshapeToResult, "reshape"},
    {"aten._reshape_alias.default", reshapeToResult, "reshape", kView},
    {"aten.squeeze.default", reshapeToResult, "reshape", kView},
    {"aten.squeeze.dim", reshapeToResult, "reshape", kView},
    {"aten.squeeze.dims", reshapeToResult, "reshape", kView},
    {"aten.unsqueeze.default", reshapeToResult, "reshape", kView},
    {"aten.view.dtype", viewDType, "", kView},
    {"aten.expand.default", expand, "expand", kView},
    {"aten.permute.default", permute, "permute", kView},
    {"aten.transpose.int", transpose, "permute", kView},
    {"aten.t.default", matrixTranspose, "permute", kView},
    {"aten.slice.Tensor", slice, "slice", kView},
    {"aten.select.int", select, "slice", kView},
    {"aten.unbind.int", unbind, "slice", kView},
    {"aten.split.Tensor", split, "slice", kView},
    {"aten.split_with_sizes.default", split, "slice", kView},
    {"aten.diagonal.default", diagonal, "slice", kView},
    {"aten.unfold.default", unfold, "window", kView},
    {"aten.as_strided.default", asStrided, "window", kView},
    {"aten.unfold_copy.default", unfold, "window"},
    {"aten.as_strided_copy.default", asStrided, "window"},
    {"aten.split_with_sizes_copy.default", split, "slice"},
    {"aten._reshape_copy.default", reshapeToResult, "reshape"},
    {"aten.view_copy.default", reshapeToResult, "reshape"},
    {"aten.squeeze_copy.default", reshapeToResult, "reshape"},
    {"aten.unsqueeze_copy.default", reshapeToResult, "reshape"},
    {"aten.expand_copy.default", expand, "expand"},
    {"aten.permute_copy.default", permute, "permute"},
    {"aten.unbind_copy.int", unbind, "slice"},
    {"aten.narrow_copy.default", narrowCopy, "slice"},
    {"aten.repeat.default", repeat, "expand"},
    {"aten.alias.default", identity, "", kView},
    {"aten.detach.default", identity, "", kView},
    {"prims.view_of.default", identity, "", kView},
};

ArrayRef<AtenRow> import::viewRows() { return kRows; }

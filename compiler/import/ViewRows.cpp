//===- ViewRows.cpp - ATen overloads that only reinterpret
//----------------------===//
//
// Views have no identity in the neuron dialect: each is a function of the
// viewed value. That an output is a view of an input is found separately, see
// Importer.cpp.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/NodeBuilder.h"

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

/// `size` elements of dimension `dim` from `start` on, every `step`-th.
static Value sliced(NodeBuilder &n, Value x, int64_t dim, int64_t start,
                    int64_t step, int64_t size) {
  SmallVector<int64_t> starts(Emitter::rankOf(x), 0),
      steps(Emitter::rankOf(x), 1);
  SmallVector<int64_t> sizes(Emitter::shapeOf(x));
  starts[dim] = start;
  steps[dim] = step;
  sizes[dim] = size;
  return n.e.slice(x, starts, steps, sizes);
}

/// slice(self, dim, start, end, step): the size is the result's.
static void slice(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x), extent = Emitter::shapeOf(x)[dim];
  int64_t start = n.isNone(2) ? 0 : n.integer(2);
  start = std::clamp<int64_t>(start < 0 ? start + extent : start, 0, extent);
  n.result(sliced(n, x, dim, start, n.integer(4), n.resultShape()[dim]));
}

/// narrow_copy(self, dim, start, length)
static void narrowCopy(NodeBuilder &n) {
  Value x = n.tensor(0);
  int64_t dim = n.dim(n.integer(1), x), start = n.integer(2);
  if (start < 0)
    start += Emitter::shapeOf(x)[dim];
  n.result(sliced(n, x, dim, start, 1, n.resultShape()[dim]));
}

static Value selected(NodeBuilder &n, Value x, int64_t dim, int64_t index,
                      ArrayRef<int64_t> shape) {
  if (index < 0)
    index += Emitter::shapeOf(x)[dim];
  return n.e.reshape(sliced(n, x, dim, index, 1, 1), shape);
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
    n.result(i, sliced(n, x, dim, start, 1, size));
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
  n.result(
      sliced(n, n.e.reshape(x, merged), rank - 2, start, columns + 1, count));
}

/// repeat(self, repeats): each size s becomes (r, s), the r repeated, then
/// merged.
static void repeat(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> repeats = n.ints(1), single, wide;
  int64_t extra = repeats.size() - Emitter::rankOf(x);
  for (auto [index, count] : llvm::enumerate(repeats)) {
    int64_t size = static_cast<int64_t>(index) < extra
                       ? 1
                       : Emitter::shapeOf(x)[index - extra];
    single.append({1, size});
    wide.append({count, size});
  }
  if (single.size() > 8) // the dialect's limit: keep only what repeats
    return n.fail("repeat of more than 4 dimensions");
  n.result(
      n.e.reshape(n.e.expand(n.e.reshape(x, single), wide), n.resultShape()));
}

/// view(dtype): only the trivial one.
static void viewDType(NodeBuilder &n) {
  Value x = n.tensor(0);
  if (dtypeOf(x.getType()) != n.resultDType())
    return n.fail("reinterpreting the bits of a tensor as another dtype");
  n.result(x);
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

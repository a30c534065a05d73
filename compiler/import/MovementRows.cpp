//===- MovementRows.cpp - ATen overloads that move elements ---------------===//
//
// Concats of views and constants; nothing is computed.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/Movement.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// cat(tensors, dim)
static void cat(NodeBuilder &n) {
  SmallVector<Value> parts;
  for (Value tensor : n.tensors(0)) {
    // An empty tensor of one dimension goes with any others.
    bool isNothing = Emitter::shapeOf(tensor) == ArrayRef<int64_t>{0};
    if (!isNothing)
      parts.push_back(n.e.cast(tensor, n.resultDType()));
  }
  if (parts.empty())
    return n.fail("no tensors");
  n.result(n.e.concat(parts, n.dim(n.integer(1), parts[0])));
}

/// flip(self, dims)
static void flip(NodeBuilder &n) {
  Value x = n.tensor(0);
  if (Emitter::rankOf(x) == 0)
    return n.result(x);
  SmallVector<int64_t> starts(Emitter::rankOf(x), 0), steps(starts.size(), 1);
  for (int64_t index : n.ints(1)) {
    int64_t dim = n.dim(index, x);
    starts[dim] = Emitter::shapeOf(x)[dim] - 1;
    steps[dim] = -1;
  }
  SmallVector<int64_t> sizes(Emitter::shapeOf(x));
  n.result(n.e.slice(x, starts, steps, sizes));
}

/// roll(self, shifts, dims=[]): without dims, of all elements as one row.
static void roll(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> shifts = n.ints(1), dims = n.ints(2);
  SmallVector<int64_t> shape(Emitter::shapeOf(x));
  if (dims.empty()) {
    x = n.e.reshape(x, {cast<RankedTensorType>(x.getType()).getNumElements()});
    dims = {0};
  }
  if (shifts.size() != dims.size())
    return n.fail("not one shift for each dimension");
  if (shape.empty())
    return n.result(n.tensor(0));
  for (auto [shift, index] : llvm::zip(shifts, dims)) {
    int64_t dim = n.dim(index, x), size = Emitter::shapeOf(x)[dim];
    int64_t split = ((-shift % size) + size) % size;
    x = n.e.concat({sliceDim(n.e, x, dim, split, 1, size - split),
                    sliceDim(n.e, x, dim, 0, 1, split)},
                   dim);
  }
  n.result(n.e.reshape(x, shape));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// constant_pad_nd(self, pad, value): pairs of counts, the last dimension
/// first.
static void constantPad(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> pad = n.ints(1);
  for (size_t i = 0; i + 1 < pad.size(); i += 2)
    x = padDim(n.e, x, Emitter::rankOf(x) - 1 - i / 2, pad[i], pad[i + 1],
               n.number(2));
  n.result(x);
}

/// Padding by other elements of the row: `source` says which element stands at
/// place i of a row of `size`.
static void padByTaking(NodeBuilder &n,
                        int64_t (*source)(int64_t i, int64_t size)) {
  Value x = n.tensor(0);
  SmallVector<int64_t> pad = n.ints(1);
  for (size_t k = 0; k + 1 < pad.size(); k += 2) {
    int64_t dim = Emitter::rankOf(x) - 1 - k / 2;
    int64_t size = Emitter::shapeOf(x)[dim];
    SmallVector<int64_t> indices;
    for (int64_t i = -pad[k]; i < size + pad[k + 1]; ++i)
      indices.push_back(source(i, size));
    x = takeDim(n.e, x, dim, indices);
    if (!x)
      return n.fail("padding that is too irregular");
  }
  n.result(x);
}

static void reflectionPad(NodeBuilder &n) {
  padByTaking(n, [](int64_t i, int64_t size) {
    int64_t at = std::abs(i);
    return at < size ? at : 2 * (size - 1) - at;
  });
}
static void replicationPad(NodeBuilder &n) {
  padByTaking(n, [](int64_t i, int64_t size) {
    return std::clamp<int64_t>(i, 0, size - 1);
  });
}
//===----------------------------------------------------------------------===//
// A part replaced
//===----------------------------------------------------------------------===//

/// slice_scatter(self, src, dim, start, end, step)
static void sliceScatter(NodeBuilder &n) {
  Value x = n.tensor(0), source = n.e.cast(n.tensor(1), n.resultDType());
  int64_t dim = n.dim(n.integer(2), x), extent = Emitter::shapeOf(x)[dim];
  int64_t start = n.isNone(3) ? 0 : n.integer(3);
  start = std::clamp<int64_t>(start < 0 ? start + extent : start, 0, extent);
  n.result(replaceDim(n.e, x, source, dim, start, n.integer(5)));
}

/// select_scatter(self, src, dim, index)
static void selectScatter(NodeBuilder &n) {
  Value x = n.tensor(0), source = n.e.cast(n.tensor(1), n.resultDType());
  int64_t dim = n.dim(n.integer(2), x), index = n.integer(3);
  SmallVector<int64_t> single(Emitter::shapeOf(x));
  if (index < 0)
    index += single[dim];
  single[dim] = 1;
  n.result(replaceDim(n.e, x, n.e.reshape(source, single), dim, index, 1));
}

/// diagonal_scatter(self, src, offset, dim1, dim2): of the two dimensions as
/// one, the diagonal is every (columns + 1)-th element.
static void diagonalScatter(NodeBuilder &n) {
  Value x = n.tensor(0), source = n.e.cast(n.tensor(1), n.resultDType());
  int64_t offset = n.integer(2), first = n.dim(n.integer(3), x),
          second = n.dim(n.integer(4), x);
  int64_t rank = Emitter::rankOf(x);
  SmallVector<int64_t> permutation, back(rank);
  for (int64_t i = 0; i < rank; ++i)
    if (i != first && i != second)
      permutation.push_back(i);
  permutation.append({first, second});
  for (auto [to, from] : llvm::enumerate(permutation))
    back[from] = to;
  x = n.e.permute(x, permutation);
  SmallVector<int64_t> shape(Emitter::shapeOf(x));
  int64_t columns = shape.back();
  SmallVector<int64_t> merged(ArrayRef<int64_t>(shape).drop_back(2));
  merged.push_back(shape[rank - 2] * columns);
  int64_t start = offset >= 0 ? offset : -offset * columns;
  x = replaceDim(n.e, n.e.reshape(x, merged), source, rank - 2, start,
                 columns + 1);
  n.result(n.e.permute(n.e.reshape(x, shape), back));
}

//===----------------------------------------------------------------------===//
// Patches of images
//===----------------------------------------------------------------------===//

namespace {

/// Arguments of im2col and col2im: two numbers each.
struct Patches {
  SmallVector<int64_t> kernel, dilation, padding, stride;

  Patches(NodeBuilder &n, unsigned at)
      : kernel(n.ints(at)), dilation(n.ints(at + 1)), padding(n.ints(at + 2)),
        stride(n.ints(at + 3)) {
    for (auto *list : {&kernel, &dilation, &padding, &stride})
      if (list->size() == 1)
        list->push_back(list->front());
  }
  /// How many patches lie along a dimension of `size`.
  int64_t count(unsigned k, int64_t size) const {
    return (size + 2 * padding[k] - dilation[k] * (kernel[k] - 1) - 1) /
               stride[k] +
           1;
  }
};

} // namespace

/// im2col(self, kernel_size, dilation, padding, stride)
static void im2col(NodeBuilder &n) {
  Value x = n.tensor(0);
  Patches patches(n, 1);
  SmallVector<int64_t> shape(Emitter::shapeOf(x));
  if (shape.size() == 3)
    shape.insert(shape.begin(), 1);
  x = n.e.reshape(x, shape);
  for (unsigned k = 0; k < 2; ++k)
    x = padDim(n.e, x, 2 + k, patches.padding[k], patches.padding[k],
               int64_t(0));
  for (unsigned k = 0; k < 2; ++k)
    x = n.e.window(x, 2 + 2 * k, patches.count(k, shape[2 + k]),
                   patches.kernel[k], patches.stride[k], patches.dilation[k]);
  n.result(n.e.reshape(n.e.permute(x, {0, 1, 3, 5, 2, 4}), n.resultShape()));
}

/// col2im(self, output_size, kernel_size, dilation, padding, stride): the sum
/// over the places in a patch, each a padded image.
static void col2im(NodeBuilder &n) {
  Value x = n.tensor(0);
  SmallVector<int64_t> output = n.ints(1);
  Patches patches(n, 2);
  if (output.size() == 1)
    output.push_back(output[0]);
  ArrayRef<int64_t> result = n.resultShape();
  int64_t images = result.size() == 4 ? result[0] : 1,
          channels = result[result.size() - 3];
  int64_t counts[2] = {patches.count(0, output[0]),
                       patches.count(1, output[1])};
  x = n.e.reshape(x, {images, channels, patches.kernel[0], patches.kernel[1],
                      counts[0], counts[1]});
  DType dtype = n.resultDType();
  x = n.e.cast(x, opmath(dtype));
  Value sum;
  for (int64_t i = 0; i < patches.kernel[0]; ++i)
    for (int64_t j = 0; j < patches.kernel[1]; ++j) {
      Value part = sliceDim(n.e, sliceDim(n.e, x, 2, i, 1, 1), 3, j, 1, 1);
      part = n.e.reshape(part, {images, channels, counts[0], counts[1]});
      int64_t place[2] = {i, j};
      for (unsigned k = 0; k < 2; ++k) {
        int64_t dim = 2 + k;
        int64_t before = place[k] * patches.dilation[k] - patches.padding[k];
        part = spreadDim(n.e, part, dim, patches.stride[k] - 1, int64_t(0));
        part = padDim(n.e, part, dim, before,
                      output[k] - before - Emitter::shapeOf(part)[dim],
                      int64_t(0));
      }
      sum = sum ? n.e.binary("add", sum, part) : part;
    }
  n.result(n.e.reshape(n.e.cast(sum, dtype), result));
}

/// tril_indices, triu_indices(row, col, offset)
template <bool lower> static void triangleIndices(NodeBuilder &n) {
  int64_t rows = n.integer(0), columns = n.integer(1), offset = n.integer(2);
  SmallVector<int64_t> indices[2];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      if (lower ? c - r <= offset : c - r >= offset) {
        indices[0].push_back(r);
        indices[1].push_back(c);
      }
  indices[0].append(indices[1]);
  ArrayRef<int64_t> all(indices[0]);
  Value value = n.e.constantData(
      DType::I64, n.resultShape(),
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(all.data()),
                        all.size() * sizeof(int64_t)));
  n.result(n.e.cast(value, n.resultDType()));
}

static const AtenRow kRows[] = {
    {"aten.cat.default", cat, "concat"},
    {"aten.flip.default", flip, "slice"},
    {"aten.roll.default", roll, "concat"},
    {"aten.constant_pad_nd.default", constantPad, "concat"},
    {"aten.reflection_pad1d.default", reflectionPad, "concat"},
    {"aten.reflection_pad2d.default", reflectionPad, "concat"},
    {"aten.reflection_pad3d.default", reflectionPad, "concat"},
    {"aten.replication_pad1d.default", replicationPad, "concat"},
    {"aten.replication_pad2d.default", replicationPad, "concat"},
    {"aten.replication_pad3d.default", replicationPad, "concat"},
    {"aten.slice_scatter.default", sliceScatter, "concat"},
    {"aten.select_scatter.default", selectScatter, "concat"},
    {"aten.diagonal_scatter.default", diagonalScatter, "concat"},
    {"aten.im2col.default", im2col, "window"},
    {"aten.col2im.default", col2im, "add"},
    {"aten.tril_indices.default", triangleIndices<true>, "constant"},
    {"aten.triu_indices.default", triangleIndices<false>, "constant"},
};

ArrayRef<AtenRow> import::movementRows() { return kRows; }

//===- ConvolutionRows.cpp - ATen overloads that convolve -----------------===//
//
// A convolution is one neuron.matmul of the weights with overlapping windows of
// the padded input, both views: batch dimensions are images and groups, the
// contracted ones a group's channels and the places of the kernel. Where a
// group has one channel, it is a sum over the places of the kernel, each a
// slice times a weight, from the first place on. A transposed convolution is
// one of the input spread by zeros, with the weights turned round.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/Movement.h"
#include <algorithm>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

namespace {

struct Convolution {
  Value x;      ///< [images, groups, channels, sizes...], padded
  Value weight; ///< [groups, outputs, channels, kernel...]
  SmallVector<int64_t> stride, dilation, counts; ///< counts: of windows
  DType wide;                                    ///< in which sums are made

  int64_t dims() const { return stride.size(); }
  int64_t images() const { return Emitter::shapeOf(x)[0]; }
  int64_t groups() const { return Emitter::shapeOf(x)[1]; }
  int64_t channels() const { return Emitter::shapeOf(x)[2]; }
  int64_t outputs() const { return Emitter::shapeOf(weight)[1]; }
  ArrayRef<int64_t> kernel() const {
    return Emitter::shapeOf(weight).drop_front(3);
  }
};

SmallVector<int64_t> joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> result(a);
  result.append(b.begin(), b.end());
  return result;
}

/// One channel a group: [images, groups, outputs, counts...].
Value placeByPlace(NodeBuilder &n, const Convolution &c) {
  Emitter &e = n.e;
  Value x = e.cast(c.x, c.wide), weight = e.cast(c.weight, c.wide), sum;
  SmallVector<int64_t> place(c.dims(), 0);
  while (true) {
    Value part = x, factor = weight;
    for (int64_t k = 0; k < c.dims(); ++k) {
      part = sliceDim(e, part, 3 + k, place[k] * c.dilation[k], c.stride[k],
                      c.counts[k]);
      factor = sliceDim(e, factor, 3 + k, place[k], 1, 1);
    }
    factor = e.reshape(factor, joined({c.groups(), c.outputs()},
                                      SmallVector<int64_t>(c.dims(), 1)));
    Value term = e.binary("mul", part, factor);
    sum = sum ? e.binary("add", sum, term) : term;
    int64_t k = c.dims();
    while (k > 0 && ++place[k - 1] == c.kernel()[k - 1])
      place[--k] = 0;
    if (k == 0)
      return sum;
  }
}

/// An input [..., sizes...] as windows, and where their dimensions are.
struct Windows {
  Value x; ///< [..., (counts, kernel)...]
  SmallVector<int64_t> counts, kernel;
};

Windows windowsOf(Emitter &e, const Convolution &c, Value x) {
  Windows made{x, {}, {}};
  int64_t first = Emitter::rankOf(x) - c.dims();
  for (int64_t k = 0; k < c.dims(); ++k) {
    int64_t dim = first + 2 * k;
    made.x = e.window(made.x, dim, c.counts[k], c.kernel()[k], c.stride[k],
                      c.dilation[k]);
    made.counts.push_back(dim);
    made.kernel.push_back(dim + 1);
  }
  return made;
}

/// [batch..., outputs, counts...] of weights [batch..., outputs, channels,
/// kernel...] and an input [batch..., channels, sizes...].
Value product(NodeBuilder &n, const Convolution &c, Value weight, Value x) {
  Emitter &e = n.e;
  int64_t batch = Emitter::rankOf(weight) - 2 - c.dims();
  Windows windows = windowsOf(e, c, x);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, batch + 1));
  order = joined(joined(order, windows.kernel), windows.counts);
  return e.matmul(weight, e.permute(windows.x, order), batch, 1 + c.dims(),
                  c.wide);
}

/// [images, groups, outputs, counts...]
Value contracted(NodeBuilder &n, const Convolution &c) {
  Emitter &e = n.e;
  SmallVector<int64_t> shape =
      joined({c.images(), c.groups(), c.outputs()}, c.counts);
  SmallVector<int64_t> batch;
  if (c.images() != 1)
    batch.push_back(c.images());
  if (c.groups() != 1)
    batch.push_back(c.groups());
  ArrayRef<int64_t> ofX = Emitter::shapeOf(c.x).drop_front(2),
                    ofWeight = Emitter::shapeOf(c.weight).drop_front(1);
  Value weight = c.weight;
  if (c.images() != 1)
    weight = e.expand(c.groups() == 1 ? e.reshape(weight, ofWeight) : weight,
                      joined(batch, ofWeight));
  else
    weight = e.reshape(weight, joined(batch, ofWeight));
  Value x = e.reshape(c.x, joined(batch, ofX));
  return e.reshape(product(n, c, weight, x), shape);
}

/// Columns that one instruction of the Tensor engine multiplies. With fewer, it
/// is worth more to have the images beside each other in one product than to
/// have the result in its order.
constexpr int64_t kColumns = 512;

/// The images are columns as well: a product for each group, for images that
/// are small. Gradients of weights are such: their images are the channels, and
/// their windows the places of the kernel.
Value besideEachOther(NodeBuilder &n, const Convolution &c) {
  Emitter &e = n.e;
  SmallVector<int64_t> groups;
  if (c.groups() != 1)
    groups.push_back(c.groups());
  int64_t batch = groups.size();
  Value weight = e.reshape(
      c.weight, joined(groups, Emitter::shapeOf(c.weight).drop_front(1)));
  Value x = e.reshape(c.x, joined(joined({c.images()}, groups),
                                  Emitter::shapeOf(c.x).drop_front(2)));
  Windows windows = windowsOf(e, c, x);
  // The images go behind the kernel: they are columns.
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(1, batch + 2));
  order = joined(joined(order, windows.kernel), {0});
  order = joined(order, windows.counts);
  Value made = e.matmul(weight, e.permute(windows.x, order), batch,
                        1 + c.dims(), c.wide);
  made =
      e.reshape(made, joined({c.groups(), c.outputs(), c.images()}, c.counts));
  SmallVector<int64_t> back =
      llvm::to_vector(llvm::seq<int64_t>(0, 3 + c.dims()));
  std::rotate(back.begin(), back.begin() + 2, back.begin() + 3);
  return e.permute(made, back);
}

bool isForImagesBesideEachOther(const Convolution &c) {
  return c.images() > 1 && llvm::product_of(c.counts) < kColumns;
}

/// Weights of a transposed convolution, [channels of all groups, outputs,
/// kernel...], as those of the convolution that it is.
Value turned(NodeBuilder &n, Value weight, int64_t groups) {
  Emitter &e = n.e;
  ArrayRef<int64_t> kernel = Emitter::shapeOf(weight).drop_front(2);
  int64_t channels = Emitter::shapeOf(weight)[0] / groups,
          outputs = Emitter::shapeOf(weight)[1];
  weight = e.reshape(weight, joined({groups, channels, outputs}, kernel));
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, Emitter::rankOf(weight)));
  std::swap(permutation[1], permutation[2]);
  weight = e.permute(weight, permutation);
  SmallVector<int64_t> sizes(Emitter::shapeOf(weight)), starts(sizes.size(), 0),
      steps(sizes.size(), 1);
  for (size_t d = 3; d < sizes.size(); ++d) {
    starts[d] = sizes[d] - 1;
    steps[d] = -1;
  }
  return e.slice(weight, starts, steps, sizes);
}

} // namespace

/// convolution(input, weight, bias, stride, padding, dilation, transposed,
/// output_padding, groups); without images, the input has a dimension less.
static void convolution(NodeBuilder &n) {
  Emitter &e = n.e;
  Value x = n.tensor(0), weight = n.tensor(1);
  DType dtype = n.resultDType();
  int64_t dims = Emitter::rankOf(weight) - 2;
  if (dims < 1 || dims > 3)
    return n.fail("a convolution of " + Twine(dims) + " dimensions");
  auto list = [&](unsigned index) {
    SmallVector<int64_t> numbers = n.ints(index);
    if (numbers.size() == 1)
      numbers.assign(dims, numbers[0]);
    numbers.resize(dims, 1);
    return numbers;
  };
  Convolution c;
  c.wide = opmath(dtype);
  c.stride = list(3);
  c.dilation = list(5);
  SmallVector<int64_t> padding = list(4), extra = list(7);
  bool transposed = n.flag(6);
  int64_t groups = n.integer(8);
  ArrayRef<int64_t> result = n.resultShape();
  c.counts.assign(result.take_back(dims).begin(), result.end());
  SmallVector<int64_t> shape(Emitter::shapeOf(x).take_back(dims));
  int64_t channels = Emitter::shapeOf(x)[Emitter::rankOf(x) - dims - 1];
  int64_t images = Emitter::rankOf(x) == dims + 2 ? Emitter::shapeOf(x)[0] : 1;
  c.x = e.reshape(x, joined({images, groups, channels / groups}, shape));
  ArrayRef<int64_t> kernel = Emitter::shapeOf(weight).drop_front(2);
  if (channels == 0) // a sum of nothing
    return n.fail("a convolution of no channels");
  for (int64_t k = 0; k < dims; ++k) {
    int64_t before = padding[k], after = padding[k];
    if (transposed) {
      c.x = spreadDim(e, c.x, 3 + k, c.stride[k] - 1, int64_t(0));
      before = c.dilation[k] * (kernel[k] - 1) - padding[k];
      after = before + extra[k];
    }
    c.x = padDim(e, c.x, 3 + k, before, after, int64_t(0));
  }
  if (transposed) {
    c.stride.assign(dims, 1);
    c.weight = turned(n, weight, groups);
  } else {
    int64_t outputs = Emitter::shapeOf(weight)[0] / groups;
    c.weight = e.reshape(
        weight, joined({groups, outputs}, joined({channels / groups}, kernel)));
  }
  Value made = c.channels() == 1 && c.groups() > 1 ? placeByPlace(n, c)
               : isForImagesBesideEachOther(c)     ? besideEachOther(n, c)
                                                   : contracted(n, c);
  made = e.reshape(made, result);
  if (!n.isNone(2)) {
    SmallVector<int64_t> along(dims + 1, 1);
    along[0] = c.groups() * c.outputs();
    made = e.binary("add", made, e.reshape(e.cast(n.tensor(2), c.wide), along));
  }
  n.result(e.cast(made, dtype));
}

static const AtenRow kRows[] = {
    {"aten.convolution.default", convolution, "matmul"},
};

ArrayRef<AtenRow> import::convolutionRows() { return kRows; }

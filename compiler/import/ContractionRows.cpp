//===- ContractionRows.cpp - ATen overloads that multiply matrices --------===//
//
// A product of halves is summed in float32; what eager adds to it, it adds
// before the one rounding.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/NodeBuilder.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// Eager multiplies tensors of one dtype; tensors without memory are not asked.
static void checkDTypes(NodeBuilder &n, std::initializer_list<unsigned> given) {
  for (unsigned index : given) {
    if (n.isNone(index))
      continue;
    DType dtype = dtypeOf(n.tensor(index).getType());
    if (dtype == DType::Bool)
      return n.fail("products of bool matrices; eager has none");
    if (dtype != n.resultDType())
      return n.fail("a product of " + Twine(nameOf(dtype)) + " and " +
                    nameOf(n.resultDType()) +
                    ": eager expects one dtype; cast one of them");
  }
}

/// The product of two arguments, in the type that it is summed in.
static Value product(NodeBuilder &n, unsigned lhs, unsigned rhs, int64_t batch,
                     int64_t contract) {
  DType dtype = n.resultDType();
  return n.e.matmul(n.operand(lhs, dtype), n.operand(rhs, dtype), batch,
                    contract, opmath(dtype));
}

/// mm, bmm: (self, mat2); mv, dot, vdot: (self, vec)
template <int batch> static void matmul(NodeBuilder &n) {
  checkDTypes(n, {0, 1});
  n.result(n.e.cast(product(n, 0, 1, batch, 1), n.resultDType()));
}

static Value scaled(NodeBuilder &n, Value value, unsigned index) {
  if (n.isNumber(index) && n.real(index) == 1)
    return value;
  return n.e.binary("mul", value, n.operand(index, dtypeOf(value.getType())));
}

/// addmm, baddbmm, addmv, addr: (self, a, b, *, beta, alpha)
/// With a factor of 0, what it scales is not read: its NaNs do not show.
static void addProduct(NodeBuilder &n, Value product) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  bool hasSelf = n.real(3) != 0, hasProduct = n.real(4) != 0;
  Value sum = hasProduct ? scaled(n, product, 4) : Value();
  if (Value self = hasSelf ? scaled(n, n.operand(0, wide), 3) : Value())
    sum = hasProduct ? n.e.binary("add", self, sum) : self;
  if (!sum)
    sum = n.e.constant(wide, 0.0);
  n.result(n.e.expand(n.e.cast(sum, dtype), n.resultShape()));
}
template <int batch> static void addMatmul(NodeBuilder &n) {
  checkDTypes(n, {0, 1, 2});
  addProduct(n, product(n, 1, 2, batch, 1));
}
/// addbmm sums over the batch as well.
static void addBatchedSum(NodeBuilder &n) {
  checkDTypes(n, {0, 1, 2});
  DType dtype = n.resultDType();
  Value lhs = n.e.permute(n.operand(1, dtype), {1, 0, 2});
  addProduct(n, n.e.matmul(lhs, n.operand(2, dtype), 0, 2, opmath(dtype)));
}
static void addOuter(NodeBuilder &n) { addProduct(n, product(n, 1, 2, 0, 0)); }

/// linear(input, weight, bias)
static void linear(NodeBuilder &n) {
  checkDTypes(n, {0, 1, 2});
  DType dtype = n.resultDType(), wide = opmath(dtype);
  Value weight = n.operand(1, dtype);
  weight = Emitter::rankOf(weight) == 1 ? weight : n.e.permute(weight, {1, 0});
  Value sum = n.e.matmul(n.operand(0, dtype), weight, 0, 1, wide);
  if (!n.isNone(2))
    sum = n.e.binary("add", sum, n.operand(2, wide));
  n.result(n.e.cast(sum, dtype));
}

/// A scale of _scaled_mm that multiplies a [M, N] product: one number, or one
/// for each row ([M, 1]) or column ([1, N]).
static Value scaleOf(NodeBuilder &n, unsigned index, Value product) {
  Value scale = n.tensor(index);
  if (dtypeOf(scale.getType()) != DType::F32)
    n.fail("scales that are not float32");
  if (cast<RankedTensorType>(scale.getType()).getNumElements() == 1)
    return n.e.reshape(scale, {});
  ArrayRef<int64_t> sizes = Emitter::shapeOf(scale),
                    shape = Emitter::shapeOf(product);
  unsigned along = index == 2 ? 0 : 1;
  if (sizes.size() != 2 || sizes[along] != shape[along] ||
      sizes[1 - along] != 1) {
    n.fail(
        "scales of blocks; one number, or one a row of the first and a column "
        "of the second matrix, are");
    return n.e.constant(DType::F32, 1.0);
  }
  return scale;
}

/// _scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype,
/// use_fast_accum): summed, scaled and biased in float32, and rounded once.
static void scaledMatmul(NodeBuilder &n) {
  Value sum = n.e.matmul(n.tensor(0), n.tensor(1), 0, 1, DType::F32);
  for (unsigned index : {2u, 3u})
    sum = n.e.binary("mul", sum, scaleOf(n, index, sum));
  if (!n.isNone(4))
    sum = n.e.binary("add", sum, n.operand(4, DType::F32));
  if (!n.isNone(5) && isFloat8(n.resultDType()))
    sum = n.e.binary("div", sum, n.e.reshape(n.operand(5, DType::F32), {}));
  n.result(n.e.cast(sum, n.resultDType()));
}

static const AtenRow kRows[] = {
    {"aten._scaled_mm.default", scaledMatmul, "matmul"},
    {"aten.mm.default", matmul<0>, "matmul"},
    {"aten.bmm.default", matmul<1>, "matmul"},
    {"aten.mv.default", matmul<0>, "matmul"},
    {"aten.dot.default", matmul<0>, "matmul"},
    {"aten.vdot.default", matmul<0>, "matmul"},
    {"aten.addmm.default", addMatmul<0>, "matmul"},
    {"aten.addmv.default", addMatmul<0>, "matmul"},
    {"aten.baddbmm.default", addMatmul<1>, "matmul"},
    {"aten.addbmm.default", addBatchedSum, "matmul"},
    {"aten.addr.default", addOuter, "matmul"},
    {"aten.linear.default", linear, "matmul"},
};

ArrayRef<AtenRow> import::contractionRows() { return kRows; }

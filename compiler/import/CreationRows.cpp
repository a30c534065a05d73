//===- CreationRows.cpp - ATen overloads that make tensors ----------------===//
#include "compiler/import/NodeBuilder.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// full(size, fill_value), full_like(self, fill_value), new_full(self, size,
/// fill_value)
template <unsigned index> static void full(NodeBuilder &n) {
  n.result(n.e.constant(n.resultDType(), n.number(index), n.resultShape()));
}
static void zeros(NodeBuilder &n) {
  n.result(n.e.constant(n.resultDType(), int64_t(0), n.resultShape()));
}
static void ones(NodeBuilder &n) {
  n.result(n.e.constant(n.resultDType(), int64_t(1), n.resultShape()));
}

/// fill(self, tensor)
static void fillTensor(NodeBuilder &n) {
  n.result(n.e.expand(n.e.cast(n.tensor(1), n.resultDType()), n.resultShape()));
}

/// An iota attribute: i64 for integer results, f64 for floating ones.
static TypedAttr iotaAttr(NodeBuilder &n, Number value, DType dtype) {
  Builder &builder = n.e.getBuilder();
  double number =
      std::visit([](auto v) { return static_cast<double>(v); }, value);
  if (isFloating(dtype))
    return builder.getF64FloatAttr(number);
  if (const double *fraction = std::get_if<double>(&value))
    return builder.getI64IntegerAttr(static_cast<int64_t>(*fraction));
  return builder.getI64IntegerAttr(
      std::visit([](auto v) { return static_cast<int64_t>(v); }, value));
}

static void iotaOf(NodeBuilder &n, Number start, Number step) {
  DType dtype = n.resultDType();
  if (isBool(dtype))
    return n.fail("dtype bool");
  n.result(n.e.iota(dtype, n.resultShape()[0], iotaAttr(n, start, dtype),
                    iotaAttr(n, step, dtype)));
}

/// arange([start,] end[, step]): the count is the result's.
static void arange(NodeBuilder &n) { iotaOf(n, int64_t(0), int64_t(1)); }
static void arangeStart(NodeBuilder &n) { iotaOf(n, n.number(0), int64_t(1)); }
static void arangeStep(NodeBuilder &n) { iotaOf(n, n.number(0), n.number(2)); }
/// prims.iota(length, *, start, step, dtype, ...)
static void primsIota(NodeBuilder &n) { iotaOf(n, n.number(1), n.number(2)); }

static const AtenRow kRows[] = {
    {"aten.full.default", full<1>, "constant"},
    {"aten.full_like.default", full<1>, "constant"},
    {"aten.new_full.default", full<2>, "constant"},
    {"aten.fill.Scalar", full<1>, "constant"},
    {"aten.fill.Tensor", fillTensor, "expand"},
    {"aten.scalar_tensor.default", full<0>, "constant"},
    {"aten.zeros.default", zeros, "constant"},
    {"aten.zeros_like.default", zeros, "constant"},
    {"aten.new_zeros.default", zeros, "constant"},
    {"aten.ones.default", ones, "constant"},
    {"aten.ones_like.default", ones, "constant"},
    {"aten.new_ones.default", ones, "constant"},
    // What empty tensors hold is not defined; zeros are as good as anything,
    // and the same in every run.
    {"aten.empty.memory_format", zeros, "constant"},
    {"aten.empty_like.default", zeros, "constant"},
    {"aten.empty_permuted.default", zeros, "constant"},
    {"aten.empty_strided.default", zeros, "constant"},
    {"aten.new_empty.default", zeros, "constant"},
    {"aten.new_empty_strided.default", zeros, "constant"},
    {"aten.arange.default", arange, "iota"},
    {"aten.arange.start", arangeStart, "iota"},
    {"aten.arange.start_step", arangeStep, "iota"},
    {"prims.iota.default", primsIota, "iota"},
};

ArrayRef<AtenRow> import::creationRows() { return kRows; }

//===- NamedRows.cpp - composites that stay whole -------------------------===//
#include "compiler/import/NodeBuilder.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// _softmax, _log_softmax(self, dim, half_to_float)
static void softmax(NodeBuilder &n) {
  Value x = n.e.cast(n.tensor(0), n.resultDType());
  bool logarithm = n.has(kSecond);
  if (Emitter::rankOf(x) == 0)
    return n.result(
        n.e.reshape(n.e.softmax(logarithm, n.e.reshape(x, {1}), 0), {}));
  n.result(n.e.softmax(logarithm, x, n.dim(n.integer(1), x)));
}

/// gelu(self, *, approximate)
static void gelu(NodeBuilder &n) {
  n.result(n.e.unary(n.string(1) == "tanh" ? "gelu_tanh" : "gelu",
                     n.operand(0, n.resultDType())));
}

static SmallVector<int64_t> lastDims(Value x, size_t count) {
  int64_t rank = Emitter::rankOf(x);
  return llvm::to_vector(
      llvm::seq<int64_t>(rank - static_cast<int64_t>(count), rank));
}

/// The type in which input and parameters agree; eager accepts float32
/// parameters with a short input.
static DType common(NodeBuilder &n, Value input,
                    std::initializer_list<unsigned> parameters) {
  DType dtype = dtypeOf(input.getType());
  for (unsigned index : parameters)
    if (!n.isNone(index))
      dtype = promote(dtype, dtypeOf(n.tensor(index).getType()));
  return dtype;
}

/// What the named op takes (rule N4); of others the formula says what it is:
/// NaN where the root is of a negative number.
static bool isOrdinary(double eps) { return eps >= 0 && !std::isinf(eps); }

/// centered * rstd [* weight] [+ bias], rounded once at the end.
static Value byFormula(Emitter &e, Value centered, Value rstd, Value weight,
                       Value bias, DType wide) {
  Value y = e.binary("mul", centered, rstd);
  if (weight)
    y = e.binary("mul", y, e.cast(weight, wide));
  return bias ? e.binary("add", y, e.cast(bias, wide)) : y;
}

/// native_layer_norm(input, normalized_shape, weight, bias, eps) -> (out, mean,
/// rstd)
static void layerNorm(NodeBuilder &n) {
  Emitter &e = n.e;
  Value input = n.tensor(0);
  SmallVector<int64_t> dims = lastDims(input, n.ints(1).size());
  double eps = n.real(4);
  DType dtype = dtypeOf(input.getType()), inner = common(n, input, {2, 3}),
        wide = opmath(dtype);
  auto parameter = [&](unsigned index) {
    return n.isNone(index) ? Value() : e.cast(n.tensor(index), inner);
  };
  Value x = e.cast(input, wide);
  Value mean = e.reduce("mean", x, dims, true, wide);
  Value variance =
      e.reduce("var", x, dims, true, wide,
               e.attr("correction", e.getBuilder().getF64FloatAttr(0)));
  Value rstd =
      e.unary("rsqrt", e.binary("add", variance, e.constant(wide, eps)));
  Value y = isOrdinary(eps) ? e.layerNorm(e.cast(input, inner), parameter(2),
                                          parameter(3), dims, eps)
                            : byFormula(e, e.binary("sub", x, mean), rstd,
                                        parameter(2), parameter(3), wide);
  n.result(0, e.cast(y, n.resultDType(0)));
  n.result(1, e.cast(e.reshape(mean, n.resultShape(1)), n.resultDType(1)));
  n.result(2, e.cast(e.reshape(rstd, n.resultShape(2)), n.resultDType(2)));
}

static double machineEpsilon(DType dtype) {
  return dtype == DType::F64 ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
}

/// _fused_rms_norm(input, normalized_shape, weight, eps) -> (out, rstd)
static void rmsNorm(NodeBuilder &n) {
  Emitter &e = n.e;
  Value input = n.tensor(0);
  SmallVector<int64_t> dims = lastDims(input, n.ints(1).size());
  DType dtype = dtypeOf(input.getType()), inner = common(n, input, {2}),
        wide = opmath(dtype);
  double eps = n.isNone(3) ? machineEpsilon(wide) : n.real(3);
  Value weight = n.isNone(2) ? Value() : e.cast(n.tensor(2), inner);
  Value x = e.cast(input, wide);
  Value mean = e.reduce("mean", e.unary("square", x), dims, true, wide);
  Value rstd = e.unary("rsqrt", e.binary("add", mean, e.constant(wide, eps)));
  Value y = isOrdinary(eps) ? e.rmsNorm(e.cast(input, inner), weight, dims, eps)
                            : byFormula(e, x, rstd, weight, Value(), wide);
  n.result(0, e.cast(y, n.resultDType(0)));
  if (n.node.results.size() < 2)
    return;
  n.result(1, e.cast(e.reshape(rstd, n.resultShape(1)), n.resultDType(1)));
}

static const AtenRow kRows[] = {
    {"aten._softmax.default", softmax, "softmax"},
    {"aten._log_softmax.default", softmax, "log_softmax", kSecond},
    {"aten.gelu.default", gelu, "gelu"},
    {"aten.native_layer_norm.default", layerNorm, "layer_norm"},
    {"aten._fused_rms_norm.default", rmsNorm, "rms_norm"},
    {"aten.rms_norm.default", rmsNorm, "rms_norm"},
};

ArrayRef<AtenRow> import::namedRows() { return kRows; }

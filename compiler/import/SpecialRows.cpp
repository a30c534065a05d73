//===- SpecialRows.cpp - functions of physics and statistics --------------===//
#include "compiler/import/NodeBuilder.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// Integers are converted to the default dtype, which is the result's.
static void unary(NodeBuilder &n) {
  n.result(n.e.unary(n.row.op, n.operand(0, n.resultDType())));
}

static void binary(NodeBuilder &n) {
  DType dtype = n.resultDType();
  n.result(n.e.binary(n.row.op, n.operand(0, dtype), n.operand(1, dtype)));
}

/// polygamma(k, x), the k-th derivative of digamma: (-1)^(k + 1) k! zeta(k + 1,
/// x).
static void polygamma(NodeBuilder &n) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  int64_t order = n.integer(0);
  Value x = n.operand(1, wide);
  Emitter &e = n.e;
  if (order == 0)
    return n.result(e.cast(e.unary("digamma", x), dtype));
  double factor = std::tgamma(double(order) + 1);
  if (wide == DType::F32 && factor > std::numeric_limits<float>::max())
    factor = std::numeric_limits<double>::infinity();
  Value sum = e.binary("zeta", e.constant(wide, double(order) + 1), x);
  Value sign = e.constant(wide, order % 2 ? factor : -factor);
  n.result(e.cast(e.binary("mul", sum, sign), dtype));
}

/// sin(x) / x
static void sphericalBesselJ0(NodeBuilder &n) {
  DType dtype = n.resultDType(), wide = opmath(dtype);
  Emitter &e = n.e;
  Value x = n.operand(0, wide);
  Value zero = e.constant(wide, 0.0);
  Value value = e.binary("div", e.unary("sin", x), x);
  value = e.select(e.compare("eq", x, zero), e.constant(wide, 1.0), value);
  value = e.select(e.test("isinf", x), zero, value);
  n.result(e.cast(value, dtype));
}

static void frexp(NodeBuilder &n) {
  Value x = n.operand(0, n.resultDType());
  n.result(0, n.e.unary("frexp_mantissa", x));
  n.result(1, n.e.cast(n.e.unary("frexp_exponent", x), n.resultDType(1)));
}

static constexpr AtenRow kRows[] = {
    {"aten.i0.default", unary, "i0"},
    {"aten.special_i0e.default", unary, "i0e"},
    {"aten.special_i1.default", unary, "i1"},
    {"aten.special_i1e.default", unary, "i1e"},
    {"aten.special_modified_bessel_i0.default", unary, "i0"},
    {"aten.special_modified_bessel_i1.default", unary, "i1"},
    {"aten.special_modified_bessel_k0.default", unary, "k0"},
    {"aten.special_modified_bessel_k1.default", unary, "k1"},
    {"aten.special_scaled_modified_bessel_k0.default", unary, "k0e"},
    {"aten.special_scaled_modified_bessel_k1.default", unary, "k1e"},
    {"aten.special_bessel_j0.default", unary, "bessel_j0"},
    {"aten.special_bessel_j1.default", unary, "bessel_j1"},
    {"aten.special_bessel_y0.default", unary, "bessel_y0"},
    {"aten.special_bessel_y1.default", unary, "bessel_y1"},
    {"aten.special_spherical_bessel_j0.default", sphericalBesselJ0},
    {"aten.special_erfcx.default", unary, "erfcx"},
    {"aten.special_ndtri.default", unary, "ndtri"},
    {"aten.special_zeta.default", binary, "zeta"},
    {"aten.special_zeta.other_scalar", binary, "zeta"},
    {"aten.special_zeta.self_scalar", binary, "zeta"},
    {"aten.polygamma.default", polygamma, "zeta"},
    {"aten.igamma.default", binary, "igamma"},
    {"aten.igammac.default", binary, "igammac"},
    {"aten.frexp.Tensor", frexp, "frexp_mantissa"},
};

ArrayRef<AtenRow> import::specialRows() { return kRows; }

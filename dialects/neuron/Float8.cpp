//===- Float8.cpp - constants of 8-bit floats -----------------------------===//
#include "dialects/neuron/Float8.h"
#include "runtime/simulator/semantics/Float8.h"
#include "llvm/ADT/APInt.h"

using namespace neuron;
using llvm::APFloat;
using program::DType;

template <DType D> static uint8_t codeOf(float value) {
  using namespace simulator::semantics;
  return toFloat8<D>(Scalar<float>(value)).v;
}

namespace {
struct Row {
  const llvm::fltSemantics &(*semantics)();
  uint8_t (*code)(float);
};
} // namespace

static const Row kRows[] = {
    {APFloat::Float8E4M3FN, codeOf<DType::F8E4M3FN>},
    {APFloat::Float8E5M2, codeOf<DType::F8E5M2>},
    {APFloat::Float8E4M3FNUZ, codeOf<DType::F8E4M3FNUZ>},
    {APFloat::Float8E5M2FNUZ, codeOf<DType::F8E5M2FNUZ>},
    {APFloat::Float8E8M0FNU, codeOf<DType::F8E8M0FNU>},
};

APFloat ir::float8Of(float value, const llvm::fltSemantics &semantics) {
  for (const Row &row : kRows)
    if (&row.semantics() == &semantics)
      return APFloat(semantics, llvm::APInt(8, row.code(value)));
  llvm_unreachable("not an 8-bit float of PyTorch");
}

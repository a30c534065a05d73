//===- Types.cpp - dtypes in MLIR, and PyTorch's type promotion -----------===//
#include "compiler/import/Types.h"
#include "dialects/nisa/Nisa.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

Type import::elementType(MLIRContext *context, DType dtype) {
  return nisa::typeOf(dtype, context);
}

DType import::dtypeOf(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  std::optional<DType> dtype = nisa::dtypeOf(element);
  assert(dtype && "not an element type of the neuron dialect");
  return *dtype;
}

DType import::promote(DType a, DType b) {
  if (a == b || isBool(b))
    return a;
  if (isBool(a))
    return b;
  if (isFloating(a) != isFloating(b))
    return isFloating(a) ? a : b;
  if (isFloating(a)) {
    if (isReduced(a) && isReduced(b)) // bfloat16 with float16
      return DType::F32;
    return program::bytesOf(a) > program::bytesOf(b) ? a : b;
  }
  const program::DTypeInfo &infoA = program::info(a), &infoB = program::info(b);
  if (infoA.isSigned == infoB.isSigned)
    return infoA.bytes > infoB.bytes ? a : b;
  // uint8 with a signed type: the smallest signed type that holds both. PyTorch
  // refuses the wider unsigned ones.
  DType signedOne = infoA.isSigned ? a : b;
  return signedOne == DType::I8 ? DType::I16 : signedOne;
}

static unsigned category(DType dtype) {
  return isBool(dtype) ? 0 : isFloating(dtype) ? 2 : 1;
}

static std::optional<DType> combine(std::optional<DType> higher,
                                    std::optional<DType> lower) {
  if (!higher)
    return lower;
  if (!lower || category(*higher) >= category(*lower))
    return higher;
  return promote(*higher, *lower);
}

DType Promotion::result() const {
  return *combine(combine(dims, zeroDims), numbers);
}

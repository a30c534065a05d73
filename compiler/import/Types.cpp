//===- Types.cpp - dtypes in MLIR, and PyTorch's type promotion -----------===//
#include "compiler/import/Types.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

Type import::elementType(MLIRContext *context, DType dtype) {
  const program::DTypeInfo &facts = program::info(dtype);
  switch (dtype) {
  case DType::Bool:
    return IntegerType::get(context, 1);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, facts.bytes * 8,
                            facts.isSigned ? IntegerType::Signless
                                           : IntegerType::Unsigned);
  }
}

DType import::dtypeOf(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  for (unsigned i = 0; i < program::kNumDTypes; ++i)
    if (elementType(type.getContext(), static_cast<DType>(i)) == element)
      return static_cast<DType>(i);
  llvm_unreachable("not an element type of the neuron dialect");
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

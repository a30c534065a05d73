//===- Sequences.cpp - rules of scans, sorts and random numbers -----------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Verifiers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace neuron::ir;

/// Whether each sequence along the dims is one element.
static bool isOfOne(NamedOpInterface op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return llvm::all_of(op.getNormalizedDims(),
                      [&](int64_t dim) { return type.getDimSize(dim) == 1; });
}

/// A sum starts at 0.0, so that of -0.0 is 0.0.
OpFoldResult ScanOp::fold(FoldAdaptor) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getInput()));
  if (isOfOne(*this) && !(isFloat && getKind() == "sum"))
    return getInput();
  return {};
}

OpFoldResult SortOp::fold(FoldAdaptor) {
  return isOfOne(*this) ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ArgsortOp::fold(FoldAdaptor) {
  if (!isOfOne(*this) || getType().getNumElements() == 0)
    return {};
  return constantOf(getType(), scalarOf(getType().getElementType(), 0));
}

LogicalResult ScanOp::verify() {
  Type element = getElementTypeOrSelf(getInput());
  StringRef kind = getKind();
  bool isKnown = kind == "max" || kind == "min" ||
                 ((kind == "sum" || kind == "prod") && !element.isInteger(1)) ||
                 (kind == "logaddexp" && isa<FloatType>(element));
  if (!isKnown)
    return emitOpError("Q1: does not scan elements of ")
           << element << " by '" << kind << "'";
  return verifyDims(*this, "N3", getDims(), getInput().getType().getRank());
}

LogicalResult SortOp::verify() {
  return verifyDims(*this, "N3", getDims(), getInput().getType().getRank());
}

LogicalResult ArgsortOp::verify() {
  return verifyDims(*this, "N3", getDims(), getInput().getType().getRank());
}

LogicalResult RandomOp::verify() {
  if (getKey().getType().getNumElements() != 1)
    return emitOpError("U1: key must be one number, got ")
           << getKey().getType();
  return success();
}

//===- Verifiers.cpp - numbered rules -------------------------------------===//
//
// The rules are listed in NeuronDialect.td. Each message starts with the
// number of the rule that is broken. Rules T1 and E3 are checked by the types
// and traits in the .td files, K1 to K5 in KernelOp.cpp.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Verifiers.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cmath>

using namespace mlir;
using namespace neuron::ir;

//===----------------------------------------------------------------------===//
// Elementwise operations: E1, E2
//===----------------------------------------------------------------------===//

/// E1: the operands have one element type, and the result has it too unless
/// its own type constraint says bool.
static LogicalResult verifyOneElementType(Operation *op) {
  ValueRange operands = op->getOperands();
  if (isa<SelectOp>(op))
    operands = operands.drop_front();
  Type element = getElementTypeOrSelf(operands.front());
  for (Value operand : operands)
    if (getElementTypeOrSelf(operand) != element)
      return op->emitOpError("E1: operands must have one element type, got ")
             << element << " and " << getElementTypeOrSelf(operand);
  Type result = getElementTypeOrSelf(op->getResult(0));
  auto fn = cast<ElementwiseOpInterface>(op).getFn();
  bool isTest = neuron::program::info(fn).resultIsBool;
  if (!isTest && result != element)
    return op->emitOpError("E1: result must have the operands' element type ")
           << element << ", got " << result;
  return success();
}

LogicalResult neuron::ir::verifyBroadcast(Operation *op) {
  if (failed(verifyOneElementType(op)))
    return failure();
  std::optional<Shape> shape = broadcastShapes(op->getOperandTypes());
  if (!shape) {
    InFlightDiagnostic error =
        op->emitOpError("E2: operand shapes do not broadcast:");
    for (Value operand : op->getOperands())
      error << " " << shapeText(shapeOf(operand));
    return error;
  }
  if (shapeOf(op->getResult(0)) != ArrayRef<int64_t>(*shape))
    return op->emitOpError("E2: result must have the operands' broadcast "
                           "shape ")
           << shapeText(*shape) << ", got "
           << shapeText(shapeOf(op->getResult(0)));
  return success();
}

LogicalResult BitcastOp::verify() {
  Type from = getInput().getType().getElementType(),
       to = getType().getElementType();
  if (from.isInteger(1) || to.isInteger(1) ||
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("E4: element types must have one width and not be i1, "
                       "got ")
           << from << " and " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions: R1 to R4
//===----------------------------------------------------------------------===//

LogicalResult neuron::ir::verifyDims(Operation *op, StringRef rule,
                                     ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError(rule)
             << ": dims must be in [0, " << rank << "), got " << dim;
    if (i > 0 && dim <= dims[i - 1])
      return op->emitOpError(rule)
             << ": dims must be sorted and unique, got " << shapeText(dims);
  }
  return success();
}

static bool hasNoIdentity(Operation *op) {
  if (auto norm = dyn_cast<NormOp>(op)) {
    double order = norm.getOrd().convertToDouble();
    return order < 0 || std::isinf(order);
  }
  return isa<MaxOp, MinOp, ArgmaxOp, ArgminOp>(op);
}

LogicalResult neuron::ir::verifyReduction(Operation *op) {
  auto reduction = cast<ReductionOpInterface>(op);
  RankedTensorType input = reduction.getReducedOperand().getType();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  ArrayRef<int64_t> dims = reduction.getReducedDims();
  if (failed(verifyDims(op, "R1", dims, input.getRank())))
    return failure();

  Shape shape = reducedShape(input.getShape(), dims, reduction.keepsDims());
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return op->emitOpError("R2: result must have the shape ")
           << shapeText(shape) << ", got " << shapeText(result.getShape());

  bool hasOwnType = isa<AnyOp, AllOp, ArgmaxOp, ArgminOp>(op);
  if (!hasOwnType && result.getElementType() != input.getElementType())
    return op->emitOpError("R3: result must have the operand's element type ")
           << input.getElementType() << ", got " << result.getElementType();

  if (hasNoIdentity(op))
    for (int64_t dim : dims)
      if (input.getDimSize(dim) == 0)
        return op->emitOpError("R4: reduced dimension ")
               << dim << " has size 0, and the reduction of no elements has "
               << "no value";
  return success();
}

//===----------------------------------------------------------------------===//
// Named operations: N1 to N4
//===----------------------------------------------------------------------===//

static LogicalResult verifyNamed(Operation *op, ArrayRef<int64_t> dims) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  for (Value operand : op->getOperands().drop_front()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType() != input.getElementType())
      return op->emitOpError("N1: weight and bias must have the operand's "
                             "element type ")
             << input.getElementType() << ", got " << type.getElementType();
    if (!broadcastsTo(type.getShape(), input.getShape()))
      return op->emitOpError("N1: weight and bias must broadcast to the "
                             "operand's shape ")
             << shapeText(input.getShape()) << ", got "
             << shapeText(type.getShape());
  }
  if (op->getResult(0).getType() != input)
    return op->emitOpError("N2: result must have the operand's type ")
           << input << ", got " << op->getResult(0).getType();
  return verifyDims(op, "N3", dims, input.getRank());
}

static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  if (!eps.isFinite() || eps.isNegative())
    return op->emitOpError("N4: eps must be finite and not negative, got ")
           << eps.convertToDouble();
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyNamed(*this, getDims()); }
LogicalResult LogSoftmaxOp::verify() { return verifyNamed(*this, getDims()); }
LogicalResult RmsNormOp::verify() {
  return failure(failed(verifyNamed(*this, getDims())) ||
                 failed(verifyEps(*this, getEps())));
}
LogicalResult LayerNormOp::verify() {
  return failure(failed(verifyNamed(*this, getDims())) ||
                 failed(verifyEps(*this, getEps())));
}

//===----------------------------------------------------------------------===//
// Views: V1 to V6
//===----------------------------------------------------------------------===//

static LogicalResult verifyViewElementType(Operation *op) {
  Type input = getElementTypeOrSelf(op->getOperand(0));
  Type result = getElementTypeOrSelf(op->getResult(0));
  if (input != result)
    return op->emitOpError("V1: result must have the operand's element type ")
           << input << ", got " << result;
  return success();
}

LogicalResult ReshapeOp::verify() {
  if (failed(verifyViewElementType(*this)))
    return failure();
  int64_t from = getInput().getType().getNumElements();
  int64_t to = getType().getNumElements();
  if (from != to)
    return emitOpError("V2: result must have as many elements as the operand, ")
           << from << ", got " << to;
  return success();
}

LogicalResult ExpandOp::verify() {
  if (failed(verifyViewElementType(*this)))
    return failure();
  if (!broadcastsTo(shapeOf(getInput()), shapeOf(getResult())))
    return emitOpError("V3: shape ")
           << shapeText(shapeOf(getInput())) << " does not broadcast to "
           << shapeText(shapeOf(getResult()));
  return success();
}

LogicalResult PermuteOp::verify() {
  if (failed(verifyViewElementType(*this)))
    return failure();
  ArrayRef<int64_t> perm = getPermutation(), input = shapeOf(getInput());
  llvm::SmallBitVector seen(input.size());
  for (int64_t dim : perm)
    if (dim >= 0 && dim < int64_t(input.size()))
      seen.set(dim);
  if (perm.size() != input.size() || !seen.all())
    return emitOpError("V4: permutation must hold each of ")
           << input.size() << " dimensions once, got " << shapeText(perm);
  Shape shape =
      llvm::map_to_vector<8>(perm, [&](int64_t d) { return input[d]; });
  if (shapeOf(getResult()) != ArrayRef<int64_t>(shape))
    return emitOpError("V4: result must have the shape ")
           << shapeText(shape) << ", got " << shapeText(shapeOf(getResult()));
  return success();
}

LogicalResult SliceOp::verify() {
  if (failed(verifyViewElementType(*this)))
    return failure();
  ArrayRef<int64_t> starts = getStarts(), steps = getSteps();
  ArrayRef<int64_t> input = shapeOf(getInput()), result = shapeOf(getResult());
  size_t rank = input.size();
  if (starts.size() != rank || steps.size() != rank || result.size() != rank)
    return emitOpError("V5: starts, steps and the result must have the "
                       "operand's rank ")
           << rank;
  for (size_t d = 0; d < rank; ++d) {
    if (steps[d] == 0)
      return emitOpError("V5: steps must not be 0, in dimension ") << d;
    // The last element is at starts + (result - 1) * steps; divided, so that
    // nothing can overflow.
    bool startFits = starts[d] >= 0 && starts[d] <= input[d];
    int64_t last = result[d] - 1;
    auto isWithin = [&] {
      return starts[d] < input[d] &&
             (steps[d] > 0 ? last <= (input[d] - 1 - starts[d]) / steps[d]
                           : last <= -(starts[d] / steps[d]));
    };
    bool endFits = result[d] == 0 || (startFits && isWithin());
    if (!startFits || !endFits)
      return emitOpError("V5: ")
             << result[d] << " elements from " << starts[d] << " by "
             << steps[d] << " are not within size " << input[d]
             << " of dimension " << d;
  }
  return success();
}

LogicalResult WindowOp::verify() {
  if (failed(verifyViewElementType(*this)))
    return failure();
  ArrayRef<int64_t> input = shapeOf(getInput()), result = shapeOf(getResult());
  int64_t dim = getDim(), step = getStep(), dilation = getDilation();
  int64_t rank = input.size();
  if (dim < 0 || dim >= rank)
    return emitOpError("V6: dim must be in [0, ") << rank << "), got " << dim;
  if (step < 1 || dilation < 1)
    return emitOpError("V6: step and dilation must be at least 1, got ")
           << step << " and " << dilation;
  Shape expected(input);
  expected.insert(expected.begin() + dim, 0);
  if (int64_t(result.size()) == rank + 1)
    for (int64_t d : {dim, dim + 1})
      expected[d] = result[d];
  if (result != ArrayRef<int64_t>(expected))
    return emitOpError("V6: result must have the operand's shape with windows "
                       "and their elements in place of dimension ")
           << dim << ", got " << shapeText(result);
  int64_t windows = result[dim], elements = result[dim + 1];
  if (windows == 0 || elements == 0)
    return success();
  // Divided, so that nothing can overflow.
  int64_t last = input[dim] - 1;
  bool fits = last >= 0 && elements - 1 <= last / dilation &&
              windows - 1 <= (last - (elements - 1) * dilation) / step;
  if (!fits)
    return emitOpError("V6: ") << windows << " windows of " << elements
                               << " elements are not within size " << input[dim]
                               << " of dimension " << dim;
  return success();
}

//===----------------------------------------------------------------------===//
// Iota: I1, I2
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank();
  int64_t dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("I1: dim must be in [0, ") << rank << "), got " << dim;
  bool isFloat = isa<FloatType>(getType().getElementType());
  for (TypedAttr attr : {getStart(), getStep()}) {
    bool isNumber = isa<IntegerAttr, FloatAttr>(attr);
    bool fits =
        isFloat ? attr.getType().isF64() : attr.getType().isSignlessInteger(64);
    if (!isNumber || !fits)
      return emitOpError("I2: start and step must be ")
             << (isFloat ? "f64" : "i64") << " numbers for elements of type "
             << getType().getElementType() << ", got " << attr;
  }
  return success();
}

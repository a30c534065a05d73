//===- RaiseNorms.cpp - rms_norm and layer_norm ---------------------------===//
//
//   rms_norm    x * (mean(x^2) + eps)^-1/2 [* weight]
//   layer_norm  (x - mean(x)) * (mean((x - mean(x))^2) + eps)^-1/2
//               [* weight] [+ bias]
//
// The inverse root is found first; what it was made of says what x has to be.
// The weight may be one of the factors, or multiply the norm later; the bias
// is added later.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/Facts.h"
#include "passes/graph/Raise.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::graph;

namespace {

/// Whether a value broadcasts to x and is the same for every row of it.
bool isRowInvariant(Value value, Value x, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = shapeOf(value), full = shapeOf(x);
  if (getElementTypeOrSelf(value) != getElementTypeOrSelf(x) ||
      shape.size() > full.size())
    return false;
  size_t lead = full.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1 &&
        (shape[d] != full[lead + d] || !llvm::is_contained(dims, lead + d)))
      return false;
  return true;
}

/// What is normalised, and how.
struct Norm {
  Value x;      ///< input of the named op
  Value factor; ///< x, or x - mean(x): what the inverse root multiplies
  bool centered;
  Statistic root; ///< of the second moment; offset is eps
};

/// x - mean(x), for the dimensions given  ->  x
Value centered(Value value, ArrayRef<int64_t> dims, Interior &interior) {
  size_t mark = interior.size();
  if (auto parts = difference(value, interior)) {
    auto mean = meanOf(parts->second, parts->first, interior);
    if (mean && mean->dims() == dims)
      return parts->first;
  }
  interior.truncate(mark);
  return {};
}

/// (second moment + eps) ^ power, of x or of x - mean(x)
std::optional<Norm> normOf(const Factor &factor, Interior &interior) {
  size_t mark = interior.size();
  auto fail = [&]() {
    interior.truncate(mark);
    return std::nullopt;
  };
  auto root = statistic(factor.value, interior);
  if (!root || root->power != (factor.inverse ? 0.5 : -0.5) ||
      !(root->offset >= 0))
    return fail();
  Type type = factor.value.getType();
  bool isSum = isa<SumOp>(root->reduction);
  if (!isClose(root->scale * (isSum ? root->count() : 1), 1, type))
    return fail();
  if (auto var = dyn_cast<VarOp>(root->reduction)) {
    if (!var.getCorrection().isZero())
      return fail();
    return Norm{var.getInput(), {}, true, *root};
  }
  if (!isa<SumOp, MeanOp>(root->reduction))
    return fail();
  Value base = squaredValue(root->reduced(), interior);
  if (!base)
    return fail();
  if (Value x = centered(base, root->dims(), interior))
    return Norm{x, base, true, *root};
  return Norm{base, base, false, *root};
}

/// The factor x - mean(x) in a tree of products, where the variance does not
/// name it.
Value findCentered(ArrayRef<Factor> tree, const Norm &norm,
                   Interior &interior) {
  for (const Factor &node : tree)
    if (!node.inverse)
      if (centered(node.value, norm.root.dims(), interior) == norm.x)
        return node.value;
  return {};
}

Value raiseCore(Operation *root, OpBuilder &builder) {
  Value result = root->getResult(0);
  SmallVector<Factor> tree = factors(result);
  for (const Factor &scale : tree) {
    Interior interior;
    auto norm = normOf(scale, interior);
    if (!norm)
      continue;
    // The same difference may be written twice.
    if (norm->centered) {
      Value factor = findCentered(tree, *norm, interior);
      if (!factor)
        continue;
      norm->factor = factor;
    }
    Value x = norm->x;
    if (x.getType() != result.getType() || !isAlignedWith(norm->root, x))
      continue;
    if (!(norm->root.offset >= 0) || std::isinf(norm->root.offset))
      continue; // rule N4
    auto product = productOf(result, {{norm->factor, false}, scale}, interior);
    if (!product || product->constant != 1 || product->others.size() > 1)
      continue;
    Value weight;
    if (!product->others.empty()) {
      weight = product->others[0].value;
      if (product->others[0].inverse ||
          !isRowInvariant(weight, x, norm->root.dims()))
        continue;
    }
    if (!isClosed(interior, root))
      continue;
    auto eps = builder.getF64FloatAttr(norm->root.offset);
    auto dims = builder.getDenseI64ArrayAttr(norm->root.dims());
    if (norm->centered)
      return LayerNormOp::create(builder, root->getLoc(), x.getType(), x,
                                 weight, Value(), dims, eps);
    return RmsNormOp::create(builder, root->getLoc(), x.getType(), x, weight,
                             dims, eps);
  }
  return {};
}

/// norm(x) * w  ->  norm(x, weight w);  layer_norm(x) + b  ->  with bias b
Value raiseAffine(Operation *root, OpBuilder &builder) {
  for (unsigned side : {0, 1}) {
    Operation *norm = root->getOperand(side).getDefiningOp();
    Value other = root->getOperand(1 - side);
    if (!isa_and_nonnull<RmsNormOp, LayerNormOp>(norm) ||
        !norm->getResult(0).hasOneUse() ||
        root->getResult(0).getType() != norm->getResult(0).getType() ||
        !isRowInvariant(other, norm->getOperand(0),
                        cast<NamedOpInterface>(norm).getNormalizedDims()))
      continue;
    if (auto rms = dyn_cast<RmsNormOp>(norm)) {
      if (!isa<MulOp>(root) || rms.getWeight())
        continue;
      return RmsNormOp::create(builder, root->getLoc(), rms.getType(),
                               rms.getInput(), other, rms.getDimsAttr(),
                               rms.getEpsAttr());
    }
    auto layer = cast<LayerNormOp>(norm);
    bool takes = isa<MulOp>(root) ? !layer.getWeight() && !layer.getBias()
                                  : !layer.getBias();
    if (!takes)
      continue;
    Value weight = isa<MulOp>(root) ? other : layer.getWeight();
    Value bias = isa<MulOp>(root) ? Value() : other;
    return LayerNormOp::create(builder, root->getLoc(), layer.getType(),
                               layer.getInput(), weight, bias,
                               layer.getDimsAttr(), layer.getEpsAttr());
  }
  return {};
}

} // namespace

Value neuron::graph::raiseNorm(Operation *root, OpBuilder &builder) {
  if (!isa<FloatType>(getElementTypeOrSelf(root->getResult(0))))
    return {};
  if (isa<MulOp, AddOp>(root))
    if (Value affine = raiseAffine(root, builder))
      return affine;
  return isa<MulOp, DivOp>(root) ? raiseCore(root, builder) : Value();
}

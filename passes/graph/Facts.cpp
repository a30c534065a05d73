//===- Facts.cpp - small facts about dataflow -----------------------------===//
#include "passes/graph/Facts.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::graph;

// Composites are small: what is larger than this is none.
static constexpr size_t mostNodes = 16;

bool neuron::graph::isClosed(const Interior &interior, Operation *root) {
  llvm::SmallDenseSet<Operation *> inside(interior.begin(), interior.end());
  inside.insert(root);
  return llvm::all_of(interior, [&](Operation *op) {
    return op == root || llvm::all_of(op->getUsers(), [&](Operation *user) {
             return inside.contains(user);
           });
  });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<double> neuron::graph::constantOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ViewOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  APFloat number = elements.getSplatValue<APFloat>();
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

bool neuron::graph::isClose(double value, double wanted, Type type,
                            double ulps) {
  Type element = getElementTypeOrSelf(type);
  unsigned precision =
      APFloat::semanticsPrecision(cast<FloatType>(element).getFloatSemantics());
  return std::abs(value - wanted) <=
         ulps * std::abs(wanted) * std::ldexp(1.0, 1 - int(precision));
}

/// The operand that is not constant, if just one is.
static std::optional<std::pair<double, Value>> withConstant(Operation *op) {
  auto left = constantOf(op->getOperand(0));
  auto right = constantOf(op->getOperand(1));
  if (bool(left) == bool(right))
    return std::nullopt;
  return left ? std::pair(*left, op->getOperand(1))
              : std::pair(*right, op->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Pointwise facts
//===----------------------------------------------------------------------===//

Value neuron::graph::squaredValue(Value value, Interior &interior) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  bool isSquare = isa<SquareOp>(op) ||
                  (isa<MulOp>(op) && op->getOperand(0) == op->getOperand(1)) ||
                  (isa<PowOp>(op) && constantOf(op->getOperand(1)) == 2.0 &&
                   shapeOf(op->getOperand(0)) == shapeOf(value));
  if (!isSquare)
    return {};
  interior.push_back(op);
  return op->getOperand(0);
}

std::optional<std::pair<Value, Value>>
neuron::graph::difference(Value value, Interior &interior) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<SubOp>(op)) {
    interior.push_back(op);
    return std::pair(op->getOperand(0), op->getOperand(1));
  }
  if (!isa_and_nonnull<AddOp>(op))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    size_t mark = interior.size();
    auto negated = scaled(op->getOperand(side), interior);
    if (negated && negated->first == -1.0) {
      interior.push_back(op);
      return std::pair(op->getOperand(1 - side), negated->second);
    }
    interior.truncate(mark);
  }
  return std::nullopt;
}

std::optional<std::pair<double, Value>>
neuron::graph::scaled(Value value, Interior &interior) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<NegOp>(op)) {
    interior.push_back(op);
    return std::pair(-1.0, op->getOperand(0));
  }
  if (!isa<MulOp, DivOp>(op))
    return std::nullopt;
  auto parts = withConstant(op);
  if (!parts || shapeOf(parts->second) != shapeOf(value))
    return std::nullopt;
  if (isa<DivOp>(op)) {
    if (parts->second != op->getOperand(0) || parts->first == 0)
      return std::nullopt;
    parts->first = 1 / parts->first;
  }
  interior.push_back(op);
  return parts;
}

using Coefficients = std::array<double, 4>;

static std::optional<Coefficients> multiply(const Coefficients &a,
                                            const Coefficients &b) {
  Coefficients result{};
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j) {
      double term = a[i] * b[j];
      if (term == 0)
        continue;
      if (i + j > 3)
        return std::nullopt;
      result[i + j] += term;
    }
  return result;
}

static std::optional<Coefficients>
polynomialOf(Value value, Value x, Interior &interior, unsigned &nodes) {
  if (value == x)
    return Coefficients{0, 1, 0, 0};
  if (auto constant = constantOf(value))
    return Coefficients{*constant, 0, 0, 0};
  Operation *op = value.getDefiningOp();
  if (!op || ++nodes > mostNodes)
    return std::nullopt;
  if (!isa<AddOp, SubOp, MulOp, DivOp, NegOp, SquareOp, PowOp>(op))
    return std::nullopt;
  interior.push_back(op);
  auto left = polynomialOf(op->getOperand(0), x, interior, nodes);
  if (!left)
    return std::nullopt;
  if (isa<NegOp>(op))
    return multiply(*left, {-1, 0, 0, 0});
  if (isa<SquareOp>(op))
    return multiply(*left, *left);
  auto right = polynomialOf(op->getOperand(1), x, interior, nodes);
  if (!right)
    return std::nullopt;
  bool constantRight = (*right)[1] == 0 && (*right)[2] == 0 && (*right)[3] == 0;
  if (isa<AddOp, SubOp>(op)) {
    for (unsigned i = 0; i < 4; ++i)
      (*left)[i] += isa<AddOp>(op) ? (*right)[i] : -(*right)[i];
    return left;
  }
  if (isa<MulOp>(op))
    return multiply(*left, *right);
  if (!constantRight)
    return std::nullopt;
  double constant = (*right)[0];
  if (isa<DivOp>(op))
    return constant == 0 ? std::nullopt
                         : multiply(*left, {1 / constant, 0, 0, 0});
  if (constant != 2 && constant != 3)
    return std::nullopt;
  auto power = multiply(*left, *left);
  return power && constant == 3 ? multiply(*power, *left) : power;
}

std::optional<Coefficients> neuron::graph::polynomial(Value value, Value x,
                                                      Interior &interior) {
  size_t mark = interior.size();
  unsigned nodes = 0;
  auto result = polynomialOf(value, x, interior, nodes);
  if (!result)
    interior.truncate(mark);
  return result;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// Whether a reshape only adds or drops dimensions of size 1.
static bool keepsDims(ReshapeOp op) {
  auto isLong = [](int64_t size) { return size != 1; };
  return llvm::equal(llvm::make_filter_range(shapeOf(op.getInput()), isLong),
                     llvm::make_filter_range(shapeOf(op.getResult()), isLong));
}

/// The operand through which a statistic may be computed further.
static Value statisticOperand(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return keepsDims(reshape) ? reshape.getInput() : Value();
  if (isa<ExpandOp, SqrtOp, RsqrtOp, ReciprocalOp, NegOp>(op))
    return op->getOperand(0);
  if (!isa<MulOp, DivOp, AddOp, SubOp, PowOp>(op))
    return {};
  auto parts = withConstant(op);
  if (!parts || shapeOf(parts->second) != shapeOf(op->getResult(0)))
    return {};
  return parts->second;
}

/// Applies one op of the path to the statistic below it.
static bool apply(Operation *op, Statistic &statistic) {
  auto affine = [&](double scale, double offset) {
    statistic.scale *= scale;
    statistic.offset = statistic.offset * scale + offset;
    return statistic.power == 1;
  };
  auto raise = [&](double power) {
    statistic.power *= power;
    return true;
  };
  if (isa<ReshapeOp, ExpandOp>(op))
    return true;
  if (isa<SqrtOp>(op))
    return raise(0.5);
  if (isa<RsqrtOp>(op))
    return raise(-0.5);
  if (isa<ReciprocalOp>(op))
    return raise(-1);
  if (isa<NegOp>(op))
    return affine(-1, 0);
  auto parts = withConstant(op);
  double constant = parts->first;
  bool constantLeft = parts->second == op->getOperand(1);
  if (isa<MulOp>(op))
    return affine(constant, 0);
  if (isa<AddOp>(op))
    return affine(1, constant);
  if (isa<SubOp>(op))
    return constantLeft ? affine(-1, constant) : affine(1, -constant);
  if (isa<DivOp>(op)) {
    if (!constantLeft)
      return constant != 0 && affine(1 / constant, 0);
    return constant == 1 && raise(-1);
  }
  return !constantLeft && raise(constant); // pow
}

std::optional<Statistic> neuron::graph::statistic(Value value,
                                                  Interior &interior) {
  Statistic result;
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    if (isa<SumOp, MeanOp, VarOp, MaxOp>(op)) {
      result.reduction = op;
      break;
    }
    Value operand = statisticOperand(op);
    if (!operand || result.path.size() == mostNodes)
      return std::nullopt;
    result.path.push_back(op);
    value = operand;
  }
  if (!result.reduction || result.dims().empty())
    return std::nullopt;
  for (Operation *op : llvm::reverse(result.path))
    if (!apply(op, result))
      return std::nullopt;
  interior.append(result.path.begin(), result.path.end());
  interior.push_back(result.reduction);
  return result;
}

ArrayRef<int64_t> Statistic::dims() const {
  return cast<ReductionOpInterface>(reduction).getReducedDims();
}

double Statistic::count() const {
  double count = 1;
  for (int64_t dim : dims())
    count *= shapeOf(reduced())[dim];
  return count;
}

bool neuron::graph::isAlignedWith(const Statistic &statistic, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shapeOf(statistic.reduced()) != shape)
    return false;
  // Which dimension of x each dimension of the value stands for; -1 for none.
  SmallVector<int64_t> stands;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    bool reduced = llvm::is_contained(statistic.dims(), d);
    if (!reduced)
      stands.push_back(d);
    else if (cast<ReductionOpInterface>(statistic.reduction).keepsDims())
      stands.push_back(-1);
  }
  for (Operation *op : llvm::reverse(statistic.path)) {
    ArrayRef<int64_t> to = shapeOf(op->getResult(0));
    if (isa<ReshapeOp>(op)) {
      SmallVector<int64_t> kept;
      for (auto [d, size] : llvm::enumerate(shapeOf(op->getOperand(0))))
        if (size != 1)
          kept.push_back(stands[d]);
      stands.assign(to.size(), -1);
      size_t next = 0;
      for (auto [d, size] : llvm::enumerate(to))
        if (size != 1)
          stands[d] = kept[next++];
    } else if (isa<ExpandOp>(op)) {
      stands.insert(stands.begin(), to.size() - stands.size(), -1);
    }
  }
  // Every kept dimension stands where x has it, and nowhere else.
  if (stands.size() > shape.size())
    return false;
  size_t lead = shape.size() - stands.size();
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    int64_t there = d < int64_t(lead) ? -1 : stands[d - lead];
    if (shape[d] == 1)
      continue;
    bool reduced = llvm::is_contained(statistic.dims(), d);
    if (there != (reduced ? -1 : d))
      return false;
  }
  return true;
}

std::optional<Statistic> neuron::graph::meanOf(Value value, Value x,
                                               Interior &interior) {
  size_t mark = interior.size();
  auto found = statistic(value, interior);
  bool isMean = found && found->reduced() == x && found->power == 1 &&
                found->offset == 0 && isAlignedWith(*found, x) &&
                ((isa<MeanOp>(found->reduction) && found->scale == 1) ||
                 (isa<SumOp>(found->reduction) &&
                  isClose(found->scale * found->count(), 1, x.getType())));
  if (isMean)
    return found;
  interior.truncate(mark);
  return std::nullopt;
}

std::optional<Statistic> neuron::graph::maxOf(Value value, Value x,
                                              Interior &interior) {
  size_t mark = interior.size();
  auto found = statistic(value, interior);
  if (found && isa<MaxOp>(found->reduction) && found->reduced() == x &&
      found->power == 1 && found->scale == 1 && found->offset == 0 &&
      isAlignedWith(*found, x))
    return found;
  interior.truncate(mark);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static bool isProduct(Operation *op) {
  return isa_and_nonnull<MulOp, DivOp, ReciprocalOp>(op);
}

/// The operands of a node of a product, and whether each divides.
static SmallVector<Factor, 2> below(const Factor &node) {
  Operation *op = node.value.getDefiningOp();
  if (isa<ReciprocalOp>(op))
    return {{op->getOperand(0), !node.inverse}};
  return {{op->getOperand(0), node.inverse},
          {op->getOperand(1), isa<DivOp>(op) != node.inverse}};
}

SmallVector<Factor> neuron::graph::factors(Value value) {
  SmallVector<Factor> nodes{{value, false}};
  for (size_t at = 0; at < nodes.size() && nodes.size() < mostNodes; ++at)
    if (isProduct(nodes[at].value.getDefiningOp()))
      nodes.append(below(nodes[at]));
  return nodes;
}

std::optional<Product> neuron::graph::productOf(Value value,
                                                ArrayRef<Factor> wanted,
                                                Interior &interior) {
  Product product;
  SmallVector<Factor> missing(wanted), nodes{{value, false}};
  Interior seen;
  while (!nodes.empty()) {
    Factor node = nodes.pop_back_val();
    if (auto it = llvm::find(missing, node); it != missing.end()) {
      missing.erase(it);
      continue;
    }
    if (auto constant = constantOf(node.value)) {
      product.constant *= node.inverse ? 1 / *constant : *constant;
      continue;
    }
    if (!isProduct(node.value.getDefiningOp())) {
      product.others.push_back(node);
      continue;
    }
    if (seen.size() == mostNodes)
      return std::nullopt;
    seen.push_back(node.value.getDefiningOp());
    nodes.append(below(node));
  }
  if (!missing.empty())
    return std::nullopt;
  interior.append(seen.begin(), seen.end());
  return product;
}

//===- StaticIndex.cpp - indexing by what is known ------------------------===//
#include "compiler/import/StaticIndex.h"
#include "compiler/import/Movement.h"
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Neuron.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

namespace {

/// Constants behind a value: its ops are folded one after the other. Fails at
/// what depends on an argument, and after many ops.
class Evaluator {
public:
  DenseElementsAttr evaluate(Value value) {
    auto [known, inserted] = values.try_emplace(value);
    if (!inserted)
      return known->second;
    DenseElementsAttr result = compute(value);
    return values[value] = result;
  }

private:
  static constexpr unsigned kMaxOps = 64;
  unsigned ops = 0;
  DenseMap<Value, DenseElementsAttr> values;

  DenseElementsAttr compute(Value value) {
    Operation *op = value.getDefiningOp();
    auto type = cast<RankedTensorType>(value.getType());
    if (!op || op->getNumResults() != 1 || ++ops > kMaxOps ||
        type.getNumElements() == 0)
      return {};
    if (auto iota = dyn_cast<ir::IotaOp>(op))
      return countUp(iota);
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(evaluate(operand));
      if (!operands.back())
        return {};
    }
    // A clone, because folding may change an op.
    Operation *copy = op->clone();
    SmallVector<OpFoldResult> results;
    DenseElementsAttr result;
    if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
      if (auto attr = dyn_cast<Attribute>(results[0]))
        result = dyn_cast<DenseElementsAttr>(attr);
      else if (Value same = cast<Value>(results[0]);
               same.getDefiningOp() != copy)
        result = evaluate(same);
    }
    copy->destroy();
    return result;
  }

  /// In i64, or in f64 rounded once, as neuron.iota counts.
  static DenseElementsAttr countUp(ir::IotaOp iota) {
    RankedTensorType type = iota.getType();
    if (type.getRank() != 1 || type.getNumElements() > ir::kMaxFoldedElements)
      return {};
    SmallVector<Attribute> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Type element = type.getElementType();
      if (auto floating = dyn_cast<FloatType>(element)) {
        double start = cast<FloatAttr>(iota.getStart()).getValueAsDouble(),
               step = cast<FloatAttr>(iota.getStep()).getValueAsDouble();
        elements.push_back(FloatAttr::get(floating, start + step * i));
        continue;
      }
      int64_t number = cast<IntegerAttr>(iota.getStart()).getInt() +
                       cast<IntegerAttr>(iota.getStep()).getInt() * i;
      elements.push_back(IntegerAttr::get(
          element,
          APInt(64, number).sextOrTrunc(element.getIntOrFloatBitWidth())));
    }
    return DenseElementsAttr::get(type, elements);
  }
};

} // namespace

std::optional<SmallVector<int64_t>> import::staticIntegers(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  // Of bool and uint8 it would be a mask.
  if (!type.getElementType().isInteger(64) &&
      !type.getElementType().isInteger(32))
    return std::nullopt;
  if (type.getNumElements() > ir::kMaxFoldedElements)
    return std::nullopt;
  DenseElementsAttr elements = Evaluator().evaluate(value);
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const APInt &number : elements.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  return numbers;
}

Value import::takeStatically(Emitter &e, Value x, int64_t first,
                             ValueRange indices, bool wraps) {
  size_t rank = 0;
  for (Value index : indices)
    rank = std::max<size_t>(rank, Emitter::rankOf(index));
  // One index may run along any dimensions; several, along one each.
  bool isGrid = indices.size() == 1 || rank == indices.size();
  for (auto [k, index] : llvm::enumerate(indices)) {
    ArrayRef<int64_t> shape = Emitter::shapeOf(index);
    for (auto [d, size] : llvm::enumerate(shape))
      if (indices.size() > 1 && size != 1 && rank - shape.size() + d != k)
        isGrid = false;
  }
  if (!isGrid)
    return {};
  for (auto [k, index] : llvm::enumerate(indices)) {
    std::optional<SmallVector<int64_t>> numbers = staticIntegers(index);
    if (!numbers)
      return {};
    int64_t size = Emitter::shapeOf(x)[first + k];
    for (int64_t &number : *numbers) {
      number += wraps && number < 0 ? size : 0;
      if (number < 0 || number >= size)
        return {};
    }
    x = takeDim(e, x, first + k, *numbers);
    if (!x)
      return {};
  }
  if (indices.size() == 1) {
    SmallVector<int64_t> shape(Emitter::shapeOf(x).take_front(first));
    llvm::append_range(shape, Emitter::shapeOf(indices[0]));
    llvm::append_range(shape, Emitter::shapeOf(x).drop_front(first + 1));
    x = e.reshape(x, shape);
  }
  return x;
}

bool import::isIndexing(const Node &node) {
  return node.target == "aten.index.Tensor" ||
         node.target == "aten._unsafe_index.Tensor" ||
         node.target == "aten.index_select.default";
}

Value import::importKnownIndex(Emitter &e, const Node &node,
                               llvm::function_ref<Value(NodeRef)> lookup) {
  const NodeRef *source = node.args[0].as<NodeRef>();
  Value x = source ? lookup(*source) : Value();
  if (!x || Emitter::rankOf(x) == 0)
    return {};
  int64_t first = 0;
  bool wraps = true;
  SmallVector<Value> indices;
  if (const ArgumentList *list = node.args[1].as<ArgumentList>()) {
    for (auto [dim, item] : llvm::enumerate(*list)) {
      if (item.isNone())
        continue;
      const NodeRef *ref = item.as<NodeRef>();
      Value index = ref ? lookup(*ref) : Value();
      // Indices that stand apart go first in the result.
      if (!index || (!indices.empty() && first + indices.size() != dim))
        return {};
      if (indices.empty())
        first = dim;
      indices.push_back(index);
    }
  } else {
    const int64_t *dim = node.args[1].as<int64_t>();
    const NodeRef *ref = node.args[2].as<NodeRef>();
    Value index = ref ? lookup(*ref) : Value();
    if (!dim || !index)
      return {};
    first = *dim < 0 ? *dim + Emitter::rankOf(x) : *dim;
    indices.push_back(index);
    wraps = false;
  }
  if (indices.empty())
    return {};
  Value taken = takeStatically(e, x, first, indices, wraps);
  return taken ? e.reshape(taken, node.results[0].shape) : Value();
}

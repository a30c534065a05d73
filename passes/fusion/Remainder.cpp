//===- Remainder.cpp - a reduction in two pieces --------------------------===//
#include "passes/fusion/Remainder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace neuron::ir;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The elements [start, start + size) along a dimension.
struct Piece {
  int64_t dim, start, size;
};

class Pieces {
public:
  explicit Pieces(ReductionOpInterface op)
      : op(op), b(op), loc(op.getLoc()), input(op.getReducedOperand()) {}

  SmallVector<ReductionOpInterface> run(int64_t dim, int64_t size) {
    int64_t restSize = typeOf(input).getDimSize(dim) - size;
    body = inside(piece(input, {dim, 0, size}));
    rest = inside(piece(input, {dim, size, restSize}));
    Value result;
    if (isa<ArgmaxOp, ArgminOp>(op)) {
      result = index(size);
    } else {
      Value first = reduce(op, body), second = reduce(op, rest);
      result = combined(first, second);
    }
    result = cast(result, typeOf(op->getResult(0)).getElementType());
    op->getResult(0).replaceAllUsesWith(result);
    eraseUnused(op);
    return ofBody;
  }

private:
  /// A piece of a value, computed anew if nothing else wants the whole.
  Value piece(Value value, Piece part) {
    RankedTensorType type = typeOf(value);
    Value &known = pieces[{value, part.start}];
    if (known)
      return known;
    Operation *source = value.getDefiningOp();
    if (!isa_and_nonnull<ElementwiseOpInterface>(source) ||
        !isOnlyReadBy(value, op))
      return known = slice(value, part);
    SmallVector<int64_t> shape(type.getShape());
    shape[part.dim] = part.size;
    OperationState state(source->getLoc(), source->getName());
    for (Value operand : source->getOperands()) {
      // Operands are aligned at the right; what is broadcast stays so.
      int64_t dim = part.dim - type.getRank() + typeOf(operand).getRank();
      bool isBroadcast = dim < 0 || typeOf(operand).getDimSize(dim) == 1;
      state.addOperands(
          isBroadcast ? operand : piece(operand, {dim, part.start, part.size}));
    }
    state.addTypes(type.clone(shape));
    state.addAttributes(source->getAttrs());
    // `known` may have moved.
    return pieces[{value, part.start}] = b.create(state)->getResult(0);
  }

  Value slice(Value value, Piece part) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> shape(type.getShape()), starts(type.getRank(), 0),
        steps(type.getRank(), 1);
    shape[part.dim] = part.size;
    starts[part.dim] = part.start;
    return SliceOp::create(b, loc, type.clone(shape), value,
                           b.getDenseI64ArrayAttr(starts),
                           b.getDenseI64ArrayAttr(steps));
  }

  /// Whether all that comes of a value, through elementwise ops, is one op.
  bool isOnlyReadBy(Value value, Operation *reader) {
    if (auto known = isAlone.find(value); known != isAlone.end())
      return known->second;
    bool result = llvm::all_of(value.getUsers(), [&](Operation *user) {
      return user == reader || (isa<ElementwiseOpInterface>(user) &&
                                isOnlyReadBy(user->getResult(0), reader));
    });
    return isAlone[value] = result;
  }

  Value cast(Value value, Type element) {
    if (typeOf(value).getElementType() == element)
      return value;
    return CastOp::create(b, loc, typeOf(value).clone(element), value);
  }

  /// Sums and products of halves stay in f32 until the pieces are together.
  Value inside(Value value) {
    Type element = typeOf(op->getResult(0)).getElementType();
    if (!isa<SumOp, ProdOp>(op) || isa<IntegerType>(element))
      return value;
    return cast(value, element.isF64() ? element : Type(b.getF32Type()));
  }

  /// `like` of another input; with the input's element type, or its own.
  Value reduce(Operation *like, Value value) {
    Type element = typeOf(like->getResult(0)).getElementType();
    if (isa<SumOp, ProdOp>(like) && !isa<IntegerType>(element))
      element = typeOf(value).getElementType();
    return reduce(like->getName().getStringRef(), value, element);
  }

  Value reduce(StringRef name, Value value, Type element) {
    OperationState state(loc, name);
    state.addOperands(value);
    state.addTypes(typeOf(op->getResult(0)).clone(element));
    for (NamedAttribute attribute : op->getAttrs())
      state.attributes.push_back(attribute);
    Operation *reduction = b.create(state);
    if (value == body)
      ofBody.push_back(llvm::cast<ReductionOpInterface>(reduction));
    return reduction->getResult(0);
  }

  Value combined(Value first, Value second) {
    auto with = [&](auto tag) -> Value {
      return decltype(tag)::create(b, loc, first.getType(), first, second);
    };
    if (typeOf(first).getElementType().isInteger(1))
      return isa<AnyOp, MaxOp>(op) ? with(LogicalOrOp()) : with(LogicalAndOp());
    bool ignores = op->hasAttr("ignore_nan");
    if (isa<SumOp>(op))
      return with(AddOp());
    if (isa<ProdOp>(op))
      return with(MulOp());
    if (isa<MaxOp>(op))
      return ignores ? with(FmaxOp()) : with(MaximumOp());
    assert(isa<MinOp>(op) && "of another reduction there is no such form");
    return ignores ? with(FminOp()) : with(MinimumOp());
  }

  /// That of the rest only if its extremum comes before the body's.
  Value index(int64_t size) {
    bool isMax = isa<ArgmaxOp>(op);
    StringRef extremum =
        isMax ? MaxOp::getOperationName() : MinOp::getOperationName();
    Type element = typeOf(input).getElementType();
    Value best = reduce(extremum, body, element),
          other = reduce(extremum, rest, element);
    Value first = reduce(op, body), second = reduce(op, rest);
    auto type = typeOf(first);
    auto offset = RankedTensorType::get({}, type.getElementType());
    Value start = ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(offset,
                               b.getIntegerAttr(type.getElementType(), size)));
    second = AddOp::create(b, loc, type, second, start);
    auto bools = type.clone(b.getI1Type());
    Value isBetter = isMax
                         ? GtOp::create(b, loc, bools, other, best).getResult()
                         : LtOp::create(b, loc, bools, other, best);
    if (isa<FloatType>(element)) { // the first NaN comes before all numbers
      Value isNan = IsnanOp::create(b, loc, bools, other);
      Value isNumber = LogicalNotOp::create(
          b, loc, bools, IsnanOp::create(b, loc, bools, best));
      isNan = LogicalAndOp::create(b, loc, bools, isNan, isNumber);
      isBetter = LogicalOrOp::create(b, loc, bools, isBetter, isNan);
    }
    return SelectOp::create(b, loc, type, isBetter, second, first);
  }

  static void eraseUnused(Operation *unused) {
    SmallVector<Operation *> work{unused};
    while (!work.empty()) {
      Operation *dead = work.pop_back_val();
      if (!dead->use_empty())
        continue;
      llvm::SmallSetVector<Operation *, 4> sources;
      for (Value operand : dead->getOperands())
        if (Operation *source = operand.getDefiningOp();
            isa_and_nonnull<ElementwiseOpInterface>(source))
          sources.insert(source);
      dead->erase();
      llvm::append_range(work, sources);
    }
  }

  ReductionOpInterface op;
  OpBuilder b;
  Location loc;
  Value input, body, rest;
  SmallVector<ReductionOpInterface> ofBody;
  DenseMap<std::pair<Value, int64_t>, Value> pieces; ///< by value and start
  DenseMap<Value, bool> isAlone;
};

} // namespace

bool neuron::fusion::hasRemainderForm(ReductionOpInterface op) {
  return isa<SumOp, ProdOp, MaxOp, MinOp, AnyOp, AllOp>(op) ||
         (isa<ArgmaxOp, ArgminOp>(op) && op.getReducedDims().size() == 1);
}

SmallVector<ReductionOpInterface>
neuron::fusion::splitRemainder(ReductionOpInterface op, int64_t dim,
                               int64_t size) {
  return Pieces(op).run(dim, size);
}

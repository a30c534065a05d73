//===- SplitReductions.cpp - long rows in parts ---------------------------===//
//
// Passes.td says what comes out. The parts are rows of their own: a reduced
// dimension of size s is cut into s/q parts of q, by a reshape, and the reduced
// dimensions outside of it count parts as well. The cut is chosen by the time
// of both steps, in elements of a partition.
//
// Of a length without a divisor that would do, a remainder is reduced apart
// (Remainder.h).
//
// The extremum's index is found in two steps too: the first part that has the
// extremum, and the index within that part.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Remainder.h"
#include "passes/lowering/Composites.h"
#include "llvm/Support/MathExtras.h"

namespace neuron::fusion {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/fusion/Passes.h.inc"
} // namespace neuron::fusion

using namespace mlir;
using namespace neuron::ir;

namespace {

/// Elements that take an engine as long as the start of an instruction, about.
constexpr int64_t kStart = 256;
/// Rows of parts stay short enough for several of them to be in SBUF.
constexpr int64_t kLongestPart = 8192, kShortestPart = 128;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Dimension `dim` is cut into parts of `inner` elements.
struct Cut {
  int64_t dim, inner;
  int64_t time = 0; ///< of both steps, about
};

/// The first `size` elements of a dimension, without the last `rest`.
struct Piece {
  int64_t dim, size, rest;
};

/// The dimensions that `op` reduces over, if it is one of those to look at.
ArrayRef<int64_t> reducedDims(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduction.getReducedDims();
  if (auto named = dyn_cast<NamedOpInterface>(op))
    return named.getNormalizedDims();
  return {};
}

class Splitter {
public:
  Splitter(ReductionOpInterface op, Cut cut)
      : op(op), b(op), loc(op.getLoc()), input(op.getReducedOperand()) {
    // The input's own shape, with the dimension cut.
    RankedTensorType type = typeOf(input);
    ArrayRef<int64_t> dims = op.getReducedDims();
    int64_t size = type.getDimSize(cut.dim);
    bool whole = cut.inner == size;
    for (auto [dim, s] : llvm::enumerate(type.getShape())) {
      if (int64_t(dim) != cut.dim || whole) {
        shape.push_back(s);
        continue;
      }
      shape.push_back(size / cut.inner);
      shape.push_back(cut.inner);
    }
    for (int64_t dim : dims) {
      if (dim < cut.dim)
        outer.push_back(dim);
      else if (whole)
        inner.push_back(dim);
      else if (dim > cut.dim)
        inner.push_back(dim + 1);
      else {
        outer.push_back(dim);
        inner.push_back(dim + 1);
      }
    }
  }

  void run() {
    Value result = isa<ArgmaxOp, ArgminOp>(op) ? index() : combined();
    result = ReshapeOp::create(b, loc, op->getResult(0).getType(), result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

private:
  template <typename Op> Value create(Value value, ArrayRef<int64_t> dims) {
    return create(Op::getOperationName(), value, dims,
                  typeOf(value).getElementType());
  }

  Value create(StringRef name, Value value, ArrayRef<int64_t> dims,
               Type element) {
    SmallVector<int64_t> kept(typeOf(value).getShape());
    for (int64_t dim : dims)
      kept[dim] = 1;
    OperationState state(loc, name);
    state.addOperands(value);
    state.addTypes(RankedTensorType::get(kept, element));
    state.addAttribute("dims", b.getDenseI64ArrayAttr(dims));
    state.addAttribute("keepdim", b.getUnitAttr());
    if (Attribute ignore = op->getAttr("ignore_nan"))
      state.addAttribute("ignore_nan", ignore);
    return b.create(state)->getResult(0);
  }

  Value cut(Value value) {
    auto type = typeOf(value).clone(shape);
    return value.getType() == type
               ? value
               : ReshapeOp::create(b, loc, type, value).getResult();
  }

  Value cast(Value value, Type element) {
    if (typeOf(value).getElementType() == element)
      return value;
    return CastOp::create(b, loc, typeOf(value).clone(element), value);
  }

  /// Both steps by the op's own function.
  Value combined() {
    StringRef name = op->getName().getStringRef();
    Type element = typeOf(op->getResult(0)).getElementType();
    Type inside = element;
    if (isa<SumOp, ProdOp>(op) && (element.isF16() || element.isBF16()))
      inside = b.getF32Type();
    Value value = cut(input);
    if (!isa<AnyOp, AllOp>(op))
      value = cast(value, inside);
    value = create(name, value, inner, inside);
    return cast(create(name, value, outer, inside), element);
  }

  Value constant(int64_t number) {
    auto type = RankedTensorType::get({}, b.getI64Type());
    return ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getI64IntegerAttr(number)));
  }

  /// part * elements of a part + index in the part, of the first part that has
  /// the extremum; the other parts add 0.
  Value index() {
    bool isMax = isa<ArgmaxOp>(op);
    StringRef name = op->getName().getStringRef();
    Value parts = cut(input);
    Type i64 = b.getI64Type();
    Value extrema =
        isMax ? create<MaxOp>(parts, inner) : create<MinOp>(parts, inner);
    Value within = create(name, parts, inner, i64);
    int64_t count = 1, elements = 1;
    for (int64_t dim : outer)
      count *= shape[dim];
    for (int64_t dim : inner)
      elements *= shape[dim];
    // The parts in order along one dimension, the first of `outer`.
    SmallVector<int64_t> flat(typeOf(extrema).getShape());
    for (int64_t dim : outer)
      flat[dim] = 1;
    flat[outer.front()] = count;
    auto flatten = [&](Value value) -> Value {
      auto type = typeOf(value).clone(flat);
      return value.getType() == type
                 ? value
                 : ReshapeOp::create(b, loc, type, value).getResult();
    };
    extrema = flatten(extrema);
    within = flatten(within);
    ArrayRef<int64_t> dims(outer.front());
    Value first = create(name, extrema, dims, i64);
    SmallVector<int64_t> line(flat.size(), 1);
    line[outer.front()] = count;
    auto lineType = RankedTensorType::get(line, i64);
    Value number =
        IotaOp::create(b, loc, lineType, b.getI64IntegerAttr(outer.front()),
                       b.getI64IntegerAttr(0), b.getI64IntegerAttr(1));
    Value start = MulOp::create(b, loc, lineType, number, constant(elements));
    auto type = typeOf(within);
    Value index = AddOp::create(b, loc, type, within, start);
    Value isFirst =
        EqOp::create(b, loc, type.clone(b.getI1Type()), number, first);
    index = SelectOp::create(b, loc, type, isFirst, index, constant(0));
    return create<SumOp>(index, dims);
  }

  ReductionOpInterface op;
  OpBuilder b;
  Location loc;
  Value input;
  SmallVector<int64_t> shape, outer, inner;
};

struct SplitReductions final
    : neuron::fusion::impl::SplitReductionsBase<SplitReductions> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    if (failed(decompose(function)))
      return signalPassFailure();
    SmallVector<ReductionOpInterface> work;
    for (auto op : function.getBody().front().getOps<ReductionOpInterface>())
      if (isa<SumOp, ProdOp, MaxOp, MinOp, AnyOp, AllOp, ArgmaxOp, ArgminOp>(
              op))
        work.push_back(op);
    for (ReductionOpInterface op : work) {
      if (std::optional<Piece> body = bodyFor(op)) {
        decided(op, "does all but the last " + llvm::Twine(body->rest) +
                        " elements of dimension " + llvm::Twine(body->dim) +
                        " in parts");
        for (ReductionOpInterface made :
             neuron::fusion::splitRemainder(op, body->dim, body->size))
          Splitter(made, *bestCut(typeOf(made.getReducedOperand()).getShape(),
                                  made.getReducedDims()))
              .run();
      } else if (std::optional<Cut> cut = cutFor(op)) {
        decided(op, "is done in parts of " + llvm::Twine(cut->inner) +
                        " along dimension " + llvm::Twine(cut->dim));
        Splitter(op, *cut).run();
      }
    }
  }

  static void decided(Operation *op, const llvm::Twine &what) {
    remark::passed(op->getLoc(),
                   remark::RemarkOpts::name("Split").category("fusion"))
        << (op->getName().getStringRef() + " " + what).str();
  }

  /// Composites over long rows become primitive ops; in f32, as the rounding
  /// pass would have it.
  LogicalResult decompose(func::FuncOp function) {
    // A remainder is for what becomes reductions and little else.
    auto applies = [&](Operation *op) {
      return cutFor(op) || (isa<MeanOp, VarOp, NormOp>(op) && bodyFor(op));
    };
    bool any = false;
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      if (!isa<NamedOpInterface, MeanOp, VarOp, NormOp>(op) || !applies(&op))
        continue;
      any = true;
      widen(&op);
    }
    if (!any)
      return success();
    RewritePatternSet patterns(&getContext());
    neuron::lowering::populateDecomposition(patterns, applies);
    return applyPatternsGreedily(function, std::move(patterns));
  }

  static void widen(Operation *op) {
    Value result = op->getResult(0);
    Type narrow = typeOf(result).getElementType();
    if (!narrow.isF16() && !narrow.isBF16())
      return;
    OpBuilder b(op);
    Type f32 = b.getF32Type();
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType type = typeOf(operand.get());
      if (type.getElementType() == narrow)
        operand.set(
            CastOp::create(b, op->getLoc(), type.clone(f32), operand.get()));
    }
    Type before = result.getType();
    result.setType(typeOf(result).clone(f32));
    b.setInsertionPointAfter(op);
    auto rounded = CastOp::create(b, op->getLoc(), before, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }

  /// Whether rows that `op` reduces leave partitions idle and are long enough.
  bool isLong(Operation *op) const {
    ArrayRef<int64_t> dims = reducedDims(op);
    if (dims.empty())
      return false;
    ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape();
    int64_t elements = product(shape), reduced = 1;
    for (int64_t dim : dims)
      reduced *= shape[dim];
    // The index counts along neighbours.
    if (isa<ArgmaxOp, ArgminOp>(op) &&
        dims.back() - dims.front() + 1 != int64_t(dims.size()))
      return false;
    return elements != 0 && elements / reduced < partitions &&
           reduced >= minElements;
  }

  static int64_t product(ArrayRef<int64_t> shape) {
    int64_t elements = 1;
    for (int64_t size : shape)
      elements *= size;
    return elements;
  }

  /// How to cut the rows that `op` reduces, or nothing if it is well as it is.
  std::optional<Cut> cutFor(Operation *op) const {
    if (!isLong(op))
      return std::nullopt;
    return bestCut(typeOf(op->getOperand(0)).getShape(), reducedDims(op));
  }

  /// All but a few elements of the longest dimension, if those can be cut and
  /// the whole cannot, or not nearly as well.
  std::optional<Piece> bodyFor(Operation *op) const {
    if (!isLong(op))
      return std::nullopt;
    if (auto reduction = dyn_cast<ReductionOpInterface>(op);
        reduction && !isa<MeanOp, VarOp, NormOp>(op) &&
        !neuron::fusion::hasRemainderForm(reduction))
      return std::nullopt;
    ArrayRef<int64_t> dims = reducedDims(op);
    SmallVector<int64_t> shape(typeOf(op->getOperand(0)).getShape());
    int64_t dim = *llvm::max_element(
        dims, [&](int64_t a, int64_t b) { return shape[a] < shape[b]; });
    int64_t rest = shape[dim] % (8 * partitions);
    std::optional<Cut> whole = bestCut(shape, dims);
    shape[dim] -= rest;
    if (rest == 0 || shape[dim] < minElements / 2)
      return std::nullopt;
    std::optional<Cut> cut = bestCut(shape, dims);
    if (!cut || (whole && whole->time < 2 * (cut->time + rest + 2 * kStart)))
      return std::nullopt;
    return Piece{dim, shape[dim], rest};
  }

  std::optional<Cut> bestCut(ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> dims) const {
    int64_t elements = product(shape), reduced = 1;
    for (int64_t dim : dims)
      reduced *= shape[dim];
    // Tiles of parts, each as long as a part, and the load of the first, which
    // nothing hides; then one row of parts.
    auto timeOf = [&](int64_t part) {
      return (llvm::divideCeil(elements / part, int64_t(partitions)) + 1) *
                 (part + kStart) +
             reduced / part;
    };
    std::optional<Cut> best;
    auto consider = [&](Cut cut, int64_t part) {
      if (part < kShortestPart || part > kLongestPart || part == reduced)
        return;
      // A dimension that is cut becomes two.
      if (shape.size() == kMaxRank && cut.inner != shape[cut.dim])
        return;
      int64_t time = timeOf(part);
      if (!best || time < best->time)
        best = Cut{cut.dim, cut.inner, time};
    };
    // Whole dimensions are what others reduce as well, and fuse with.
    int64_t part = 1;
    for (int64_t dim : llvm::reverse(dims)) {
      part *= shape[dim];
      if (part >= 4 * kShortestPart)
        consider({dim, shape[dim]}, part);
    }
    if (best)
      return best;
    part = 1;
    for (int64_t dim : llvm::reverse(dims)) {
      int64_t size = shape[dim];
      for (int64_t inner = 1; inner <= size && inner <= kLongestPart; ++inner)
        if (size % inner == 0)
          consider({dim, inner}, part * inner);
      part *= size;
    }
    return best;
  }
};

} // namespace

//===- SplitSorts.cpp - rows too long to be sorted on chip ----------------===//
//
// Passes.td says what comes out: odd-even transposition of blocks. In a round,
// each pair of neighbouring blocks is sorted as one row; after as many rounds
// as there are blocks, the row is sorted. An element never passes one that it
// is equal to, for neighbours are sorted by a stable sort: so is the whole.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/Remarks.h"
#include "passes/fusion/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace neuron::fusion {
#define GEN_PASS_DEF_SPLITSORTS
#include "passes/fusion/Passes.h.inc"
} // namespace neuron::fusion

using namespace mlir;
using namespace neuron::ir;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A sort and an argsort of one value, or one of them.
struct LongSort {
  SortOp values;
  ArgsortOp places;

  Operation *any() const {
    return values ? static_cast<Operation *>(values)
                  : static_cast<Operation *>(places);
  }
  Value input() const { return any()->getOperand(0); }
  ArrayRef<int64_t> dims() const {
    return cast<NamedOpInterface>(any()).getNormalizedDims();
  }
  bool isDescending() const { return any()->hasAttr("descending"); }
};

/// An element that no other is behind, so that those added at the end stay
/// there.
Attribute lastOf(Type element, bool descending) {
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(
        type, descending ? APFloat::getInf(type.getFloatSemantics(), true)
                         : APFloat::getNaN(type.getFloatSemantics()));
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isUnsigned = bits == 1 || element.isUnsignedInteger();
  if (descending)
    return IntegerAttr::get(element, isUnsigned
                                         ? APInt::getZero(bits)
                                         : APInt::getSignedMinValue(bits));
  return IntegerAttr::get(element, isUnsigned ? APInt::getMaxValue(bits)
                                              : APInt::getSignedMaxValue(bits));
}

class Splitter {
public:
  /// Pairs of blocks have `longest` elements at most.
  Splitter(LongSort sort, int64_t longest)
      : sort(sort), b(sort.any()), loc(sort.any()->getLoc()) {
    type = typeOf(sort.input());
    isDescending = sort.isDescending();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(sort.dims(), dim)) {
        order.push_back(dim);
        rows *= type.getDimSize(dim);
      }
    for (int64_t dim : sort.dims()) {
      order.push_back(dim);
      size *= type.getDimSize(dim);
    }
    blocks = llvm::alignTo(llvm::divideCeil(size, longest / 2), 2);
    block = llvm::divideCeil(size, blocks);
  }

  void run() {
    Value row = padded(reshape(permuted(sort.input(), order), {rows, size}));
    Value places;
    for (int64_t round = 0; round < blocks; ++round) {
      // In odd rounds the first block and the last one have no neighbour.
      int64_t skipped = round % 2 * block;
      sortPairs(row, places, skipped);
    }
    if (sort.values)
      replace(sort.values, row);
    if (sort.places)
      replace(sort.places, places);
    // At last, for the builder stands at one of them.
    for (Operation *op : {static_cast<Operation *>(sort.values),
                          static_cast<Operation *>(sort.places)})
      if (op)
        op->erase();
  }

  int64_t numBlocks() const { return blocks; }

private:
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    RankedTensorType type = typeOf(value).clone(shape);
    return type == value.getType()
               ? value
               : ReshapeOp::create(b, loc, type, value).getResult();
  }
  Value permuted(Value value, ArrayRef<int64_t> permutation) {
    if (llvm::is_sorted(permutation))
      return value;
    SmallVector<int64_t> shape;
    for (int64_t dim : permutation)
      shape.push_back(typeOf(value).getDimSize(dim));
    return PermuteOp::create(b, loc, typeOf(value).clone(shape), value,
                             permutation);
  }
  /// `count` columns of a value with two dimensions.
  Value columns(Value value, int64_t start, int64_t count) {
    auto type = typeOf(value).clone({rows, count});
    return SliceOp::create(b, loc, type, value, ArrayRef<int64_t>{0, start},
                           ArrayRef<int64_t>{1, 1});
  }
  Value joined(ArrayRef<Value> parts) {
    int64_t count = 0;
    for (Value part : parts)
      count += typeOf(part).getDimSize(1);
    auto type = typeOf(parts.front()).clone({rows, count});
    return ConcatOp::create(b, loc, type, parts, 1);
  }
  Value padded(Value value) {
    int64_t extra = blocks * block - size;
    if (extra == 0)
      return value;
    auto type = typeOf(value).clone({rows, extra});
    Value last = ConstantOp::create(
        b, loc, type,
        DenseElementsAttr::get(type,
                               lastOf(type.getElementType(), isDescending)));
    return joined({value, last});
  }

  /// [rows, pairs, 2 * block] of the columns that have a neighbour.
  Value pairs(Value value, int64_t skipped) {
    int64_t count = blocks * block - 2 * skipped;
    if (skipped)
      value = columns(value, skipped, count);
    return reshape(value, {rows, count / (2 * block), 2 * block});
  }
  /// The other way round; the columns skipped are those of `before`.
  Value whole(Value value, Value before, int64_t skipped) {
    int64_t count = blocks * block;
    value = reshape(value, {rows, count - 2 * skipped});
    if (!skipped)
      return value;
    return joined({columns(before, 0, skipped), value,
                   columns(before, count - skipped, skipped)});
  }

  void sortPairs(Value &row, Value &places, int64_t skipped) {
    UnitAttr descending = isDescending ? b.getUnitAttr() : UnitAttr();
    Value keys = pairs(row, skipped);
    const int64_t dims[] = {2};
    if (sort.places) {
      auto type = typeOf(keys).clone(b.getI64Type());
      Value within = ArgsortOp::create(
          b, loc, type, keys, b.getDenseI64ArrayAttr(dims), descending);
      places = places ? whole(gathered(pairs(places, skipped), within), places,
                              skipped)
                      : whole(fromPairs(within), places, skipped);
    }
    Value sorted = SortOp::create(b, loc, keys.getType(), keys,
                                  b.getDenseI64ArrayAttr(dims), descending);
    row = whole(sorted, row, skipped);
  }

  /// Places in the row, of places in pairs.
  Value fromPairs(Value within) {
    int64_t count = typeOf(within).getDimSize(1);
    Value start =
        IotaOp::create(b, loc, RankedTensorType::get(count, b.getI64Type()), 0,
                       b.getI64IntegerAttr(0), b.getI64IntegerAttr(2 * block));
    return AddOp::create(b, loc, within.getType(), within,
                         reshape(start, {1, count, 1}));
  }
  /// values[r, p, within[r, p, i]]
  Value gathered(Value values, Value within) {
    int64_t count = typeOf(values).getDimSize(1);
    Value first =
        reshape(permuted(values, {2, 0, 1}), {2 * block, rows, count, 1});
    return GatherOp::create(b, loc, within.getType(), first, within);
  }

  void replace(Operation *op, Value row) {
    SmallVector<int64_t> shape, back(order.size());
    for (auto [to, from] : llvm::enumerate(order)) {
      shape.push_back(type.getDimSize(from));
      back[from] = to;
    }
    Value result = reshape(columns(row, 0, size), shape);
    op->getResult(0).replaceAllUsesWith(permuted(result, back));
  }

  LongSort sort;
  OpBuilder b;
  Location loc;
  RankedTensorType type;
  bool isDescending;
  SmallVector<int64_t> order; ///< the dimensions sorted along, last
  int64_t rows = 1, size = 1, blocks = 0, block = 0;
};

struct SplitSorts final : neuron::fusion::impl::SplitSortsBase<SplitSorts> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || sbufBytes == 0)
      return;
    SmallVector<LongSort> work;
    for (Operation &op : function.getBody().front()) {
      if (!isa<SortOp, ArgsortOp>(op) || sizeOf(&op) <= longestOf(&op))
        continue;
      LongSort next{dyn_cast<SortOp>(op), dyn_cast<ArgsortOp>(op)};
      auto *same = llvm::find_if(work, [&](const LongSort &other) {
        return other.input() == next.input() && other.dims() == next.dims() &&
               other.isDescending() == next.isDescending() &&
               !(next.values ? bool(other.values) : bool(other.places));
      });
      if (same == work.end())
        work.push_back(next);
      else if (next.values)
        same->values = next.values;
      else
        same->places = next.places;
    }
    for (const LongSort &sort : work) {
      Splitter splitter(firstOf(sort), longestOf(sort.any()));
      remark::passed(sort.any()->getLoc(),
                     remark::RemarkOpts::name("Split").category("fusion"))
          << ("rows of " + llvm::Twine(sizeOf(sort.any())) + " are sorted in " +
              llvm::Twine(splitter.numBlocks()) + " blocks")
                 .str();
      splitter.run();
    }
  }

  /// With the one that stands first in `any`, before which the blocks are
  /// sorted: both have the same operand.
  static LongSort firstOf(LongSort sort) {
    if (sort.values && sort.places && sort.places->isBeforeInBlock(sort.values))
      sort.values->moveBefore(sort.places);
    return sort;
  }

  static int64_t sizeOf(Operation *op) {
    int64_t size = 1;
    for (int64_t dim : cast<NamedOpInterface>(op).getNormalizedDims())
      size *= typeOf(op->getOperand(0)).getDimSize(dim);
    return size;
  }

  /// Keys, sorted keys and their places have to be in SBUF at once.
  int64_t longestOf(Operation *op) const {
    unsigned bits = typeOf(op->getOperand(0)).getElementTypeBitWidth();
    int64_t bytes = 2 * llvm::divideCeil(bits, 8) + sizeof(int64_t);
    return std::max<int64_t>(sbufBytes / bytes / 256 * 256, 2);
  }
};

} // namespace

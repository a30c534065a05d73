//===- ExpandMatmul.cpp - products without the Tensor engine --------------===//
//
// Passes.td says which. More dimensions than a tensor may have, were they all
// kept apart, are merged first: a view that strides cannot say is then copied.
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/graph/Passes.h"

namespace neuron::graph {
#define GEN_PASS_DEF_EXPANDMATMUL
#include "passes/graph/Passes.h.inc"
} // namespace neuron::graph

using namespace mlir;
using namespace neuron::ir;

namespace {

bool isForTensorEngine(MatmulOp op) {
  Type element = op.getLhs().getType().getElementType();
  return (element.isF32() || element.isBF16() || element.isF16()) &&
         llvm::product_of(op.getKSizes()) != 1;
}

class Expansion {
public:
  Expansion(MatmulOp op, RewriterBase &b) : op(op), b(b) {
    Shape *groups[] = {&batch, &m, &n, &k};
    ArrayRef<int64_t> sizes[] = {op.getBatchSizes(), op.getMSizes(),
                                 op.getNSizes(), op.getKSizes()};
    size_t rank = 0;
    for (ArrayRef<int64_t> some : sizes)
      rank += some.size();
    for (auto [group, some] : llvm::zip(groups, sizes)) {
      if (rank > kMaxRank)
        group->push_back(llvm::product_of(some));
      else
        group->assign(some.begin(), some.end());
    }
  }

  Value run() {
    Shape ones(n.size(), 1), rowOnes(m.size(), 1);
    Value lhs = reshape(computed(op.getLhs()), {batch, m, ones, k});
    Value rhs = reshape(computed(op.getRhs()), {batch, k, n});
    rhs = reshape(withTermsLast(rhs), {batch, rowOnes, n, k});
    Shape all = joined({batch, m, n, k});
    Type element = elementOf(lhs);
    Value value = MulOp::create(b, op.getLoc(),
                                RankedTensorType::get(all, element), lhs, rhs);
    if (llvm::product_of(k) != 1) {
      Shape dims;
      for (size_t i = all.size() - k.size(); i < all.size(); ++i)
        dims.push_back(i);
      value = SumOp::create(
          b, op.getLoc(), RankedTensorType::get(joined({batch, m, n}), element),
          value, dims, /*keepdim=*/false);
    }
    return reshape(value, {shapeOf(op.getResult())});
  }

private:
  MatmulOp op;
  RewriterBase &b;
  Shape batch, m, n, k;

  static Type elementOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }
  static Shape joined(std::initializer_list<ArrayRef<int64_t>> parts) {
    Shape result;
    for (ArrayRef<int64_t> part : parts)
      result.append(part.begin(), part.end());
    return result;
  }
  /// In the type of the result: halves whose product is wanted in f32 are
  /// widened, which is exact.
  Value computed(Value value) {
    Type element = op.getType().getElementType();
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == element)
      return value;
    return CastOp::create(b, op.getLoc(), type.clone(element), value);
  }
  Value reshape(Value value, std::initializer_list<ArrayRef<int64_t>> parts) {
    Shape shape = joined(parts);
    if (shapeOf(value) == ArrayRef<int64_t>(shape))
      return value;
    return ReshapeOp::create(
        b, op.getLoc(), RankedTensorType::get(shape, elementOf(value)), value);
  }
  /// [batch, K, N] as [batch, N, K].
  Value withTermsLast(Value value) {
    Shape permutation, shape;
    auto take = [&](size_t first, size_t count) {
      for (size_t i = first; i < first + count; ++i) {
        permutation.push_back(i);
        shape.push_back(shapeOf(value)[i]);
      }
    };
    take(0, batch.size());
    take(batch.size() + k.size(), n.size());
    take(batch.size(), k.size());
    return PermuteOp::create(b, op.getLoc(),
                             RankedTensorType::get(shape, elementOf(value)),
                             value, permutation);
  }
};

struct ExpandMatmulPass final
    : neuron::graph::impl::ExpandMatmulBase<ExpandMatmulPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<MatmulOp> expanded;
    getOperation().walk([&](MatmulOp op) {
      if (!isForTensorEngine(op))
        expanded.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (MatmulOp op : expanded) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, Expansion(op, rewriter).run());
    }
  }
};

} // namespace

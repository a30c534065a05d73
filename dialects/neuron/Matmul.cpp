//===- Matmul.cpp - rules and canonical form of neuron.matmul -------------===//
#include "dialects/neuron/ConstantMath.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/neuron/Shapes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace neuron::ir;

LogicalResult MatmulOp::verify() {
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  Type element = elementOf(getLhs()), other = elementOf(getRhs());
  if (element != other)
    return emitOpError("M1: operands must have one element type, got ")
           << element << " and " << other;
  Type result = elementOf(getResult());
  bool isHalf = element.isF16() || element.isBF16();
  if (result != element && !(isHalf && result.isF32()))
    return emitOpError("M2: result of ")
           << element << " must have that type" << (isHalf ? " or f32" : "")
           << ", got " << result;
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  int64_t batch = getBatch(), contract = getContract();
  if (batch < 0 || contract < 0 || batch + contract > int64_t(lhs.size()) ||
      batch + contract > int64_t(rhs.size()))
    return emitOpError("M3: operands must have ")
           << batch << " batch and " << contract
           << " contracted dimensions, got " << shapeText(lhs) << " and "
           << shapeText(rhs);
  if (lhs.take_front(batch) != rhs.take_front(batch) ||
      lhs.take_back(contract) != rhs.slice(batch, contract))
    return emitOpError("M3: batch and contracted dimensions must have equal "
                       "sizes, got ")
           << shapeText(lhs) << " and " << shapeText(rhs);
  Shape wanted(lhs.drop_back(contract));
  wanted.append(getNSizes().begin(), getNSizes().end());
  if (shapeOf(getResult()) != ArrayRef<int64_t>(wanted))
    return emitOpError("M4: result must have the shape ")
           << shapeText(wanted) << ", got " << shapeText(shapeOf(getResult()));
  return success();
}

namespace {

/// A sum of no terms.
///
/// Example: contracting tensor<4x0xf32> with tensor<0x8xf32> makes zeros.
struct NoTerms final : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::is_contained(op.getKSizes(), 0))
      return rewriter.notifyMatchFailure(op, "has terms");
    auto type = op.getType();
    rewriter.replaceOpWithNewOp<ConstantOp>(
        op, DenseElementsAttr::get(type, cast<Attribute>(rewriter.getZeroAttr(
                                             type.getElementType()))));
    return success();
  }
};

/// A right matrix that is the same for the whole batch is multiplied with all
/// rows at once.
///
/// Example:
///   %w = neuron.expand %x : (tensor<64x32xf32>) -> tensor<8x64x32xf32>
///   neuron.matmul %a, %w batch 1 contract 1
/// becomes
///   neuron.matmul %a, %x batch 0 contract 1
struct SharedRight final : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getRhs().getDefiningOp<ExpandOp>();
    int64_t batch = op.getBatch();
    if (!expand || batch == 0)
      return rewriter.notifyMatchFailure(op, "rhs is no broadcast of a batch");
    ArrayRef<int64_t> from = shapeOf(expand.getInput());
    int64_t rest = shapeOf(op.getRhs()).size() - batch;
    if (int64_t(from.size()) < rest ||
        from.take_back(rest) != shapeOf(op.getRhs()).take_back(rest) ||
        llvm::any_of(from.drop_back(rest), [](int64_t s) { return s != 1; }))
      return rewriter.notifyMatchFailure(op, "rhs differs over the batch");
    Value shared = expand.getInput();
    auto type = RankedTensorType::get(from.take_back(rest),
                                      op.getRhs().getType().getElementType());
    if (shared.getType() != type)
      shared = ReshapeOp::create(rewriter, op.getLoc(), type, shared);
    rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), op.getLhs(), shared,
                                          0, op.getContract());
    return success();
  }
};

} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                           MLIRContext *context) {
  results.add<NoTerms, SharedRight>(context);
}

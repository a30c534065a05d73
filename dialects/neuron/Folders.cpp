//===- Folders.cpp - folding ---------------------------------------------------===//
#include "dialects/neuron/Folders.h"
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace neuron::ir;

OpFoldResult neuron::ir::foldElementwise(Operation *op, ArrayRef<Attribute> operands) { return {}; }

OpFoldResult neuron::ir::foldReduction(Operation *op, Attribute input) { return {}; }

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
OpFoldResult ReshapeOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ExpandOp::fold(FoldAdaptor) { return {}; }
OpFoldResult PermuteOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SliceOp::fold(FoldAdaptor) { return {}; }
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void ExpandOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void SliceOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void CastOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void NeuronDialect::getCanonicalizationPatterns(RewritePatternSet &) const {}

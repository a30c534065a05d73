//===- Verifiers.cpp - numbered rules ------------------------------------------===//
#include "dialects/neuron/Verifiers.h"
#include "dialects/neuron/Neuron.h"

using namespace mlir;
using namespace neuron::ir;

LogicalResult neuron::ir::verifyBroadcast(Operation *op) { return success(); }
LogicalResult neuron::ir::verifyReduction(Operation *op) { return success(); }
LogicalResult SoftmaxOp::verify() { return success(); }
LogicalResult LogSoftmaxOp::verify() { return success(); }
LogicalResult RmsNormOp::verify() { return success(); }
LogicalResult LayerNormOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult ExpandOp::verify() { return success(); }
LogicalResult PermuteOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }

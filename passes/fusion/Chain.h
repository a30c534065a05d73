//===- Chain.h - kernels that hand rows on in SBUF --------------*- C++ -*-===//
//
// A kernel whose left matrix is made by the kernel before it, row by row, can
// run on each tile of rows right behind it: the rows stay on chip. Attention is
// such a chain (scores and softmax, then the product with the values), and so
// is a norm before a linear layer.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "dialects/neuron/Neuron.h"

namespace neuron::fusion {

/// A left matrix and the result of another kernel that it is.
struct ChainLink {
  ir::MatmulOp product;
  unsigned result; ///< of the producer
};

/// What is only reshaped, in its own order.
mlir::Value behindReshapes(mlir::Value value);

/// The kernel that makes the left matrix of a product of `consumer` in rows of
/// its own that are those of the product; null if there is none.
ir::KernelOp chainProducer(ir::KernelOp consumer);

/// The left matrices of `consumer` that are rows of `producer`; empty if they
/// cannot be chained.
llvm::SmallVector<ChainLink> chainLinks(ir::KernelOp producer,
                                        ir::KernelOp consumer);

/// Whether the left matrices of `consumer` that chainLinks gives are all that
/// reads the result.
bool isReadOnlyBy(mlir::Value result, ir::KernelOp consumer);

/// Marks a kernel that runs on the rows of the kernel before it.
inline constexpr llvm::StringLiteral kChainedAttr = "chained";

} // namespace neuron::fusion

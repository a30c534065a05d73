//===- KernelNames.cpp - readable names of kernels ------------------------===//
#include "passes/fusion/KernelNames.h"
#include "dialects/neuron/Neuron.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

static constexpr size_t longestName = 4; // parts

/// How much an op tells about a kernel.
static unsigned weight(Operation *op) {
  if (isa<NamedOpInterface>(op))
    return 3;
  if (isa<ReductionOpInterface>(op))
    return 2;
  return isa<CastOp, BitcastOp, ViewOpInterface>(op) ? 0 : 1;
}

std::string KernelNames::name(ArrayRef<Operation *> ops) {
  llvm::SmallSetVector<StringRef, 8> parts;
  // The telling ops are chosen first, and then named in program order.
  for (unsigned least : {3u, 2u, 1u, 0u})
    for (Operation *op : ops)
      if (weight(op) == least && parts.size() < longestName &&
          (least > 0 || parts.empty()))
        parts.insert(op->getName().stripDialect());
  std::string name;
  llvm::SmallSetVector<StringRef, 8> inOrder;
  for (Operation *op : ops)
    if (parts.contains(op->getName().stripDialect()))
      inOrder.insert(op->getName().stripDialect());
  for (StringRef part : inOrder)
    name += (name.empty() ? "" : "_") + part.str();
  if (inOrder.size() > 1)
    name = "fused_" + name;
  unsigned count = used[name]++;
  return count ? name + "_" + std::to_string(count) : name;
}

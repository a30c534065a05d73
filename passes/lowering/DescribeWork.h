//===- DescribeWork.h - what a kernel has to do -----------------*- C++ -*-===//
//
// Counts the bytes, products and operations that kernels which become one need,
// whatever instructions do them: what a roofline starts from. The attribute
// `work` of a nisa.kernel has the counts that are not zero, by the names of
// compiler/report/Work.def.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/report/Work.h"
#include "passes/lowering/RowKernel.h"

namespace neuron::lowering {

/// Of the kernels of a chain, or of one. What stays on chip between them, and
/// what a causal mask takes out, is not counted.
report::Work describeWork(llvm::ArrayRef<StageInput> stages);

inline constexpr llvm::StringLiteral kWorkAttr = "work";

mlir::DictionaryAttr workAttr(mlir::MLIRContext *context,
                              const report::Work &work);
report::Work workOf(mlir::DictionaryAttr attribute);

} // namespace neuron::lowering

//===- Composites.h - named ops as primitive ones ---------------*- C++ -*-===//
#pragma once
#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace neuron::lowering {

/// Patterns that take apart the named ops and composite reductions on f32 and
/// f64 that `applies` to.
void populateDecomposition(
    mlir::RewritePatternSet &patterns,
    const std::function<bool(mlir::Operation *)> &applies);

} // namespace neuron::lowering

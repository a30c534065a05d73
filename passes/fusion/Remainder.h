//===- Remainder.h - a reduction in two pieces ------------------*- C++ -*-===//
#pragma once
#include "dialects/neuron/Neuron.h"

namespace neuron::fusion {

/// Whether splitRemainder can be asked to do `op`.
bool hasRemainderForm(ir::ReductionOpInterface op);

/// Reduces the first `size` elements along the reduced dimension `dim`, and the
/// others, by ops of their own, and what they give by the function of `op`,
/// which goes. Returns the ops on the first elements.
///
/// What only `op` reads of elementwise ops is computed in two pieces as well,
/// so that each fuses with its reduction.
llvm::SmallVector<ir::ReductionOpInterface>
splitRemainder(ir::ReductionOpInterface op, int64_t dim, int64_t size);

} // namespace neuron::fusion

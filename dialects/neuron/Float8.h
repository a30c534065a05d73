//===- Float8.h - constants of 8-bit floats ---------------------*- C++ -*-===//
#pragma once
#include "llvm/ADT/APFloat.h"

namespace neuron::ir {

/// `value` in one of the 8-bit floats, by the function that casts at run time.
/// (LLVM's own conversions differ where c10 saturates, and for f8E8M0FNU, which
/// has no zero and no sign.)
llvm::APFloat float8Of(float value, const llvm::fltSemantics &semantics);

} // namespace neuron::ir

//===- Apply.h - the functions by their enumerator --------------*- C++ -*-===//
#pragma once
#include "runtime/program/Functions.h"
#include "runtime/simulator/semantics/Scalars.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

using program::Fn;

/// fn::name as a type.
template <Fn F> struct Apply;
#define NEURON_FN(name, ...)                                                   \
  template <> struct Apply<Fn::name> {                                         \
    template <class... X> static auto to(X... x) -> decltype(fn::name(x...)) { \
      return fn::name(x...);                                                   \
    }                                                                          \
  };
#include "runtime/program/Functions.def"

/// Functions that pass their operand's bits through.
constexpr bool keepsBits(Fn fn) {
  return fn == Fn::identity || fn == Fn::select;
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

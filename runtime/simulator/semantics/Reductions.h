//===- Reductions.h - functions and order of reductions ---------*- C++ -*-===//
//
// The binary function and the identity of every reduction, over V<T>, and the
// fixed tree of Program.h.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/simulator/semantics/Arithmetic.h"

namespace neuron::simulator::semantics {

/// All that TensorReduce, Activation and GpsimdReduce reduce by, but arg-
/// reductions.
enum class Reduction : uint8_t { Sum, Prod, Max, Min, Any, All, HwMax, HwMin };
inline constexpr unsigned kNumReductions = 8;

} // namespace neuron::simulator::semantics

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// The identity of `R` in T. Bool: sum is or, prod is and.
template <Reduction R, class T> constexpr T identityOf() {
  using Limits = std::numeric_limits<T>;
  constexpr bool isMax = R == Reduction::Max || R == Reduction::HwMax;
  constexpr bool isMin = R == Reduction::Min || R == Reduction::HwMin;
  if constexpr (isMax)
    return isFloating<T> ? -Limits::infinity() : Limits::lowest();
  else if constexpr (isMin)
    return isFloating<T> ? Limits::infinity() : Limits::max();
  else
    return T(R == Reduction::Prod || R == Reduction::All);
}

template <Reduction R, template <class> class V, class T>
V<T> combine(V<T> a, V<T> b) {
  constexpr bool isMax = R == Reduction::Max || R == Reduction::HwMax;
  constexpr bool isMin = R == Reduction::Min || R == Reduction::HwMin;
  if constexpr (std::is_same_v<T, bool>) {
    if constexpr (R == Reduction::Prod || R == Reduction::All || isMin)
      return a & b;
    else
      return a | b;
  } else if constexpr (R == Reduction::Sum) {
    return a + b;
  } else if constexpr (R == Reduction::Prod) {
    return a * b;
  } else if constexpr (R == Reduction::Any) {
    return choose(fn::truth(a) | fn::truth(b), V<T>(T(1)), V<T>(T(0)));
  } else if constexpr (R == Reduction::All) {
    return choose(fn::truth(a) & fn::truth(b), V<T>(T(1)), V<T>(T(0)));
  } else if constexpr (R == Reduction::HwMax && isFloating<T>) {
    return fn::hw_max(a, b);
  } else if constexpr (R == Reduction::HwMin && isFloating<T>) {
    return fn::hw_min(a, b);
  } else if constexpr (isMax) {
    return fn::maximum(a, b);
  } else {
    static_assert(isMin);
    return fn::minimum(a, b);
  }
}

/// Whether (value, index) comes before (best, bestIndex) in an arg-reduction:
/// the first NaN wins, else the first extremum.
template <template <class> class V, class T>
V<bool> precedes(bool isMax, V<T> value, V<int64_t> index, V<T> best,
                 V<int64_t> bestIndex) {
  V<bool> better = isMax ? value > best : value < best;
  V<bool> equal = value == best;
  if constexpr (isFloating<T>) {
    V<bool> nan = isNaN(value), bestNaN = isNaN(best);
    better = (better | nan) & ~bestNaN;
    equal = equal | (nan & bestNaN);
  }
  return better | (equal & (index < bestIndex));
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

//===- Stored.h - elements in memory ----------------------------*- C++ -*-===//
#pragma once
#include "runtime/simulator/semantics/Isa.h"
#include <cstdint>

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// How an element of register type T lies in memory.
template <class T> struct Stored {
  using Type = T;
  static T load(T x) { return x; }
};
template <> struct Stored<bool> {
  using Type = uint8_t;
  static bool load(uint8_t x) { return x != 0; }
};
template <class T> using StoredType = typename Stored<T>::Type;

} // namespace neuron::simulator::semantics::inline NEURON_ISA

//===- Rows.h - a scalar function as a row function -------------*- C++ -*-===//
//
// Private to the folder: instantiates the templates over Scalar. One source
// file a group of compute types, for the compiler's sake.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Apply.h"
#include "runtime/simulator/semantics/Conversions.h"
#include "runtime/simulator/semantics/Semantics.h"
#include "runtime/simulator/semantics/Stored.h"
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// A source of a row: broadcast operands are spread over one block, so that the
/// inner loop is a plain one.
template <class T, int64_t kBlock> struct RowSource {
  using S = StoredType<T>;
  const S *data;
  bool broadcast;
  S spread[kBlock];
  RowSource(const void *pointer, int64_t stride, int64_t n)
      : data(static_cast<const S *>(pointer)), broadcast(stride == 0) {
    if (broadcast)
      for (int64_t i = 0; i < std::min(n, kBlock); ++i)
        spread[i] = *data;
  }
  const S *at(int64_t block) const { return broadcast ? spread : data + block; }
};

template <Fn F, class T, class... Ts>
void row(const void *const *srcs, const int64_t *strides, void *dst, int64_t n,
         bool *divisionByZero) {
  constexpr int64_t kBlock = 256;
  if (!std::is_floating_point_v<T>)
    divisionByZeroSeen = false;
  [&]<size_t... I>(std::index_sequence<I...>) {
    std::tuple<RowSource<Ts, kBlock>...> sources{
        RowSource<Ts, kBlock>(srcs[I], strides[I], n)...};
    using R = typename decltype(Apply<F>::to(Scalar<Ts>{}...))::Element;
    auto *out = static_cast<StoredType<R> *>(dst);
    for (int64_t block = 0; block < n; block += kBlock) {
      int64_t count = std::min(kBlock, n - block);
      auto inner = [&](const StoredType<Ts> *...in) {
        for (int64_t i = 0; i < count; ++i) {
          Scalar<R> r = Apply<F>::to(Scalar<Ts>(Stored<Ts>::load(in[i]))...);
          if constexpr (!keepsBits(F))
            r = canonical(r);
          out[block + i] = r.v;
        }
      };
      inner(std::get<I>(sources).at(block)...);
    }
  }(std::index_sequence_for<Ts...>{});
  if (!std::is_floating_point_v<T> && divisionByZeroSeen)
    *divisionByZero = true;
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

namespace neuron::simulator::semantics {

using RowTable = std::array<RowFunction, program::kNumFns>;
extern const RowTable kRowsF32, kRowsF64, kRowsBool;
extern const RowTable kRowsF32Fma, kRowsF64Fma; ///< for CPUs with AVX2 and FMA
extern const RowTable kRowsU8, kRowsI8, kRowsU16, kRowsI16;
extern const RowTable kRowsU32, kRowsI32, kRowsU64, kRowsI64;

} // namespace neuron::simulator::semantics

namespace neuron::simulator::semantics::inline NEURON_ISA {

template <class T, DType D, Fn F> constexpr RowFunction rowOf() {
  if constexpr (!program::isLegal(F, D))
    return nullptr;
  else if constexpr (F == Fn::select)
    return row<F, T, bool, T, T>;
  else if constexpr (program::info(F).arity == 1)
    return row<F, T, T>;
  else
    return row<F, T, T, T>;
}

/// The row functions of one compute type.
template <DType D> constexpr RowTable makeRowTable() {
  using T = Register<D>;
  RowTable table{};
#define NEURON_FN(name, ...)                                                   \
  table[static_cast<unsigned>(Fn::name)] = rowOf<T, D, Fn::name>();
#include "runtime/program/Functions.def"
  return table;
}

} // namespace neuron::simulator::semantics::inline NEURON_ISA

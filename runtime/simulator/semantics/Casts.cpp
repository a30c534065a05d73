//===- Casts.cpp - rows of casts ------------------------------------------===//
#include "runtime/simulator/semantics/Conversions.h"
#include "runtime/simulator/semantics/Semantics.h"
#include "runtime/simulator/semantics/Stored.h"
#include <algorithm>
#include <array>
#include <utility>

namespace neuron::simulator::semantics {

namespace {

template <CastKind K, DType From, DType To>
void castRow(const void *src, int64_t stride, void *dst, int64_t n) {
  using A = Register<From>;
  using B = Register<To>;
  const auto *in = static_cast<const StoredType<A> *>(src);
  auto *out = static_cast<StoredType<B> *>(dst);
  auto one = [](StoredType<A> x) -> StoredType<B> {
    Scalar<A> a = Stored<A>::load(x);
    if constexpr (K == CastKind::Torch)
      return torchCast<From, To, Scalar>(a).v;
    else
      return hardwareCast<From, To, Scalar>(a).v;
  };
  if (stride == 0) {
    if (n > 0)
      std::fill_n(out, n, one(*in));
  } else {
    for (int64_t i = 0; i < n; ++i)
      out[i] = one(in[i]);
  }
}

constexpr unsigned kNum = program::kNumDTypes;
using Table = std::array<std::array<RowCast, kNum>, kNum>;

template <CastKind K> constexpr Table makeTable() {
  return []<size_t... I>(std::index_sequence<I...>) {
    Table table{};
    ((table[I / kNum][I % kNum] = castRow<K, DType(I / kNum), DType(I % kNum)>),
     ...);
    return table;
  }(std::make_index_sequence<kNum * kNum>{});
}

constexpr Table kTables[] = {makeTable<CastKind::Torch>(),
                             makeTable<CastKind::Hardware>()};

} // namespace

RowCast rowCast(CastKind kind, DType from, DType to) {
  return kTables[static_cast<unsigned>(kind)][static_cast<unsigned>(from)]
                [static_cast<unsigned>(to)];
}

} // namespace neuron::simulator::semantics

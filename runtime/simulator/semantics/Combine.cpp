//===- Combine.cpp - one element after the other --------------------------===//
#include "runtime/simulator/semantics/Combine.h"
#include "runtime/simulator/semantics/Apply.h"
#include "runtime/simulator/semantics/Conversions.h"
#include "runtime/simulator/semantics/Stored.h"
#include <array>
#include <utility>

namespace neuron::simulator::semantics {
namespace {

using Reduce = program::Instruction::Reduce;

/// f(a, b), where b comes later.
template <Reduce R, class T> Scalar<T> next(Scalar<T> a, Scalar<T> b) {
  constexpr bool isReal = std::is_floating_point_v<T>;
  if constexpr (R == Reduce::Sum) {
    return a + b;
  } else if constexpr (R == Reduce::Prod) {
    return a * b;
  } else if constexpr (R == Reduce::Max || R == Reduce::Min) {
    bool keeps = R == Reduce::Max ? (a > b).v : (a < b).v;
    if constexpr (isReal)
      keeps = !isNaN(b).v && (keeps || isNaN(a).v);
    return keeps ? a : b;
  } else {
    // As eager's helper: equal infinities must not become NaN.
    bool aIsLess = isNaN(a).v || (a < b).v;
    Scalar<T> low = aIsLess ? a : b, high = aIsLess ? b : a;
    bool isInfinite = std::isinf(low.v);
    if ((low == high).v && isInfinite)
      return b;
    return Apply<program::Fn::log1p>::to(
               Apply<program::Fn::exp>::to(low - high)) +
           high;
  }
}

template <Reduce R, class T>
void scanRow(const void *src, int64_t stride, void *dst, int64_t n,
             bool hasCarry, void *carry) {
  using S = StoredType<T>;
  const auto *in = static_cast<const S *>(src);
  auto *out = static_cast<S *>(dst);
  Scalar<T> last;
  int64_t i = 0;
  if (hasCarry) {
    last = Stored<T>::load(*static_cast<S *>(carry));
  } else {
    last = R == Reduce::Sum
               ? Scalar<T>(T(0)) + Scalar<T>(Stored<T>::load(in[0]))
               : Scalar<T>(Stored<T>::load(in[0]));
    out[i++] = canonical(last).v;
  }
  for (; i < n; ++i) {
    last = next<R>(last, Scalar<T>(Stored<T>::load(in[i * stride])));
    out[i] = canonical(last).v;
  }
  *static_cast<S *>(carry) = canonical(last).v;
}

template <DType D, Reduce R> constexpr RowScan scanOf() {
  constexpr bool isSelection = R == Reduce::Max || R == Reduce::Min;
  constexpr bool isSum = R == Reduce::Sum || R == Reduce::Prod;
  if constexpr (isSmallFloat<D>)
    return nullptr;
  else if constexpr (isSelection || (isSum && D != DType::Bool) ||
                     (R == Reduce::LogAddExp && program::isFloat(D)))
    return scanRow<R, Register<D>>;
  else
    return nullptr;
}

constexpr unsigned kNumReduces = static_cast<unsigned>(Reduce::LogAddExp) + 1;

template <DType D> constexpr auto scansOf() {
  return []<size_t... R>(std::index_sequence<R...>) {
    return std::array<RowScan, kNumReduces>{scanOf<D, Reduce(R)>()...};
  }(std::make_index_sequence<kNumReduces>{});
}

constexpr auto kScans = []<size_t... D>(std::index_sequence<D...>) {
  return std::array{scansOf<DType(D)>()...};
}(std::make_index_sequence<program::kNumDTypes>{});

} // namespace

RowScan rowScan(Reduce reduce, DType compute) {
  return kScans[static_cast<unsigned>(compute)][static_cast<unsigned>(reduce)];
}

} // namespace neuron::simulator::semantics

//===- Semantics.cpp - tables of row functions and reductions -------------===//
#include "runtime/simulator/semantics/Semantics.h"
#include "runtime/simulator/semantics/Rows.h"
#include <algorithm>
#include <immintrin.h>

namespace neuron::simulator::semantics {

namespace {

constexpr unsigned kNum = program::kNumDTypes;
constexpr unsigned kLanes = program::kReductionLanes;

template <Reduction R, class T>
void reduceRow(const void *src, int64_t stride, int64_t n, const void *old,
               void *result) {
  using S = StoredType<T>;
  const auto *in = static_cast<const S *>(src);
  Scalar<T> total[kLanes], lanes[kLanes];
  std::fill(total, total + kLanes, Scalar<T>(identityOf<R, T>()));
  for (int64_t i = 0; i < n;) {
    int64_t end = std::min<int64_t>(i + program::kReductionBlock, n);
    std::fill(lanes, lanes + kLanes, Scalar<T>(identityOf<R, T>()));
    for (; i + kLanes <= end; i += kLanes)
      for (unsigned j = 0; j < kLanes; ++j)
        lanes[j] = combine<R>(lanes[j],
                              Scalar<T>(Stored<T>::load(in[(i + j) * stride])));
    for (unsigned j = 0; i < end; ++j, ++i)
      lanes[j] =
          combine<R>(lanes[j], Scalar<T>(Stored<T>::load(in[i * stride])));
    for (unsigned j = 0; j < kLanes; ++j)
      total[j] = combine<R>(total[j], lanes[j]);
  }
  for (unsigned s = kLanes / 2; s; s /= 2)
    for (unsigned j = 0; j < s; ++j)
      total[j] = combine<R>(total[j], total[j + s]);
  Scalar<T> reduced = total[0];
  if (old)
    reduced = combine<R>(
        Scalar<T>(Stored<T>::load(*static_cast<const S *>(old))), reduced);
  *static_cast<S *>(result) = canonical(reduced).v;
}

template <class T>
void argReduceRow(bool isMax, const void *src, int64_t stride, int64_t n,
                  int64_t base, bool accumulate, void *value, int64_t *index) {
  using S = StoredType<T>;
  const auto *in = static_cast<const S *>(src);
  auto *held = static_cast<S *>(value);
  int64_t i = 0;
  if (!accumulate) {
    if (n == 0)
      return;
    *held = in[0], *index = base, i = 1;
  }
  Scalar<T> best = Stored<T>::load(*held);
  Scalar<int64_t> bestIndex = *index;
  for (; i < n; ++i) {
    Scalar<T> x = Stored<T>::load(in[i * stride]);
    Scalar<int64_t> at = base + i;
    if (precedes(isMax, x, at, best, bestIndex).v)
      best = x, bestIndex = at;
  }
  *held = best.v, *index = bestIndex.v;
}

template <DType D> constexpr auto reductionsOf() {
  if constexpr (isSmallFloat<D>)
    return std::array<RowReduction, kNumReductions>{};
  else
    return []<size_t... R>(std::index_sequence<R...>) {
      return std::array<RowReduction, kNumReductions>{
          reduceRow<Reduction(R), Register<D>>...};
    }(std::make_index_sequence<kNumReductions>{});
}

template <DType D> constexpr RowArgReduction argReductionOf() {
  if constexpr (isSmallFloat<D>)
    return nullptr;
  else
    return argReduceRow<Register<D>>;
}

constexpr auto kReductions = []<size_t... D>(std::index_sequence<D...>) {
  return std::array{reductionsOf<DType(D)>()...};
}(std::make_index_sequence<kNum>{});

constexpr auto kArgReductions = []<size_t... D>(std::index_sequence<D...>) {
  return std::array{argReductionOf<DType(D)>()...};
}(std::make_index_sequence<kNum>{});

bool hasFma() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}

/// By DType; small floats compute in nothing.
const RowTable *const kRowTables[kNum] = {
    &kRowsBool, &kRowsU8,  &kRowsI8, &kRowsU16, &kRowsI16, &kRowsU32, &kRowsI32,
    &kRowsU64,  &kRowsI64, nullptr,  nullptr,   &kRowsF32, &kRowsF64};

} // namespace

RowFunction rowFunction(Fn fn, DType compute) {
  const RowTable *table = kRowTables[static_cast<unsigned>(compute)];
  if (hasFma() && compute == DType::F32)
    table = &kRowsF32Fma;
  if (hasFma() && compute == DType::F64)
    table = &kRowsF64Fma;
  return table ? (*table)[static_cast<unsigned>(fn)] : nullptr;
}

RowReduction rowReduction(Reduction reduction, DType compute) {
  return kReductions[static_cast<unsigned>(compute)]
                    [static_cast<unsigned>(reduction)];
}

RowArgReduction rowArgReduction(DType compute) {
  return kArgReductions[static_cast<unsigned>(compute)];
}

Reduction reductionOf(program::Instruction::Reduce reduce) {
  // The enumerators of Reduce stand in the order of Reduction.
  static_assert(static_cast<int>(program::Instruction::Reduce::All) ==
                static_cast<int>(Reduction::All));
  return static_cast<Reduction>(reduce);
}

std::optional<Reduction> reductionOf(Fn fn) {
  switch (fn) {
  case Fn::add:
    return Reduction::Sum;
  case Fn::hw_max:
    return Reduction::HwMax;
  case Fn::hw_min:
    return Reduction::HwMin;
  default:
    return std::nullopt;
  }
}

// 0x1F80: nearest even, no flush to zero, no denormals as zero, exceptions
// masked.
FloatingPointScope::FloatingPointScope() : saved(_mm_getcsr()) {
  _mm_setcsr(0x1F80);
}
FloatingPointScope::~FloatingPointScope() { _mm_setcsr(saved); }

} // namespace neuron::simulator::semantics

//===- TensorScan.cpp - the recurrence of tensor_tensor_scan --------------===//
#include "runtime/simulator/semantics/TensorScan.h"
#include "runtime/simulator/semantics/Apply.h"
#include "runtime/simulator/semantics/Conversions.h"
#include <algorithm>
#include <utility>

namespace neuron::simulator::semantics {
namespace {

constexpr bool isVectorBinary(Fn fn) {
  return program::runsOnVector(fn) && program::info(fn).arity == 2 &&
         program::isLegal(fn, program::DType::F32);
}

constexpr size_t kNumBinary = [] {
  size_t count = 0;
  for (unsigned fn = 0; fn < program::kNumFns; ++fn)
    count += isVectorBinary(Fn(fn));
  return count;
}();

constexpr std::array<Fn, kNumBinary> kBinary = [] {
  std::array<Fn, kNumBinary> functions{};
  size_t next = 0;
  for (unsigned fn = 0; fn < program::kNumFns; ++fn)
    if (isVectorBinary(Fn(fn)))
      functions[next++] = Fn(fn);
  return functions;
}();

/// In fp32; a bool is 0 or 1.
template <Fn F> Scalar<float> apply(Scalar<float> a, Scalar<float> b) {
  if constexpr (program::info(F).resultIsBool)
    return Apply<F>::to(a, b).v ? 1.0f : 0.0f;
  else
    return Apply<F>::to(a, b);
}

/// One for each pair, because a step waits for the one before: two calls by
/// pointer would take longer than what they compute.
template <Fn F0, Fn F1>
void scanRow(const std::array<const float *, 2> &srcs,
             const std::array<int64_t, 2> &strides,
             const std::array<bool, 2> &reverse, float initial, float *dst,
             int64_t n) {
  bool swaps0 = reverse[0], swaps1 = reverse[1];
  Scalar<float> last = initial;
  for (int64_t i = 0; i < n; ++i) {
    Scalar<float> x = srcs[0][i * strides[0]], y = srcs[1][i * strides[1]];
    Scalar<float> inner = swaps0 ? apply<F0>(last, x) : apply<F0>(x, last);
    last = swaps1 ? apply<F1>(y, inner) : apply<F1>(inner, y);
    dst[i] = canonical(last).v;
  }
}

constexpr auto kScans = []<size_t... I>(std::index_sequence<I...>) {
  return std::array<RowTensorScan, kNumBinary * kNumBinary>{
      scanRow<kBinary[I / kNumBinary], kBinary[I % kNumBinary]>...};
}(std::make_index_sequence<kNumBinary * kNumBinary>{});

} // namespace

RowTensorScan rowTensorScan(Fn fn0, Fn fn1) {
  auto first = std::find(kBinary.begin(), kBinary.end(), fn0);
  auto second = std::find(kBinary.begin(), kBinary.end(), fn1);
  if (first == kBinary.end() || second == kBinary.end())
    return nullptr;
  return kScans[(first - kBinary.begin()) * kNumBinary +
                (second - kBinary.begin())];
}

} // namespace neuron::simulator::semantics

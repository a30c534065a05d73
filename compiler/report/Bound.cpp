//===- Bound.cpp - the least time that a kernel can take ------------------===//
#include "compiler/report/Bound.h"
#include <algorithm>

namespace neuron::report {
namespace {

/// Operations that one instruction of Scalar does on an element: scale, bias
/// and a function.
constexpr double kActivationOps = 3;
/// Operations that a tensor_scalar of Vector does on an element.
constexpr double kTensorScalarOps = 2;

/// Picoseconds for an element of all partitions, of `cycles` thousandths.
double perElement(const target::Target &target, int64_t cycles, int64_t clock) {
  return double(cycles) * 1000 / double(clock) / double(target.partitions);
}

double hbmTime(const Work &work, const target::Target &target) {
  int64_t bandwidth = std::min<int64_t>(
      target.hbmBandwidth, target.dmaEngines * target.dmaBandwidth);
  return double(work.hbm_bytes) * 1e6 / double(bandwidth);
}

double tensorTime(const Work &work, const target::Target &target) {
  double passes =
      double(work.macs16) + double(work.macs32) * double(target.matmulPasses32);
  double peak = double(target.partitions) * double(target.stationaryColumns) *
                double(target.clockTensor); // multiply-adds in a microsecond
  return passes * 1e6 / peak;
}

double vectorScalarTime(const Work &work, const target::Target &target) {
  bool halves = work.halves != 0;
  auto onVector = [&](int64_t cycles) {
    return perElement(target, cycles, target.clockVector);
  };
  double pass =
      onVector(halves ? std::min<int64_t>(target.copy16, target.copy32)
                      : int64_t(target.copy32)) /
      kTensorScalarOps;
  double pair = onVector(
      halves ? std::min<int64_t>(target.tensorTensor16, target.tensorTensor)
             : int64_t(target.tensorTensor));
  double both = onVector(target.scalarTensorTensor);
  double free = 0; // operations with a number that ride on one of two tensors
  if (both < pair + pass)
    free = double(std::min(work.with_scalar, work.with_tensor));
  double vectorOnly =
      double(work.with_tensor) * std::min(pair, both) +
      double(work.selects) * onVector(target.select) +
      double(work.reciprocals) * onVector(target.reciprocal) +
      double(work.maxima) * onVector(std::min<int64_t>(target.tensorReduce,
                                                       target.tensorReduce16));
  double activation = perElement(target, target.activation, target.clockScalar);
  double shared = double(work.with_scalar) - free;
  double special = double(work.special);
  // In a time t, Scalar does 3 * t / activation operations, of which `special`
  // are its own; Vector has to do the rest of the shared ones in t.
  double split = (vectorOnly + (shared + special) * pass) /
                 (1 + kActivationOps * pass / activation);
  return std::max({vectorOnly, special * activation, split});
}

double gpsimdTime(const Work &work, const target::Target &target) {
  double wide = double(target.gpsimdWideFactor);
  auto cycles = [&](int64_t narrow, int64_t wides, int64_t each) {
    return (double(narrow) + double(wides) * wide) * double(each);
  };
  double all =
      cycles(work.gpsimd_simple, work.wide_simple, target.gpsimdSimple) +
      cycles(work.gpsimd_multiply, work.wide_multiply, target.gpsimdMultiply) +
      cycles(work.gpsimd_divide, work.wide_divide, target.gpsimdDivide) +
      cycles(work.gpsimd_special, work.wide_special, target.gpsimdSpecial) +
      cycles(work.counted, 0, target.iota) +
      cycles(work.sort_steps, 0, target.gpsimdSortStep) +
      cycles(work.random, 0, target.gpsimdRandom);
  return all * perElement(target, 1, target.clockGpSimd);
}

} // namespace

double Bound::time() const {
  return std::max({hbm, tensor, vectorScalar, gpsimd});
}

Bound boundOf(const Work &work, const target::Target &target) {
  return {hbmTime(work, target), tensorTime(work, target),
          vectorScalarTime(work, target), gpsimdTime(work, target)};
}

} // namespace neuron::report

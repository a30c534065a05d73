//===- MatmulBaseline.cpp - blocks of products on any x86-64 CPU ----------===//
//
// The multiply-add is the C library's: in software where the CPU has none.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/tensor/MatmulKernel.h"
#include <cmath>
#include <limits>

namespace neuron::simulator::tensor {
namespace {

struct Baseline {
  using Vector = float;
  static constexpr unsigned kWidth = 1;
  static Vector load(const float *from) { return *from; }
  static void store(float *to, Vector x) { *to = x; }
  static Vector splat(float x) { return x; }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) {
    return std::fma(a, b, c);
  }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector canonical(Vector x) {
    return x == x ? x : std::numeric_limits<float>::quiet_NaN();
  }
};

} // namespace

const KernelSet kBaselineKernels = makeKernels<Baseline, 4, 4>();

} // namespace neuron::simulator::tensor

//===- MatmulAvx2.cpp - blocks of products with AVX2 and FMA --------------===//
#include "runtime/simulator/tensor/MatmulKernel.h"
#include <immintrin.h>

namespace neuron::simulator::tensor {
namespace {

struct Avx2 {
  using Vector = __m256;
  static constexpr unsigned kWidth = 8;
  static Vector load(const float *from) { return _mm256_loadu_ps(from); }
  static void store(float *to, Vector x) { _mm256_storeu_ps(to, x); }
  static Vector splat(float x) { return _mm256_set1_ps(x); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector canonical(Vector x) {
    Vector quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
    return _mm256_blendv_ps(x, quiet, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  }
};

} // namespace

// 12 sums, two vectors and a broadcast in 16 registers.
const KernelSet kAvx2Kernels = makeKernels<Avx2, 6, 2>();

} // namespace neuron::simulator::tensor

//===- MatmulAvx512.cpp - blocks of products with AVX-512 -----------------===//
#include "runtime/simulator/tensor/MatmulKernel.h"
#include <immintrin.h>

namespace neuron::simulator::tensor {
namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr unsigned kWidth = 16;
  static Vector load(const float *from) { return _mm512_loadu_ps(from); }
  static void store(float *to, Vector x) { _mm512_storeu_ps(to, x); }
  static Vector splat(float x) { return _mm512_set1_ps(x); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector canonical(Vector x) {
    Vector quiet = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000));
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x,
                                quiet);
  }
};

} // namespace

// 16 sums of 32 registers: enough to hide the latency of two units.
const KernelSet kAvx512Kernels = makeKernels<Avx512, 8, 2>();

} // namespace neuron::simulator::tensor

//===- KernelSetsTest.cpp - every kind of CPU multiplies alike ------------===//
#include "runtime/simulator/tensor/Matmul.h"
#include "runtime/simulator/tensor/MatmulKernel.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace neuron::simulator::tensor;
using neuron::program::DType;

namespace {

struct Set {
  const char *name;
  const KernelSet *kernels;
  bool isHere; ///< whether this CPU can run it
};

std::vector<Set> allSets() {
  __builtin_cpu_init();
  return {{"Baseline", &kBaselineKernels, true},
          {"Avx2", &kAvx2Kernels,
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")},
          {"Avx512", &kAvx512Kernels, bool(__builtin_cpu_supports("avx512f"))}};
}

class KernelSets : public testing::TestWithParam<Set> {};

/// Three operands in one memory, as they lie in the rows of a core.
struct Memory {
  static constexpr int64_t kPitch = 8192;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(128 * kPitch);

  explicit Memory(DType dtype) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    unsigned width = neuron::program::bytesOf(dtype);
    for (size_t i = 0; i < bytes.size(); i += width) {
      float value = normal(random);
      if (random() % 500 == 0)
        value = std::numeric_limits<float>::infinity();
      if (random() % 500 == 0)
        value = 1e-30f;
      const auto *raw = reinterpret_cast<const uint8_t *>(&value);
      std::memcpy(&bytes[i], raw + 4 - width, width);
    }
  }
  Product product(DType dtype, unsigned k, unsigned m, unsigned n,
                  bool accumulate) {
    return {.stationary = {bytes.data(), kPitch, k, m, dtype},
            .moving = {bytes.data() + 512, kPitch, k, n, dtype},
            .dst = bytes.data() + 4096,
            .pitch = kPitch,
            .accumulate = accumulate};
  }
};

TEST_P(KernelSets, GiveTheSameBits) {
  if (!GetParam().isHere)
    GTEST_SKIP() << "this CPU has no " << GetParam().name;
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (auto [k, m, n] : {std::tuple{128u, 128u, 96u},
                           {100, 13, 512},
                           {1, 1, 1},
                           {7, 9, 17},
                           {128, 5, 100},
                           {33, 127, 31}})
      for (bool accumulate : {false, true}) {
        Memory expected(dtype), actual(dtype);
        multiply(expected.product(dtype, k, m, n, accumulate), 0, n, {},
                 kBaselineKernels);
        // In pieces, as threads do.
        unsigned middle = n / 32 * 16;
        Product product = actual.product(dtype, k, m, n, accumulate);
        multiply(product, middle, n, {}, *GetParam().kernels);
        multiply(product, 0, middle, {}, *GetParam().kernels);
        ASSERT_EQ(expected.bytes, actual.bytes) << k << " " << m << " " << n;
      }
}

TEST_P(KernelSets, KeepOperandsPacked) {
  if (!GetParam().isHere)
    GTEST_SKIP() << "this CPU has no " << GetParam().name;
  const KernelSet &kernels = *GetParam().kernels;
  for (DType dtype : {DType::F32, DType::BF16})
    for (auto [k, m, n] :
         {std::tuple{128u, 128u, 512u}, {100, 13, 200}, {3, 2, 33}}) {
      Memory expected(dtype), actual(dtype);
      Product want = expected.product(dtype, k, m, n, true),
              product = actual.product(dtype, k, m, n, true);
      std::vector<float> stationary(stationaryFloats(k, m)),
          moving(movingFloats(k, n, kernels));
      packStationary(product.stationary, stationary.data(), kernels);
      packMoving(product.moving, moving.data(), kernels);
      // The tiles change, what is packed does not.
      std::fill_n(actual.bytes.begin(), 512, 0);
      unsigned middle = n / 2 / kernels.columns * kernels.columns;
      PackedOperands packed{stationary.data(), moving.data()};
      multiply(want, 0, n, {}, kBaselineKernels);
      multiply(product, middle, n, packed, kernels);
      multiply(product, 0, middle, packed, kernels);
      for (unsigned row = 0; row < m; ++row)
        ASSERT_EQ(std::memcmp(want.dst + row * Memory::kPitch,
                              product.dst + row * Memory::kPitch,
                              n * sizeof(float)),
                  0)
            << k << " " << m << " " << n << " row " << row;
    }
}

INSTANTIATE_TEST_SUITE_P(Cpus, KernelSets, testing::ValuesIn(allSets()),
                         [](const auto &info) { return info.param.name; });

} // namespace

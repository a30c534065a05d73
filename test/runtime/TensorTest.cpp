//===- TensorTest.cpp - matmul and transpose in PSUM ----------------------===//
//
// Against plain loops, bit for bit: the order of the sum is part of what a
// matmul means.
//
//===----------------------------------------------------------------------===//
#include "Bench.h"
#include <bit>
#include <cmath>
#include <random>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr DType f32 = DType::F32, bf16 = DType::BF16, f16 = DType::F16;

std::vector<float> floats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(random);
  return values;
}

struct Sizes {
  unsigned k, m, n;
};

/// src[k][m]^T . src[k][n] as Program.h says it.
std::vector<float> product(Sizes s, const std::vector<float> &stationary,
                           const std::vector<float> &moving,
                           std::vector<float> start = {}) {
  std::vector<float> result(s.m * s.n);
  for (unsigned m = 0; m < s.m; ++m)
    for (unsigned n = 0; n < s.n; ++n) {
      float sum = 0;
      for (unsigned k = 0; k < s.k; ++k)
        sum = std::fma(stationary[k * s.m + m], moving[k * s.n + n], sum);
      if (!start.empty())
        sum = start[m * s.n + n] + sum;
      if (std::isnan(sum))
        sum = std::numeric_limits<float>::quiet_NaN();
      result[m * s.n + n] = sum;
    }
  return result;
}

void expectBits(const std::vector<float> &actual,
                const std::vector<float> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(actual[i]),
              std::bit_cast<uint32_t>(expected[i]))
        << i << ": " << actual[i] << " not " << expected[i];
}

class Tensor : public testing::TestWithParam<Form> {
protected:
  /// One or more matmuls (the second and later accumulate) of [parts x ...]
  /// operands; what they leave in the first s.m partitions.
  std::vector<float> run(Sizes s, DType dtype,
                         const std::vector<std::vector<uint8_t>> &stationary,
                         const std::vector<std::vector<uint8_t>> &moving) {
    Builder b;
    unsigned bytes = bytesOf(dtype);
    std::vector<std::vector<uint8_t>> memory;
    auto add = [&](const std::string &name, const std::vector<uint8_t> &data,
                   unsigned columns) {
      memory.push_back(data);
      return b.tensor(name.c_str(), TensorKind::Input, dtype, {s.k, columns});
    };
    b.kernel("k");
    uint32_t offset = 0;
    std::vector<std::pair<Operand, Operand>> pairs;
    for (size_t i = 0; i < stationary.size(); ++i) {
      std::string number = std::to_string(i);
      auto load = [&](uint32_t tensor, unsigned columns) {
        Operand result = tile(dtype, offset, columns);
        offset += (columns * bytes + 63) / 64 * 64;
        b.load(Unit::Sync, queue(0), uint16_t(s.k), result,
               b.window(tensor, s.k, columns));
        return result;
      };
      Operand left = load(add("a" + number, stationary[i], s.m), s.m);
      Operand right = load(add("b" + number, moving[i], s.n), s.n);
      pairs.push_back({left, right});
    }
    b.barrier();
    Operand dst = psumTile(f32, 2048, s.n), out = tile(f32, offset, s.n);
    for (size_t i = 0; i < pairs.size(); ++i)
      b.matmul(uint16_t(s.k), dst, pairs[i].first, pairs[i].second,
               i == 0 ? Accumulate::No : Accumulate::Yes);
    b.barrier();
    b.copy(Unit::Vector, uint16_t(s.m), out, dst);
    b.barrier();
    uint32_t y = b.tensor("y", TensorKind::Output, f32, {s.m, s.n});
    memory.emplace_back(s.m * s.n * 4);
    b.store(Unit::Sync, queue(1), uint16_t(s.m), b.window(y, s.m, s.n), out);
    Status status = verify(b.program);
    EXPECT_TRUE(status.ok()) << status.message();
    auto executable = GetParam().create(std::make_shared<Program>(b.program));
    EXPECT_TRUE(executable.ok()) << executable.message();
    std::vector<Buffer> buffers;
    for (auto &held : memory)
      buffers.push_back({held.data(), int64_t(held.size())});
    Outcome outcome = (*executable)->run(buffers);
    EXPECT_EQ(int(outcome.fault), 0) << outcome.message;
    std::vector<float> result(s.m * s.n);
    std::memcpy(result.data(), memory.back().data(), memory.back().size());
    return result;
  }
};

template <typename T> std::vector<uint8_t> bytesOf(const std::vector<T> &v) {
  std::vector<uint8_t> bytes(v.size() * sizeof(T));
  std::memcpy(bytes.data(), v.data(), bytes.size());
  return bytes;
}

constexpr Sizes kSizes[] = {
    {1, 1, 1},  {128, 128, 512}, {128, 1, 512}, {7, 128, 1},  {128, 127, 511},
    {3, 5, 17}, {64, 13, 33},    {100, 6, 16},  {128, 8, 31}, {77, 1, 45}};

TEST_P(Tensor, MatmulAddsInTheOrderOfK) {
  for (Sizes s : kSizes) {
    SCOPED_TRACE(testing::Message() << s.k << " " << s.m << " " << s.n);
    auto left = floats(s.k * s.m, 1), right = floats(s.k * s.n, 2);
    expectBits(run(s, f32, {bytesOf(left)}, {bytesOf(right)}),
               product(s, left, right));
  }
}

TEST_P(Tensor, MatmulAccumulates) {
  Sizes s{128, 70, 130};
  std::vector<std::vector<uint8_t>> lefts, rights;
  std::vector<float> expected;
  for (unsigned i = 0; i < 3; ++i) {
    auto left = floats(s.k * s.m, 10 + i), right = floats(s.k * s.n, 20 + i);
    lefts.push_back(bytesOf(left)), rights.push_back(bytesOf(right));
    expected = product(s, left, right, expected);
  }
  expectBits(run(s, f32, lefts, rights), expected);
}

TEST_P(Tensor, MatmulWidensBFloat16) {
  Sizes s{128, 33, 45};
  auto narrow = [](std::vector<float> &values) {
    std::vector<uint16_t> bits;
    for (float &value : values) {
      bits.push_back(uint16_t(std::bit_cast<uint32_t>(value) >> 16));
      value = std::bit_cast<float>(uint32_t(bits.back()) << 16);
    }
    return bits;
  };
  auto left = floats(s.k * s.m, 3), right = floats(s.k * s.n, 4);
  auto leftBits = narrow(left), rightBits = narrow(right);
  expectBits(run(s, bf16, {bytesOf(leftBits)}, {bytesOf(rightBits)}),
             product(s, left, right));
}

TEST_P(Tensor, MatmulWidensFloat16) {
  Sizes s{9, 3, 20};
  // Powers of two from the subnormals on: 2^-24 up.
  std::vector<float> left, right;
  std::vector<uint16_t> leftBits, rightBits;
  auto add = [](unsigned i, std::vector<float> &values,
                std::vector<uint16_t> &bits) {
    int exponent = int(i % 30) - 24;
    values.push_back(std::ldexp(1.0f, exponent));
    bits.push_back(uint16_t(exponent < -14 ? 1u << (exponent + 24)
                                           : unsigned(exponent + 15) << 10));
  };
  for (unsigned i = 0; i < s.k * s.m; ++i)
    add(i, left, leftBits);
  for (unsigned i = 0; i < s.k * s.n; ++i)
    add(7 * i, right, rightBits);
  expectBits(run(s, f16, {bytesOf(leftBits)}, {bytesOf(rightBits)}),
             product(s, left, right));
}

TEST_P(Tensor, MatmulOfSpecialValues) {
  Sizes s{4, 3, 20};
  auto left = floats(s.k * s.m, 5), right = floats(s.k * s.n, 6);
  const float infinity = std::numeric_limits<float>::infinity();
  left[1] = infinity;
  right[3] = 0.0f;                              // inf * 0
  right[4] = std::bit_cast<float>(0xffc12345u); // a NaN with payload
  left[0] = 1e-20f, left[3] = 1e-20f;
  right[0] = 1e-20f, right[20] = 1e-24f;                 // subnormal sums
  left[2] = 1e30f, right[2] = 1e30f, right[22] = -1e30f; // overflow
  expectBits(run(s, f32, {bytesOf(left)}, {bytesOf(right)}),
             product(s, left, right));
}

TEST_P(Tensor, TransposeKeepsTheBits) {
  for (DType dtype : {f32, DType::U32, bf16, f16, DType::I16}) {
    for (auto [parts, columns] :
         {std::pair{128u, 128u}, {5, 128}, {128, 3}, {1, 1}, {37, 50}}) {
      Bench bench(GetParam(), uint16_t(128));
      // 128 partitions are loaded; the transpose takes the first `parts`.
      std::mt19937 random(7);
      unsigned bytes = bytesOf(dtype);
      auto fill = [&]<typename T>(T) {
        std::vector<T> values(128 * columns);
        for (T &value : values)
          value = T(random());
        Operand x = bench.in(dtype, values);
        Operand y = bench.out(dtype, parts);
        Operand turned = psumTile(dtype, 4096, parts);
        bench.b.memset(Unit::Vector, 128, y, immediate(dtype, 0));
        bench.b.transpose(uint16_t(parts), turned, x);
        bench.b.barrier();
        bench.b.copy(Unit::Scalar, uint16_t(columns), y, turned);
        auto result = bench.run<T>(y);
        for (unsigned c = 0; c < columns; ++c)
          for (unsigned p = 0; p < parts; ++p)
            ASSERT_EQ(result[c * parts + p], values[p * columns + c]);
      };
      bytes == 4 ? fill(uint32_t()) : fill(uint16_t());
    }
  }
}

/// Two kernels begin alike; then one reads a copy, the other the original.
TEST_P(Tensor, EqualBeginningsThatAreReadDifferently) {
  constexpr int64_t rows = 100, columns = 16;
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {rows, columns});
  Operand original = tile(f32, 0, columns), copied = tile(f32, 64, columns);
  std::vector<uint32_t> outputs;
  for (Operand read : {copied, original}) {
    std::string name = "y" + std::to_string(outputs.size());
    outputs.push_back(
        b.tensor(name.c_str(), TensorKind::Output, f32, {columns, rows}));
    b.kernel(name.c_str());
    b.load(Unit::Sync, queue(0), rows, original, b.window(x, rows, columns));
    b.barrier();
    b.copy(Unit::Vector, rows, copied, original);
    b.barrier();
    b.transpose(rows, psumTile(f32, 0, rows), read);
    b.barrier();
    b.copy(Unit::Vector, columns, tile(f32, 512, rows), psumTile(f32, 0, rows));
    b.barrier();
    b.store(Unit::Sync, queue(0), columns,
            b.window(outputs.back(), columns, rows), tile(f32, 512, rows));
  }
  Status status = verify(b.program);
  ASSERT_TRUE(status.ok()) << status.message();
  std::vector<std::vector<float>> memory(3, floats(rows * columns, 8));
  std::vector<Buffer> buffers;
  for (auto &values : memory)
    buffers.push_back({reinterpret_cast<uint8_t *>(values.data()),
                       int64_t(values.size() * sizeof(float))});
  auto executable = GetParam().create(std::make_shared<Program>(b.program));
  ASSERT_TRUE(executable.ok()) << executable.message();
  Outcome outcome = (*executable)->run(buffers);
  ASSERT_EQ(int(outcome.fault), 0) << outcome.message;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      for (uint32_t y : outputs)
        ASSERT_EQ(memory[y][c * rows + r], memory[x][r * columns + c])
            << y << " " << r << " " << c;
}

INSTANTIATE_TEST_SUITE_P(Forms, Tensor, testing::ValuesIn(allForms()),
                         [](const auto &info) { return info.param.name; });

} // namespace

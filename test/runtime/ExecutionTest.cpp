//===- ExecutionTest.cpp - what each instruction computes -----------------===//
//
// Every opcode against a plain reference, in every form of execution.
//
//===----------------------------------------------------------------------===//
#include "BFloat16.h"
#include "Bench.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr DType f32 = DType::F32, bf16 = DType::BF16, i32 = DType::I32,
                i64 = DType::I64, u8 = DType::U8, boolean = DType::Bool;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint16_t kParts = 5;

class Execution : public testing::TestWithParam<Form> {
protected:
  Bench bench() const { return Bench(form(), kParts); }
  const Form &form() const {
    static std::vector<Form> forms = allForms();
    for (const Form &form : forms)
      if (form.name == GetParam().name)
        return form;
    std::abort();
  }
};

/// Values of all kinds, the special ones at the start of the first row.
std::vector<float> floats(size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-8, 8);
  std::vector<float> values(count);
  for (float &value : values)
    value = std::round(uniform(random) * 64) / 64;
  const float special[] = {kNaN, kInfinity, -kInfinity, 0.0f, -0.0f, 1e-40f};
  for (size_t i = 0; i < std::size(special) && i < count; ++i)
    values[(i * (seed + 1)) % count] = special[i];
  return values;
}

std::vector<int64_t> integers(size_t count, int64_t limit, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> uniform(-limit, limit);
  std::vector<int64_t> values(count);
  for (int64_t &value : values)
    value = uniform(random);
  return values;
}

/// Equal bits, but every NaN of arithmetic is alike.
void expectSame(const std::vector<float> &actual,
                const std::vector<float> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(actual[i]) && std::isnan(expected[i]))
      continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(actual[i]),
              std::bit_cast<uint32_t>(expected[i]))
        << i << ": " << actual[i] << " not " << expected[i];
  }
}

template <typename Function, typename... T>
std::vector<float> map(Function function, const std::vector<T> &...values) {
  std::vector<float> result;
  size_t count = std::get<0>(std::tie(values...)).size();
  for (size_t i = 0; i < count; ++i)
    result.push_back(function(values[i]...));
  return result;
}

/// The documented order: blocks, 64 lanes, then a tree.
float reduceInOrder(const float *row, size_t count, float identity,
                    float (*f)(float, float)) {
  std::vector<float> total(kReductionLanes, identity);
  for (size_t begin = 0; begin < count; begin += kReductionBlock) {
    std::vector<float> lanes(kReductionLanes, identity);
    for (size_t i = begin; i < std::min(begin + kReductionBlock, count); ++i)
      lanes[i % lanes.size()] = f(lanes[i % lanes.size()], row[i]);
    for (size_t j = 0; j < lanes.size(); ++j)
      total[j] = f(total[j], lanes[j]);
  }
  for (size_t s = total.size() / 2; s; s /= 2)
    for (size_t j = 0; j < s; ++j)
      total[j] = f(total[j], total[j + s]);
  return total[0];
}

float add(float a, float b) { return a + b; }
float hwMax(float a, float b) { return a > b || std::isnan(b) ? a : b; }
float hwMin(float a, float b) { return a < b || std::isnan(b) ? a : b; }

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

TEST_P(Execution, DmaOfAnyWindow) {
  // x[3][4][6][5], rows (2, 0), columns (3, 1); a part of both; y transposed.
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, i32, {3, 4, 6, 5});
  auto y = b.tensor("y", TensorKind::Output, i32, {20, 18});
  b.kernel("k");
  HbmAccess load{.tensor = x,
                 .offset = 0,
                 .rowSizes = {6, 3},
                 .rowStrides = {5, 120},
                 .colSizes = {5, 4},
                 .colStrides = {1, 30},
                 .row = affine(2),
                 .column = affine(3, {7})};
  HbmAccess store{.tensor = y,
                  .offset = 0,
                  .rowSizes = {18},
                  .rowStrides = {1},
                  .colSizes = {20},
                  .colStrides = {18},
                  .row = affine(2),
                  .column = affine(3, {7})};
  b.loop(2);
  b.load(Unit::Sync, queue(0), 14, tile(i32, 0, 7, 2), load).signal = true;
  b.store(Unit::Scalar, queue(1), 14, store, tile(i32, 0, 7, 2)).waits = {
      waitFor(queue(0), 1)};
  b.barrier();
  b.end();
  ASSERT_TRUE(verify(b.program).ok()) << verify(b.program).message();

  std::vector<int32_t> in(360), out(360, -1), expected(360, -1);
  for (int i = 0; i < 360; ++i)
    in[i] = i;
  for (int r = 2; r < 16; ++r)
    for (int c = 3; c < 17; ++c)
      expected[c * 18 + r] =
          in[r / 3 * 5 + r % 3 * 120 + c / 4 * 1 + c % 4 * 30];
  std::vector<Buffer> buffers{{reinterpret_cast<uint8_t *>(in.data()), 1440},
                              {reinterpret_cast<uint8_t *>(out.data()), 1440}};
  auto executable = form().create(std::make_shared<Program>(b.program));
  ASSERT_TRUE(executable.ok()) << executable.message();
  Outcome outcome = (*executable)->run(buffers);
  ASSERT_EQ(int(outcome.fault), 0) << outcome.message;
  EXPECT_EQ(out, expected);
}

TEST_P(Execution, DmaBroadcasts) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Constant, f32, {3});
  auto y = b.tensor("y", TensorKind::Output, f32, {4, 6});
  const float values[] = {1, 2, 3};
  std::memcpy(b.program.tensors[x].data.data(), values, sizeof(values));
  b.kernel("k");
  HbmAccess access{.tensor = x,
                   .offset = 0,
                   .rowSizes = {4},
                   .rowStrides = {0},
                   .colSizes = {3, 2},
                   .colStrides = {1, 0},
                   .row = {},
                   .column = {}};
  b.load(Unit::Sync, queue(0), 4, tile(f32, 0, 6), access);
  b.barrier();
  b.store(Unit::Sync, queue(0), 4, b.window(y, 4, 6), tile(f32, 0, 6));
  std::vector<float> out(24);
  std::vector<Buffer> buffers{{},
                              {reinterpret_cast<uint8_t *>(out.data()), 96}};
  auto executable = form().create(std::make_shared<Program>(b.program));
  ASSERT_TRUE(executable.ok()) << executable.message();
  Outcome outcome = (*executable)->run(buffers);
  ASSERT_EQ(int(outcome.fault), 0) << outcome.message;
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(out[i], float(i % 6 / 2 + 1));
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

TEST_P(Execution, Memset) {
  for (Unit engine : {Unit::Vector, Unit::GpSimd}) {
    Bench bench(form(), kParts);
    Operand wide = bench.out(i64, 7), narrow = bench.out(u8, 9);
    bench.b.memset(engine, kParts, wide, immediate(i64, uint64_t(-3)));
    bench.b.memset(engine, kParts, narrow, immediate(u8, 200));
    EXPECT_EQ(bench.run<int64_t>(wide), std::vector<int64_t>(kParts * 7, -3));
    EXPECT_EQ(bench.contents<uint8_t>(narrow),
              std::vector<uint8_t>(kParts * 9, 200));
  }
}

TEST_P(Execution, CopyKeepsBits) {
  for (Unit engine : {Unit::Vector, Unit::Scalar, Unit::GpSimd})
    for (uint8_t stride : {1, 3}) {
      Bench bench(form(), kParts);
      // Signalling NaNs and all.
      std::vector<uint32_t> bits;
      for (uint32_t i = 0; i < kParts * 70; ++i)
        bits.push_back(0x7f800001u + i * 0x01010101u);
      Operand x = bench.in(f32, bits, stride);
      Operand y = bench.out(f32, 70, 4 - stride);
      bench.b.copy(engine, kParts, y, x);
      EXPECT_EQ(bench.run<uint32_t>(y), bits);
    }
}

TEST_P(Execution, CopyRepeatsOneElement) {
  Bench bench = this->bench();
  Operand x = bench.in(f32, std::vector<float>{1, 2, 3, 4, 5});
  Operand y = bench.out(f32, 4);
  x.elems = 4;
  x.stride = 0;
  bench.b.copy(Unit::Vector, kParts, y, x);
  std::vector<float> result = bench.run<float>(y);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(result[i], float(i / 4 + 1));
}

TEST_P(Execution, CopyConvertsAsHardwareDoes) {
  std::vector<float> values = {0.5f,   1.5f,   2.5f,   -0.5f,      -1.5f,
                               300.f,  -300.f, 3e9f,   -3e9f,      kInfinity,
                               254.5f, 255.5f, 1e-40f, 16777217.f, -kInfinity};
  std::vector<int32_t> expected32 = {
      0,         2,         2,   0,   -2, 300,      -300,     INT32_MAX,
      INT32_MIN, INT32_MAX, 254, 256, 0,  16777216, INT32_MIN};
  std::vector<uint8_t> expected8 = {0, 2,   2,   0,   0, 255, 0, 255,
                                    0, 255, 254, 255, 0, 255, 0};
  Bench bench = this->bench();
  Operand x = bench.in(f32, values);
  Operand y32 = bench.out(i32, 3), y8 = bench.out(u8, 3),
          y16 = bench.out(bf16, 3);
  bench.b.copy(Unit::Vector, kParts, y32, x);
  bench.b.copy(Unit::Vector, kParts, y8, x);
  bench.b.copy(Unit::Scalar, kParts, y16, x);
  EXPECT_EQ(bench.run<int32_t>(y32), expected32);
  EXPECT_EQ(bench.contents<uint8_t>(y8), expected8);
  std::vector<uint16_t> expected16;
  for (float value : values)
    expected16.push_back(toBF16(value));
  EXPECT_EQ(bench.contents<uint16_t>(y16), expected16);
}

TEST_P(Execution, CopyOfIntegersGoesByFloat) {
  Bench bench = this->bench();
  Operand x = bench.in(
      i32, std::vector<int32_t>{16777217, -16777219, 5, INT32_MAX, INT32_MIN});
  Operand y = bench.out(DType::I16, 1), z = bench.out(f32, 1),
          w = bench.out(DType::U32, 1);
  bench.b.copy(Unit::Vector, kParts, y, x);
  bench.b.copy(Unit::Vector, kParts, z, x);
  bench.b.copy(Unit::Vector, kParts, w, x);
  EXPECT_EQ(bench.run<int16_t>(y),
            (std::vector<int16_t>{32767, -32768, 5, 32767, -32768}));
  EXPECT_EQ(
      bench.contents<float>(z),
      (std::vector<float>{16777216.f, -16777220.f, 5, 0x1p31f, -0x1p31f}));
  EXPECT_EQ(bench.contents<uint32_t>(w),
            (std::vector<uint32_t>{16777216u, 0, 5, 0x80000000u, 0}));
}

TEST_P(Execution, SelectKeepsBits) {
  Bench bench = this->bench();
  std::vector<uint8_t> condition(kParts * 40);
  std::vector<uint16_t> a, b;
  std::vector<uint16_t> expected, expectedImmediate;
  for (size_t i = 0; i < condition.size(); ++i) {
    condition[i] = i % 3 == 0;
    a.push_back(uint16_t(0x7f81 + i)); // NaNs of all kinds
    b.push_back(uint16_t(i * 771));
    expected.push_back(condition[i] ? a[i] : b[i]);
    expectedImmediate.push_back(condition[i] ? 0x7f99 : b[i]);
  }
  Operand c = bench.in(boolean, condition), x = bench.in(bf16, a),
          y = bench.in(bf16, b);
  Operand r = bench.out(bf16, 40), s = bench.out(bf16, 40, 2);
  bench.b.add(Opcode::Select, Unit::Vector, kParts, r, {c, x, y});
  bench.b.add(Opcode::Select, Unit::Vector, kParts, s,
              {c, immediate(bf16, 0x7f99), y});
  EXPECT_EQ(bench.run<uint16_t>(r), expected);
  EXPECT_EQ(bench.contents<uint16_t>(s), expectedImmediate);
}

TEST_P(Execution, SelectConverts) {
  Bench bench = this->bench();
  std::vector<uint8_t> condition = {1, 0, 1, 0, 1};
  Operand c = bench.in(boolean, condition);
  Operand x = bench.in(i32, std::vector<int32_t>{1, 2, 3, 4, 5});
  Operand y = bench.in(bf16, std::vector<uint16_t>(5, toBF16(0.5f)));
  Operand r = bench.out(f32, 1);
  bench.b.add(Opcode::Select, Unit::Vector, kParts, r, {c, x, y});
  EXPECT_EQ(bench.run<float>(r), (std::vector<float>{1, 0.5f, 3, 0.5f, 5}));
}

TEST_P(Execution, Iota) {
  Bench bench = this->bench();
  Operand wide = bench.out(i64, 4), narrow = bench.out(u8, 4),
          real = bench.out(bf16, 4);
  for (const Operand &out : {wide, narrow, real}) {
    Instruction &it = bench.b.add(Opcode::Iota, Unit::GpSimd, kParts, out);
    it.index = affine(250);
    it.rowStep = 10;
    it.step = -3;
  }
  std::vector<int64_t> expected;
  std::vector<uint8_t> expected8;
  std::vector<uint16_t> expected16;
  for (int p = 0; p < kParts; ++p)
    for (int i = 0; i < 4; ++i) {
      expected.push_back(250 + 10 * p - 3 * i);
      expected8.push_back(uint8_t(expected.back()));
      expected16.push_back(toBF16(float(expected.back())));
    }
  EXPECT_EQ(bench.run<int64_t>(wide), expected);
  EXPECT_EQ(bench.contents<uint8_t>(narrow), expected8);
  EXPECT_EQ(bench.contents<uint16_t>(real), expected16);
}

//===----------------------------------------------------------------------===//
// Vector
//===----------------------------------------------------------------------===//

struct Binary {
  Fn fn;
  float (*reference)(float, float);
};
const Binary kBinaries[] = {
    {Fn::add, add},
    {Fn::sub, [](float a, float b) { return a - b; }},
    {Fn::mul, [](float a, float b) { return a * b; }},
    {Fn::hw_max, hwMax},
    {Fn::hw_min, hwMin},
    {Fn::eq, [](float a, float b) { return float(a == b); }},
    {Fn::ne, [](float a, float b) { return float(a != b); }},
    {Fn::lt, [](float a, float b) { return float(a < b); }},
    {Fn::le, [](float a, float b) { return float(a <= b); }},
    {Fn::gt, [](float a, float b) { return float(a > b); }},
    {Fn::ge, [](float a, float b) { return float(a >= b); }},
    {Fn::logical_and, [](float a, float b) { return float(a && b); }},
    {Fn::logical_or, [](float a, float b) { return float(a || b); }},
    {Fn::logical_xor, [](float a, float b) { return float(!a != !b); }},
};

TEST_P(Execution, TensorTensorOfEveryFunction) {
  std::vector<float> a = floats(kParts * 100), b = floats(kParts * 100, 2);
  for (size_t i = 20; i < 60; ++i)
    b[i] = a[i]; // for the comparisons
  unsigned covered = 0;
  for (const Binary &binary : kBinaries) {
    SCOPED_TRACE(nameOf(binary.fn));
    Bench bench = this->bench();
    Operand x = bench.in(f32, a), y = bench.in(f32, b);
    Operand z = bench.out(f32, 100);
    bench.b.tensorTensor(kParts, z, binary.fn, x, y);
    expectSame(bench.run<float>(z), map(binary.reference, a, b));
    ++covered;
  }
  unsigned expected = 0;
  for (unsigned i = 0; i < kNumFns; ++i)
    expected += runsOnVector(Fn(i)) && info(Fn(i)).arity == 2;
  EXPECT_EQ(covered, expected);
}

TEST_P(Execution, TensorTensorOfOtherTypes) {
  std::vector<uint16_t> a, b, sum;
  std::vector<uint8_t> less;
  for (float value : floats(kParts * 33))
    a.push_back(toBF16(value));
  for (float value : floats(kParts * 33, 2))
    b.push_back(toBF16(value));
  for (size_t i = 0; i < a.size(); ++i) {
    sum.push_back(toBF16(fromBF16(a[i]) + fromBF16(b[i])));
    less.push_back(fromBF16(a[i]) < fromBF16(b[i]));
  }
  Bench bench = this->bench();
  Operand x = bench.in(bf16, a), y = bench.in(bf16, b, 2);
  Operand z = bench.out(bf16, 33), w = bench.out(boolean, 33, 3);
  bench.b.tensorTensor(kParts, z, Fn::add, x, y);
  bench.b.tensorTensor(kParts, w, Fn::lt, x, y);
  EXPECT_EQ(bench.run<uint16_t>(z), sum);
  EXPECT_EQ(bench.contents<uint8_t>(w), less);
}

TEST_P(Execution, TensorTensorInPlace) {
  std::vector<float> a = floats(kParts * 10), b = floats(kParts * 10, 2);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b);
  Operand z = bench.out(f32, 10);
  bench.b.tensorTensor(kParts, x, Fn::sub, y, x);
  bench.b.tensorTensor(kParts, z, Fn::mul, x, x);
  expectSame(bench.run<float>(z),
             map([](float a, float b) { return (b - a) * (b - a); }, a, b));
}

TEST_P(Execution, TensorScalar) {
  std::vector<float> a = floats(kParts * 20), s = {2, -1, 0.5f, 3, 0};
  auto scalarOf = [&](size_t i) { return s[i / 20]; };
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), p = bench.in(f32, s);
  Operand one = bench.out(f32, 20), two = bench.out(f32, 20),
          both = bench.out(f32, 20), flag = bench.out(boolean, 20);
  bench.b.tensorScalar(kParts, one, x, Fn::mul, p);
  bench.b.tensorScalar(kParts, two, x, Fn::sub, p, Fn::mul, immediate(3.0f))
      .reverse[0] = true;
  bench.b.tensorScalar(kParts, both, x, Fn::mul, immediate(2.0f), Fn::sub, p)
      .reverse = {false, true};
  bench.b.tensorScalar(kParts, flag, x, Fn::gt, p, Fn::eq, immediate(0.0f));
  std::vector<float> expected[3];
  std::vector<uint8_t> flags;
  for (size_t i = 0; i < a.size(); ++i) {
    expected[0].push_back(a[i] * scalarOf(i));
    expected[1].push_back((scalarOf(i) - a[i]) * 3);
    expected[2].push_back(scalarOf(i) - a[i] * 2);
    flags.push_back(!(a[i] > scalarOf(i)));
  }
  expectSame(bench.run<float>(one), expected[0]);
  expectSame(bench.contents<float>(two), expected[1]);
  expectSame(bench.contents<float>(both), expected[2]);
  EXPECT_EQ(bench.contents<uint8_t>(flag), flags);
}

TEST_P(Execution, ScalarTensorTensor) {
  std::vector<float> a = floats(kParts * 20), t = floats(kParts * 20, 3);
  std::vector<float> s = {2, -1, 0.5f, 3, 0};
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, t), p = bench.in(f32, s);
  Operand z = bench.out(f32, 20);
  Instruction &it = bench.b.add(Opcode::ScalarTensorTensor, Unit::Vector,
                                kParts, z, {x, p, y});
  it.fn = {Fn::mul, Fn::sub};
  it.reverse = {false, true};
  std::vector<float> expected;
  for (size_t i = 0; i < a.size(); ++i)
    expected.push_back(t[i] - a[i] * s[i / 20]);
  expectSame(bench.run<float>(z), expected);
}

TEST_P(Execution, TensorReduceInTheDocumentedOrder) {
  struct {
    Fn fn;
    float identity;
    float (*f)(float, float);
  } const kinds[] = {{Fn::add, 0, add},
                     {Fn::hw_max, -kInfinity, hwMax},
                     {Fn::hw_min, kInfinity, hwMin}};
  for (const auto &kind : kinds)
    for (uint32_t elems : {1u, 63u, 64u, 200u, 1024u, 1025u, 3000u})
      for (Accumulate accumulate : {Accumulate::No, Accumulate::Yes}) {
        SCOPED_TRACE(std::string(nameOf(kind.fn)) + std::to_string(elems));
        std::vector<float> a = floats(kParts * elems);
        for (float &value : a) // no sum is exact: the order can be seen
          value /= 3;
        Bench bench = this->bench();
        Operand x = bench.in(f32, a);
        Operand r = bench.out(f32, 1);
        bench.b.memset(Unit::Vector, kParts, r, immediate(1.25f));
        bench.b.reduce(kParts, r, kind.fn, x).accumulate = accumulate;
        std::vector<float> expected;
        for (int p = 0; p < kParts; ++p) {
          float row =
              reduceInOrder(&a[p * elems], elems, kind.identity, kind.f);
          expected.push_back(accumulate == Accumulate::Yes ? kind.f(1.25f, row)
                                                           : row);
        }
        expectSame(bench.run<float>(r), expected);
      }
}

TEST_P(Execution, TensorReduceRoundsOnce) {
  std::vector<uint16_t> a(kParts * 64, toBF16(1.0078125f));
  Bench bench = this->bench();
  Operand x = bench.in(bf16, a), r = bench.out(bf16, 1);
  bench.b.reduce(kParts, r, Fn::add, x);
  EXPECT_EQ(bench.run<uint16_t>(r),
            std::vector<uint16_t>(kParts, toBF16(64.5f)));
}

TEST_P(Execution, Reciprocal) {
  std::vector<float> a = floats(kParts * 20);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.out(f32, 20);
  bench.b.add(Opcode::Reciprocal, Unit::Vector, kParts, y, {x});
  expectSame(bench.run<float>(y), map([](float x) { return 1 / x; }, a));
}

//===----------------------------------------------------------------------===//
// Scalar
//===----------------------------------------------------------------------===//

TEST_P(Execution, ActivationExact) {
  std::vector<float> a = floats(kParts * 70), s = {2, -1, 0.5f, 3, 0};
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), p = bench.in(f32, s);
  Operand plain = bench.out(f32, 70), scaled = bench.out(f32, 70),
          sum = bench.out(f32, 1), total = bench.out(f32, 1);
  bench.b.activation(kParts, plain, Fn::abs, x);
  bench.b.activation(kParts, scaled, Fn::square, x, p, immediate(-1.0f), sum);
  bench.b.memset(Unit::Vector, kParts, total, immediate(10.0f)).signal = true;
  Instruction &second = bench.b.activation(kParts, {}, Fn::identity, x,
                                           immediate(3.0f), p, total);
  second.accumulate = Accumulate::Yes;
  second.waits = {waitFor(Unit::Vector, 1)};

  std::vector<float> squares, sums, totals;
  for (int p = 0; p < kParts; ++p) {
    std::vector<float> row;
    for (int i = 0; i < 70; ++i) {
      float v = a[p * 70 + i];
      squares.push_back((v * s[p] - 1) * (v * s[p] - 1));
      row.push_back(v * 3 + s[p]);
    }
    sums.push_back(reduceInOrder(&squares[p * 70], 70, 0, add));
    totals.push_back(10 + reduceInOrder(row.data(), 70, 0, add));
  }
  expectSame(bench.run<float>(plain),
             map([](float x) { return std::abs(x); }, a));
  expectSame(bench.contents<float>(scaled), squares);
  expectSame(bench.contents<float>(sum), sums);
  expectSame(bench.contents<float>(total), totals);
}

TEST_P(Execution, ActivationSumsBeforeRounding) {
  std::vector<float> a(kParts * 64, 1.00390625f); // rounds to 1 in bfloat16
  Bench bench = this->bench();
  Operand x = bench.in(f32, a);
  Operand y = bench.out(bf16, 64), sum = bench.out(f32, 1);
  bench.b.activation(kParts, y, Fn::identity, x, {}, {}, sum);
  EXPECT_EQ(bench.run<uint16_t>(y),
            std::vector<uint16_t>(kParts * 64, toBF16(1)));
  EXPECT_EQ(bench.contents<float>(sum), std::vector<float>(kParts, 64.25f));
}

TEST_P(Execution, ActivationOfEveryFunction) {
  struct {
    Fn fn;
    double (*f)(double);
  } const functions[] = {
      {Fn::identity, [](double x) { return x; }},
      {Fn::abs, [](double x) { return std::abs(x); }},
      {Fn::square, [](double x) { return x * x; }},
      {Fn::exp, [](double x) { return std::exp(x); }},
      {Fn::tanh, [](double x) { return std::tanh(x); }},
      {Fn::erf, [](double x) { return std::erf(x); }},
      {Fn::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {Fn::silu, [](double x) { return x / (1 + std::exp(-x)); }},
      {Fn::gelu,
       [](double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); }},
      {Fn::gelu_tanh,
       [](double x) {
         double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
         return x / (1 + std::exp(-2 * u));
       }},
  };
  std::vector<float> a;
  for (int i = 0; i < kParts * 100; ++i)
    a.push_back(float(i - 250) / 32);
  unsigned covered = 0;
  for (const auto &function : functions) {
    SCOPED_TRACE(nameOf(function.fn));
    Bench bench = this->bench();
    Operand x = bench.in(f32, a), y = bench.out(f32, 100);
    bench.b.activation(kParts, y, function.fn, x);
    std::vector<float> result = bench.run<float>(y);
    for (size_t i = 0; i < a.size(); ++i) {
      double exact = function.f(a[i]);
      float rounded = float(exact);
      double ulp =
          std::nextafter(std::abs(rounded), kInfinity) - std::abs(rounded);
      ASSERT_LE(std::abs(result[i] - exact),
                (info(function.fn).ulp + 0.5) * ulp)
          << a[i];
    }
    ++covered;
  }
  unsigned expected = 0;
  for (unsigned i = 0; i < kNumFns; ++i)
    expected += runsOnScalar(Fn(i));
  EXPECT_EQ(covered, expected);
}

//===----------------------------------------------------------------------===//
// GpSimd
//===----------------------------------------------------------------------===//

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

TEST_P(Execution, GpsimdIntegers) {
  std::vector<int64_t> a = integers(kParts * 30, INT64_MAX / 2),
                       d = integers(kParts * 30, 50, 2);
  for (int64_t &value : d)
    value += value == 0;
  Bench bench = this->bench();
  Operand x = bench.in(i64, a), y = bench.in(i64, d);
  Operand quotient = bench.out(i64, 30), rest = bench.out(i64, 30),
          product = bench.out(i64, 30), less = bench.out(boolean, 30);
  auto add = [&](const Operand &out, Fn fn) {
    bench.b.gpsimd(kParts, out, fn, i64, {x, y});
  };
  add(quotient, Fn::floor_div);
  add(rest, Fn::remainder);
  add(product, Fn::mul);
  add(less, Fn::lt);
  std::vector<int64_t> expected[3];
  std::vector<uint8_t> expectedLess;
  for (size_t i = 0; i < a.size(); ++i) {
    expected[0].push_back(floorDiv(a[i], d[i]));
    expected[1].push_back(a[i] - floorDiv(a[i], d[i]) * d[i]);
    expected[2].push_back(int64_t(uint64_t(a[i]) * uint64_t(d[i])));
    expectedLess.push_back(a[i] < d[i]);
  }
  EXPECT_EQ(bench.run<int64_t>(quotient), expected[0]);
  EXPECT_EQ(bench.contents<int64_t>(rest), expected[1]);
  EXPECT_EQ(bench.contents<int64_t>(product), expected[2]);
  EXPECT_EQ(bench.contents<uint8_t>(less), expectedLess);
}

TEST_P(Execution, GpsimdConvertsAsPyTorch) {
  std::vector<float> a = {1.9f, -1.9f, 300.7f, 0.0f, 1e10f};
  Bench bench = this->bench();
  Operand x = bench.in(f32, a);
  Operand wide = bench.out(i64, 1), flag = bench.out(boolean, 1),
          narrow = bench.out(bf16, 1), real = bench.out(DType::F64, 1);
  bench.b.gpsimd(kParts, wide, Fn::identity, f32, {x});
  bench.b.gpsimd(kParts, flag, Fn::identity, f32, {x});
  bench.b.gpsimd(kParts, narrow, Fn::add, i64, {x, immediate(i64, 1)});
  bench.b.gpsimd(kParts, real, Fn::div, DType::F64,
                 {x, immediate(DType::F64, std::bit_cast<uint64_t>(3.0))});
  EXPECT_EQ(bench.run<int64_t>(wide),
            (std::vector<int64_t>{1, -1, 300, 0, 10000000000}));
  EXPECT_EQ(bench.contents<uint8_t>(flag),
            (std::vector<uint8_t>{1, 1, 1, 0, 1}));
  EXPECT_EQ(bench.contents<uint16_t>(narrow),
            (std::vector<uint16_t>{toBF16(2), toBF16(0), toBF16(301), toBF16(1),
                                   toBF16(10000000001.f)}));
  std::vector<double> thirds;
  for (float value : a)
    thirds.push_back(double(value) / 3);
  EXPECT_EQ(bench.contents<double>(real), thirds);
}

TEST_P(Execution, GpsimdSelectAndStrides) {
  std::vector<uint8_t> condition;
  std::vector<int64_t> a = integers(kParts * 12, 1000), s = {1, 2, 3, 4, 5};
  for (size_t i = 0; i < a.size(); ++i)
    condition.push_back(i % 2);
  Bench bench = this->bench();
  Operand c = bench.in(boolean, condition, 3), x = bench.in(i64, a, 2),
          p = bench.in(i64, s);
  Operand y = bench.out(i64, 12, 2);
  p.elems = 12;
  p.stride = 0;
  bench.b.gpsimd(kParts, y, Fn::select, i64, {c, x, p});
  std::vector<int64_t> expected;
  for (size_t i = 0; i < a.size(); ++i)
    expected.push_back(condition[i] ? a[i] : s[i / 12]);
  EXPECT_EQ(bench.run<int64_t>(y), expected);
}

TEST_P(Execution, GpsimdReductions) {
  using Reduce = Instruction::Reduce;
  std::vector<int64_t> a = integers(kParts * 100, int64_t(1) << 61);
  Bench bench = this->bench();
  Operand x = bench.in(i64, a);
  Operand sum = bench.out(i64, 1), product = bench.out(i64, 1),
          largest = bench.out(i64, 1), smallest = bench.out(i64, 1),
          any = bench.out(boolean, 1), all = bench.out(boolean, 1);
  bench.b.gpsimdReduce(kParts, sum, Reduce::Sum, i64, x);
  bench.b.gpsimdReduce(kParts, product, Reduce::Prod, i64, x);
  bench.b.gpsimdReduce(kParts, largest, Reduce::Max, i64, x);
  bench.b.gpsimdReduce(kParts, smallest, Reduce::Min, i64, x);
  bench.b.gpsimdReduce(kParts, any, Reduce::Any, boolean, x);
  bench.b.gpsimdReduce(kParts, all, Reduce::All, boolean, x);
  std::vector<int64_t> expected[4];
  for (int p = 0; p < kParts; ++p) {
    auto begin = a.begin() + p * 100, end = begin + 100;
    uint64_t total = 0, power = 1;
    for (auto it = begin; it != end; ++it) {
      total += uint64_t(*it);
      power *= uint64_t(*it);
    }
    expected[0].push_back(int64_t(total));
    expected[1].push_back(int64_t(power));
    expected[2].push_back(*std::max_element(begin, end));
    expected[3].push_back(*std::min_element(begin, end));
  }
  EXPECT_EQ(bench.run<int64_t>(sum), expected[0]);
  EXPECT_EQ(bench.contents<int64_t>(product), expected[1]);
  EXPECT_EQ(bench.contents<int64_t>(largest), expected[2]);
  EXPECT_EQ(bench.contents<int64_t>(smallest), expected[3]);
  EXPECT_EQ(bench.contents<uint8_t>(any), std::vector<uint8_t>(kParts, 1));
  EXPECT_EQ(bench.contents<uint8_t>(all), std::vector<uint8_t>(kParts, 1));
}

TEST_P(Execution, GpsimdMaxPropagatesNaN) {
  std::vector<float> a = {1, 2, 3, kNaN, 0, 1, -1, -2, -3, 4, 4, 5};
  Bench bench(form(), 4);
  Operand x = bench.in(f32, a), y = bench.out(f32, 1);
  bench.b.gpsimdReduce(4, y, Instruction::Reduce::Max, f32, x);
  expectSame(bench.run<float>(y), {3, kNaN, -1, 5});
}

/// Two halves of a row, the second accumulating, and ties and NaNs.
TEST_P(Execution, GpsimdArgReductionsOverParts) {
  std::vector<float> a = {1,    3, 3,    3,    // the first of equals
                          0,    1, 5,    kNaN, // a NaN wins
                          kNaN, 9, kNaN, 9,    -1, -2, -3, -4, 2, 2, 2, 2};
  for (auto reduce :
       {Instruction::Reduce::ArgMax, Instruction::Reduce::ArgMin}) {
    Bench bench = this->bench();
    Operand x = bench.in(f32, a);
    Operand index = bench.out(i64, 1), value = bench.out(f32, 1);
    Operand half = x;
    half.elems = 2;
    bench.b.gpsimdReduce(kParts, index, reduce, f32, half, value).index =
        affine(100);
    half.offset += 8;
    Instruction &second =
        bench.b.gpsimdReduce(kParts, index, reduce, f32, half, value);
    second.index = affine(102);
    second.accumulate = Accumulate::Yes;
    bool isMax = reduce == Instruction::Reduce::ArgMax;
    EXPECT_EQ(bench.run<int64_t>(index),
              isMax ? (std::vector<int64_t>{101, 103, 100, 100, 100})
                    : (std::vector<int64_t>{100, 103, 100, 103, 100}));
    expectSame(bench.contents<float>(value),
               isMax ? std::vector<float>{3, kNaN, kNaN, -1, 2}
                     : std::vector<float>{1, kNaN, kNaN, -4, 2});
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Execution, testing::ValuesIn(allForms()),
                         [](const auto &info) { return info.param.name; });

} // namespace

//===- TensorScanTest.cpp - tensor_tensor_scan ----------------------------===//
//
// Against a plain loop, in every form of execution.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/TensorScan.h"
#include "BFloat16.h"
#include "Bench.h"
#include "runtime/program/Encoding.h"
#include "runtime/program/Print.h"
#include "runtime/simulator/semantics/Semantics.h"
#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr DType f32 = DType::F32, bf16 = DType::BF16, i32 = DType::I32,
                boolean = DType::Bool;
constexpr uint16_t kParts = 5;

/// No sum or product of two of them is exact.
std::vector<float> floats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.2f, 1.2f);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(random);
  return values;
}

template <typename To, typename From>
std::vector<To> convert(const std::vector<From> &values, To (*cast)(From)) {
  std::vector<To> result;
  for (From value : values)
    result.push_back(cast(value));
  return result;
}

using Binary = float (*)(float, float);
float add(float a, float b) { return a + b; }
float sub(float a, float b) { return a - b; }
float mul(float a, float b) { return a * b; }
float hwMax(float a, float b) { return a > b || std::isnan(b) ? a : b; }
float less(float a, float b) { return a < b; }

/// r(i) = f1(f0(a[i], r(i-1)), b[i]) in each row.
std::vector<float> recurrence(const std::vector<float> &a, Binary f0, Binary f1,
                              const std::vector<float> &b,
                              const std::vector<float> &initial) {
  std::vector<float> result;
  size_t elems = a.size() / initial.size();
  for (size_t row = 0; row < initial.size(); ++row) {
    float last = initial[row];
    for (size_t i = row * elems; i < (row + 1) * elems; ++i)
      result.push_back(last = f1(f0(a[i], last), b[i]));
  }
  return result;
}

/// Equal bits, but every NaN is alike.
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

std::vector<float> all(float value) {
  return std::vector<float>(kParts, value);
}

class TensorScan : public testing::TestWithParam<Form> {
protected:
  Bench bench() const { return Bench(GetParam(), kParts); }
};

TEST_P(TensorScan, IsTheRecurrence) {
  for (uint32_t elems : {1u, 2u, 70u, 1025u}) {
    SCOPED_TRACE(elems);
    std::vector<float> a = floats(kParts * elems, 1),
                       b = floats(kParts * elems, 2);
    Bench bench = this->bench();
    Operand x = bench.in(f32, a), y = bench.in(f32, b);
    Operand sums = bench.out(f32, elems), maxima = bench.out(f32, elems);
    bench.b.tensorTensorScan(kParts, sums, x, Fn::mul, Fn::add, y,
                             immediate(0.75f));
    bench.b.tensorTensorScan(kParts, maxima, x, Fn::hw_max, Fn::sub, y,
                             immediate(-3.0f));
    expectSame(bench.run<float>(sums), recurrence(a, mul, add, b, all(0.75f)));
    expectSame(bench.contents<float>(maxima),
               recurrence(a, hwMax, sub, b, all(-3.0f)));
  }
}

TEST_P(TensorScan, GoesOnWithNaNsAndInfinities) {
  std::vector<float> a = floats(kParts * 40, 3), b = floats(kParts * 40, 4);
  a[45] = std::numeric_limits<float>::quiet_NaN();
  b[90] = std::numeric_limits<float>::infinity();
  b[130] = -0.0f, a[131] = 1e-40f;
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b);
  Operand sums = bench.out(f32, 40), maxima = bench.out(f32, 40);
  bench.b.tensorTensorScan(kParts, sums, x, Fn::mul, Fn::add, y,
                           immediate(1e-39f));
  bench.b.tensorTensorScan(kParts, maxima, x, Fn::hw_max, Fn::add, y,
                           immediate(0.0f));
  std::vector<float> expected = recurrence(a, mul, add, b, all(1e-39f));
  EXPECT_TRUE(std::isnan(expected[79])) << "a NaN does not get lost";
  expectSame(bench.run<float>(sums), expected);
  expectSame(bench.contents<float>(maxima),
             recurrence(a, hwMax, add, b, all(0.0f)));
}

TEST_P(TensorScan, InitialOfEachPartition) {
  std::vector<float> a = floats(kParts * 30, 5), b = floats(kParts * 30, 6);
  std::vector<float> initial = {2, -1, 0.3f, 3, 0};
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b);
  Operand wide = bench.in(f32, initial);
  Operand narrow = bench.in(bf16, convert(initial, toBF16));
  Operand fromWide = bench.out(f32, 30), fromNarrow = bench.out(f32, 30);
  bench.b.tensorTensorScan(kParts, fromWide, x, Fn::mul, Fn::add, y, wide);
  bench.b.tensorTensorScan(kParts, fromNarrow, x, Fn::mul, Fn::add, y, narrow);
  expectSame(bench.run<float>(fromWide), recurrence(a, mul, add, b, initial));
  expectSame(
      bench.contents<float>(fromNarrow),
      recurrence(a, mul, add, b, convert(convert(initial, toBF16), fromBF16)));
}

/// A row in two pieces: the second begins with the first one's last element.
TEST_P(TensorScan, ContinuesWhatAnotherBegan) {
  std::vector<float> a = floats(kParts * 30, 7), b = floats(kParts * 30, 8);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b);
  Operand left = bench.out(f32, 12), right = bench.out(f32, 18);
  auto part = [](Operand whole, uint32_t begin, uint32_t size) {
    return tile(f32, whole.offset + 4 * begin, size);
  };
  bench.b.tensorTensorScan(kParts, left, part(x, 0, 12), Fn::mul, Fn::add,
                           part(y, 0, 12), immediate(1.0f));
  bench.b.tensorTensorScan(kParts, right, part(x, 12, 18), Fn::mul, Fn::add,
                           part(y, 12, 18), part(left, 11, 1));
  std::vector<float> whole = recurrence(a, mul, add, b, all(1.0f));
  std::vector<float> expected[2];
  for (size_t i = 0; i < whole.size(); ++i)
    expected[i % 30 >= 12].push_back(whole[i]);
  expectSame(bench.run<float>(left), expected[0]);
  expectSame(bench.contents<float>(right), expected[1]);
}

TEST_P(TensorScan, RoundsToTheDestinationOnlyWhatItStores) {
  std::vector<uint16_t> a = convert(floats(kParts * 200, 9), toBF16),
                        b = convert(floats(kParts * 200, 10), toBF16);
  Bench bench = this->bench();
  Operand x = bench.in(bf16, a), y = bench.in(bf16, b);
  Operand z = bench.out(bf16, 200);
  bench.b.tensorTensorScan(kParts, z, x, Fn::mul, Fn::add, y, immediate(0.0f));
  std::vector<float> wideA = convert(a, fromBF16), wideB = convert(b, fromBF16);
  std::vector<uint16_t> expected =
      convert(recurrence(wideA, mul, add, wideB, all(0)), toBF16);
  std::vector<uint16_t> roundedAlways = convert(
      recurrence(
          wideA, mul,
          [](float inner, float y) { return fromBF16(toBF16(inner + y)); },
          wideB, all(0)),
      toBF16);
  ASSERT_NE(expected, roundedAlways) << "the data do not tell the two apart";
  EXPECT_EQ(bench.run<uint16_t>(z), expected);
}

TEST_P(TensorScan, SwapsOperands) {
  std::vector<float> a = floats(kParts * 20, 11), b = floats(kParts * 20, 12);
  const Binary swapped = [](float a, float b) { return b - a; };
  for (bool first : {false, true})
    for (bool second : {false, true}) {
      SCOPED_TRACE(int(first) * 2 + int(second));
      Bench bench = this->bench();
      Operand x = bench.in(f32, a), y = bench.in(f32, b);
      Operand z = bench.out(f32, 20);
      bench.b
          .tensorTensorScan(kParts, z, x, Fn::sub, Fn::sub, y, immediate(0.5f))
          .reverse = {first, second};
      expectSame(bench.run<float>(z),
                 recurrence(a, first ? swapped : sub, second ? swapped : sub, b,
                            all(0.5f)));
    }
}

TEST_P(TensorScan, RepeatedAndStridedSources) {
  std::vector<float> a = floats(kParts * 20, 13), one = {1, -0.5f, 0.9f, 2, 0};
  std::vector<float> ones;
  for (size_t i = 0; i < a.size(); ++i)
    ones.push_back(one[i / 20]);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), strided = bench.in(f32, a, 2);
  Operand single = bench.in(f32, one);
  Operand repeated = tile(f32, single.offset, 20, 0);
  Operand left = bench.out(f32, 20), right = bench.out(f32, 20),
          both = bench.out(f32, 20, 3);
  bench.b.tensorTensorScan(kParts, left, repeated, Fn::mul, Fn::add, x,
                           immediate(0.25f));
  bench.b.tensorTensorScan(kParts, right, x, Fn::mul, Fn::add, repeated,
                           immediate(0.25f));
  bench.b.tensorTensorScan(kParts, both, strided, Fn::mul, Fn::add, strided,
                           immediate(0.25f));
  expectSame(bench.run<float>(left), recurrence(ones, mul, add, a, all(0.25f)));
  expectSame(bench.contents<float>(right),
             recurrence(a, mul, add, ones, all(0.25f)));
  expectSame(bench.contents<float>(both),
             recurrence(a, mul, add, a, all(0.25f)));
}

TEST_P(TensorScan, ReachesPsum) {
  std::vector<float> a = floats(kParts * 20, 14), b = floats(kParts * 20, 15);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b);
  Operand fromLeft = bench.out(f32, 20), fromRight = bench.out(f32, 20);
  Operand inPsum = psumTile(f32, 2048, 20), made = psumTile(f32, 4096, 20),
          initial = psumTile(f32, 64, 1);
  bench.b.memset(Unit::Vector, kParts, initial, immediate(0.5f));
  bench.b.copy(Unit::Vector, kParts, inPsum, x);
  bench.b.tensorTensorScan(kParts, made, inPsum, Fn::mul, Fn::add, y, initial);
  bench.b.tensorTensorScan(kParts, fromRight, y, Fn::mul, Fn::add, inPsum,
                           initial);
  bench.b.copy(Unit::Vector, kParts, fromLeft, made);
  expectSame(bench.run<float>(fromLeft), recurrence(a, mul, add, b, all(0.5f)));
  expectSame(bench.contents<float>(fromRight),
             recurrence(b, mul, add, a, all(0.5f)));
}

TEST_P(TensorScan, InPlaceOfEitherSource) {
  std::vector<float> a = floats(kParts * 20, 16), b = floats(kParts * 20, 17);
  std::vector<int32_t> n(kParts * 20, 3);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b), k = bench.in(i32, n);
  Operand left = bench.out(f32, 20), right = bench.out(f32, 20),
          overIntegers = bench.out(f32, 20);
  bench.b.copy(Unit::Vector, kParts, left, x);
  bench.b.tensorTensorScan(kParts, left, left, Fn::mul, Fn::add, y,
                           immediate(0.5f));
  bench.b.copy(Unit::Vector, kParts, right, y);
  bench.b.tensorTensorScan(kParts, right, x, Fn::mul, Fn::add, right,
                           immediate(0.5f));
  bench.b.tensorTensorScan(kParts, tile(f32, k.offset, 20), k, Fn::mul, Fn::add,
                           y, immediate(0.5f));
  bench.b.copy(Unit::Vector, kParts, overIntegers, tile(f32, k.offset, 20));
  std::vector<float> expected = recurrence(a, mul, add, b, all(0.5f));
  expectSame(bench.run<float>(left), expected);
  expectSame(bench.contents<float>(right), expected);
  expectSame(
      bench.contents<float>(overIntegers),
      recurrence(std::vector<float>(kParts * 20, 3), mul, add, b, all(0.5f)));
}

TEST_P(TensorScan, Comparisons) {
  std::vector<float> a = floats(kParts * 20, 18), b = floats(kParts * 20, 19);
  Bench bench = this->bench();
  Operand x = bench.in(f32, a), y = bench.in(f32, b);
  Operand counts = bench.out(f32, 20), flags = bench.out(boolean, 20);
  bench.b.tensorTensorScan(kParts, counts, x, Fn::lt, Fn::add, y,
                           immediate(0.5f));
  bench.b.tensorTensorScan(kParts, flags, x, Fn::add, Fn::lt, y,
                           immediate(0.5f));
  expectSame(bench.run<float>(counts), recurrence(a, less, add, b, all(0.5f)));
  std::vector<uint8_t> expected;
  for (float flag : recurrence(a, add, less, b, all(0.5f)))
    expected.push_back(flag != 0);
  EXPECT_EQ(bench.contents<uint8_t>(flags), expected);
}

INSTANTIATE_TEST_SUITE_P(Forms, TensorScan, testing::ValuesIn(allForms()),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// As the other instructions compute it, an element at a time.
float applied(Fn fn, float a, float b) {
  const void *operands[] = {&a, &b};
  const int64_t strides[] = {1, 1};
  uint32_t bits = 0;
  bool byZero = false;
  semantics::rowFunction(fn, f32)(operands, strides, &bits, 1, &byZero);
  return info(fn).resultIsBool ? float(bits & 1) : std::bit_cast<float>(bits);
}

TEST(TensorScanFunctions, AllPairsAsElsewhere) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> a = {0.3f,   -0.0f, 2.0f, nan,  -infinity,
                                1e-40f, 0.3f,  1.0f, -7.5f};
  const std::vector<float> b = {0.7f, 0.0f, -2.0f, 1.0f, infinity,
                                nan,  0.3f, 0.0f,  1.0f};
  unsigned pairs = 0;
  for (unsigned f = 0; f < kNumFns; ++f)
    for (unsigned g = 0; g < kNumFns; ++g) {
      bool isLegal = runsOnVector(Fn(f)) && info(Fn(f)).arity == 2 &&
                     runsOnVector(Fn(g)) && info(Fn(g)).arity == 2;
      auto scan = semantics::rowTensorScan(Fn(f), Fn(g));
      ASSERT_EQ(scan != nullptr, isLegal)
          << nameOf(Fn(f)) << ", " << nameOf(Fn(g));
      if (!isLegal)
        continue;
      for (int swaps = 0; swaps < 4; ++swaps) {
        SCOPED_TRACE(std::string(nameOf(Fn(f))) + ", " +
                     std::string(nameOf(Fn(g))) + std::to_string(swaps));
        bool first = swaps & 1, second = swaps & 2;
        std::vector<float> actual(a.size()), expected;
        scan({a.data(), b.data()}, {1, 1}, {first, second}, 0.5f, actual.data(),
             int64_t(a.size()));
        float last = 0.5f;
        for (size_t i = 0; i < a.size(); ++i) {
          float inner =
              first ? applied(Fn(f), last, a[i]) : applied(Fn(f), a[i], last);
          last = second ? applied(Fn(g), b[i], inner)
                        : applied(Fn(g), inner, b[i]);
          expected.push_back(last);
        }
        for (size_t i = 0; i < a.size(); ++i) // also the bits of NaNs
          ASSERT_EQ(std::bit_cast<uint32_t>(actual[i]),
                    std::bit_cast<uint32_t>(expected[i]))
              << i;
        ++pairs;
      }
    }
  EXPECT_GE(pairs, 4u * 100);
}

//===----------------------------------------------------------------------===//
// Rules and encoding
//===----------------------------------------------------------------------===//

Builder oneScan() {
  Builder b;
  b.kernel("k");
  b.tensorTensorScan(4, tile(f32, 0, 8), tile(bf16, 64, 8), Fn::mul, Fn::add,
                     tile(f32, 128, 8), immediate(0.0f));
  return b;
}

Instruction &scanOf(Builder &b) {
  return std::get<Instruction>(b.program.kernels[0].body[0]);
}

struct Case {
  const char *name;
  const char *rule; ///< empty: valid
  void (*change)(Instruction &);
};

const Case kCases[] = {
    {"as it is", "", [](Instruction &) {}},
    {"over src[1]", "",
     [](Instruction &it) { it.dst.offset = it.src[1].offset; }},
    {"bool by comparison", "",
     [](Instruction &it) { it.dst.dtype = boolean, it.fn[1] = Fn::lt; }},
    {"one source in PSUM", "",
     [](Instruction &it) { it.src[0].offset += kPsumBase; }},
    {"repeated sources", "",
     [](Instruction &it) { it.src[0].stride = it.src[1].stride = 0; }},
    {"engine", "P10", [](Instruction &it) { it.engine = Unit::GpSimd; }},
    {"no initial value", "P13", [](Instruction &it) { it.src[2] = {}; }},
    {"an immediate to go through", "P13",
     [](Instruction &it) { it.src[1] = immediate(1.0f); }},
    {"acc", "P13", [](Instruction &it) { it.acc = tile(f32, 512, 1); }},
    {"initial values", "P14",
     [](Instruction &it) { it.src[2] = tile(f32, 512, 8); }},
    {"elements", "P14", [](Instruction &it) { it.src[1].elems = 7; }},
    {"into one element", "P14", [](Instruction &it) { it.dst.stride = 0; }},
    {"over src[0], narrower", "P16",
     [](Instruction &it) { it.dst.offset = it.src[0].offset; }},
    {"beside src[1]", "P16",
     [](Instruction &it) { it.dst.offset = it.src[1].offset + 4; }},
    {"over the initial value", "P16",
     [](Instruction &it) { it.src[2] = tile(f32, 0, 1); }},
    {"initial value of integers", "P18",
     [](Instruction &it) { it.src[2] = tile(i32, 512, 1); }},
    {"immediate dtype", "P18",
     [](Instruction &it) { it.src[2] = immediate(bf16, 0); }},
    {"64 bits", "P18", [](Instruction &it) { it.src[1].dtype = DType::F64; }},
    {"bool by addition", "P18",
     [](Instruction &it) { it.dst.dtype = boolean; }},
    {"function of GpSimd", "P19", [](Instruction &it) { it.fn[0] = Fn::div; }},
    {"function of one operand", "P19",
     [](Instruction &it) { it.fn[1] = Fn::abs; }},
    {"accumulates", "P20",
     [](Instruction &it) { it.accumulate = Accumulate::Yes; }},
    {"both sources in PSUM", "P28",
     [](Instruction &it) {
       it.src[0].offset += kPsumBase;
       it.src[1].offset += kPsumBase;
     }},
};

TEST(TensorScanRules, EachIsFound) {
  for (const Case &changed : kCases) {
    Builder b = oneScan();
    changed.change(scanOf(b));
    Status status = verify(b.program);
    std::string message = status.ok() ? "" : status.message();
    if (*changed.rule)
      EXPECT_NE(message.find(std::string("rule ") + changed.rule + ":"),
                std::string::npos)
          << changed.name << ": " << message;
    else
      EXPECT_EQ(message, "") << changed.name;
  }
}

TEST(TensorScanEncoding, RoundTrip) {
  Builder b = oneScan();
  scanOf(b).reverse = {false, true};
  std::vector<uint8_t> bytes = encode(b.program);
  auto back = decode(bytes);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_TRUE(*back == b.program);
  // Programs in files hold the number.
  EXPECT_EQ(int(Opcode::TensorTensorScan), 21);
  std::string text = toString(*back);
  EXPECT_NE(text.find("vector.tensor_tensor_scan<mul, add reversed> parts=4 "
                      "sbuf[0:8 x float32] <- sbuf[64:8 x bfloat16], "
                      "sbuf[128:8 x float32], 0:float32"),
            std::string::npos)
      << text;
}

} // namespace

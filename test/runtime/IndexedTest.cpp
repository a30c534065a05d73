//===- IndexedTest.cpp - gather, scatter, scan, sort, random --------------===//
//
// Against plain references, in every form of execution; and what the verifier,
// the interpreter's checks and the clock say of them.
//
//===----------------------------------------------------------------------===//
#include "Bench.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr DType f32 = DType::F32, i64 = DType::I64;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
using Reduce = Instruction::Reduce;

class Indexed : public testing::TestWithParam<Form> {};

std::vector<float> floats(size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-8, 8);
  std::vector<float> values(count);
  for (float &value : values)
    value = std::round(uniform(random) * 8) / 8;
  return values;
}

std::vector<int64_t> indices(size_t count, int64_t bound, unsigned seed = 2) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> values(count);
  for (int64_t &value : values)
    value = int64_t(random() % uint64_t(bound));
  return values;
}

/// A table of 7 rows of `cols` elements, rows told by an index.
struct Table {
  Builder b;
  uint32_t table, index, out;
  std::vector<float> values;
  std::vector<int64_t> at;
  std::vector<float> result;
  uint16_t parts;
  uint32_t cols;

  Table(TensorKind kind, uint16_t parts, uint32_t cols, uint32_t perRow)
      : values(floats(7 * cols)), at(indices(parts * perRow, 7)), parts(parts),
        cols(cols) {
    table = b.tensor("table", kind, f32, {7, cols});
    index = b.tensor("index", TensorKind::Input, i64, {parts, perRow});
    out = b.tensor("out",
                   kind == TensorKind::Input ? TensorKind::Output
                                             : TensorKind::Input,
                   f32, {parts, cols});
    result = floats(parts * cols, 5);
    b.kernel("k");
    places = tile(i64, 0, perRow);
    b.load(Unit::Sync, queue(0), parts, places, b.window(index, parts, perRow))
        .signal = true;
  }

  Operand places, tileOfRows = tile(f32, 8192, 1);

  /// Any row of the table, in line with the columns.
  HbmAccess window() const {
    HbmAccess access = Builder::window(table, parts, cols);
    access.rowStrides = {0};
    access.indexStride = cols;
    access.indexBound = 7;
    return access;
  }

  Instruction &indexed(Opcode opcode) {
    tileOfRows.elems = cols;
    Instruction it;
    it.opcode = opcode;
    it.engine = Unit::GpSimd;
    it.queue = queue(8);
    it.parts = parts;
    it.hbm = window();
    if (opcode == Opcode::DmaGather) {
      it.dst = tileOfRows;
      it.src[0] = places;
    } else {
      it.src = {tileOfRows, places, {}};
    }
    it.waits = {waitFor(queue(0), 1)};
    return b.add(it);
  }

  Outcome run(const Form &form) {
    Status status = verify(b.program);
    if (!status.ok())
      return {Fault::Internal, status.message()};
    auto executable = form.create(std::make_shared<Program>(b.program));
    if (!executable.ok())
      return {Fault::Internal, executable.message()};
    auto bytes = [](auto &list) {
      return Buffer{reinterpret_cast<uint8_t *>(list.data()),
                    int64_t(list.size() * sizeof(list[0]))};
    };
    std::vector<Buffer> buffers = {bytes(values), bytes(at), bytes(result)};
    return (*executable)->run(buffers);
  }
};

Table gatherProgram(uint32_t perRow) {
  Table t(TensorKind::Input, 5, 12, perRow);
  t.indexed(Opcode::DmaGather).signal = true;
  t.b.store(Unit::Sync, queue(1), 5, t.b.window(t.out, 5, 12), t.tileOfRows)
      .waits = {waitFor(queue(8), 1)};
  return t;
}

Table scatterProgram(uint32_t perRow, uint16_t parts = 9) {
  Table t(TensorKind::Output, parts, 12, perRow);
  t.tileOfRows.elems = 12;
  t.b.load(Unit::Sync, queue(0), parts, t.tileOfRows,
           t.b.window(t.out, parts, 12))
      .signal = true;
  t.indexed(Opcode::DmaScatter).waits = {waitFor(queue(0), 2)};
  return t;
}

Instruction &last(Table &t) {
  return std::get<Instruction>(t.b.program.kernels[0].body.back());
}

TEST_P(Indexed, Gather) {
  for (uint32_t perRow : {1u, 12u}) {
    Table t = gatherProgram(perRow);
    Outcome outcome = t.run(GetParam());
    ASSERT_EQ(int(outcome.fault), 0) << outcome.message;
    for (size_t p = 0; p < 5; ++p)
      for (size_t c = 0; c < 12; ++c)
        EXPECT_EQ(t.result[p * 12 + c],
                  t.values[t.at[perRow == 1 ? p : p * 12 + c] * 12 + c]);
  }
}

TEST_P(Indexed, ScatterKeepsTheLastOfSeveral) {
  for (uint32_t perRow : {1u, 12u}) {
    Table t = scatterProgram(perRow);
    std::vector<float> expected = t.values;
    Outcome outcome = t.run(GetParam());
    ASSERT_EQ(int(outcome.fault), 0) << outcome.message;
    for (size_t p = 0; p < 9; ++p)
      for (size_t c = 0; c < 12; ++c)
        expected[t.at[perRow == 1 ? p : p * 12 + c] * 12 + c] =
            t.result[p * 12 + c];
    EXPECT_EQ(t.values, expected);
  }
}

/// A sum in another order has other bits.
TEST_P(Indexed, ScatterAccumulatesInOrder) {
  Table t = scatterProgram(12, 120);
  // What is added to must be there.
  Instruction &scatter = last(t);
  scatter.accumulate = Accumulate::Yes;
  scatter.reduce = Reduce::Sum;
  auto zeros = t.b.tensor("zeros", TensorKind::Input, f32, {7, 12});
  auto &body = t.b.program.kernels[0].body;
  Builder fill;
  fill.kernel("k");
  fill.load(Unit::Sync, queue(2), 7, tile(f32, 16384, 12),
            Builder::window(zeros, 7, 12))
      .signal = true;
  fill.store(Unit::Sync, queue(3), 7, Builder::window(t.table, 7, 12),
             tile(f32, 16384, 12))
      .waits = {waitFor(queue(2), 1)};
  auto &head = fill.program.kernels[0].body;
  head.push_back(Barrier{});
  body.insert(body.begin(), head.begin(), head.end());
  std::mt19937 random(9);
  for (float &value : t.result)
    value = std::ldexp(float(random()), -int(random() % 40));
  std::vector<float> expected(7 * 12, 0.f);
  for (size_t p = 0; p < 120; ++p)
    for (size_t c = 0; c < 12; ++c)
      expected[t.at[p * 12 + c] * 12 + c] += t.result[p * 12 + c];
  Status status = verify(t.b.program);
  ASSERT_TRUE(status.ok()) << status.message();
  auto executable = GetParam().create(std::make_shared<Program>(t.b.program));
  ASSERT_TRUE(executable.ok()) << executable.message();
  std::vector<float> start(7 * 12, 0.f);
  auto bytes = [](auto &list) {
    return Buffer{reinterpret_cast<uint8_t *>(list.data()),
                  int64_t(list.size() * sizeof(list[0]))};
  };
  std::vector<Buffer> buffers = {bytes(t.values), bytes(t.at), bytes(t.result),
                                 bytes(start)};
  Outcome outcome = (*executable)->run(buffers);
  ASSERT_EQ(int(outcome.fault), 0) << outcome.message;
  EXPECT_EQ(t.values, expected);
}

TEST_P(Indexed, AnIndexOutOfBoundsIsAnError) {
  for (int64_t bad : {int64_t(-1), int64_t(7), INT64_MIN, INT64_MAX}) {
    for (bool scatters : {false, true}) {
      Table t = scatters ? scatterProgram(12) : gatherProgram(12);
      t.at[17] = bad;
      Outcome outcome = t.run(GetParam());
      EXPECT_EQ(int(outcome.fault), int(Fault::BadInput));
      EXPECT_NE(outcome.message.find("IndexError\nindex " +
                                     std::to_string(bad) + " is out of bounds"),
                std::string::npos)
          << outcome.message;
    }
  }
}

TEST_P(Indexed, Scan) {
  std::vector<float> x = floats(5 * 70);
  x[75] = kNaN, x[150] = -0.0f;
  Bench bench(GetParam(), 5);
  Operand in = bench.in(f32, x);
  Operand carry = bench.in(DType::F64, std::vector<double>(5, 2.5));
  Operand sum = bench.out(f32, 70), max = bench.out(f32, 70),
          total = bench.out(DType::F64, 1);
  Instruction &first =
      bench.b.add(Opcode::GpsimdScan, Unit::GpSimd, 5, sum, {in});
  first.compute = DType::F64;
  first.acc = carry;
  first.accumulate = Accumulate::Yes;
  bench.b.barrier();
  bench.b.copy(Unit::Vector, 5, total, carry);
  Instruction &second =
      bench.b.add(Opcode::GpsimdScan, Unit::GpSimd, 5, max, {in});
  second.compute = f32;
  second.reduce = Reduce::Max;
  std::vector<float> sums = bench.run<float>(sum);
  std::vector<float> maxima = bench.contents<float>(max);
  std::vector<double> totals = bench.contents<double>(total);
  for (size_t p = 0; p < 5; ++p) {
    double running = 2.5;
    float most = -std::numeric_limits<float>::infinity();
    for (size_t c = 0; c < 70; ++c) {
      float value = x[p * 70 + c];
      running += value;
      if (std::isnan(value) || (!std::isnan(most) && value >= most))
        most = value;
      auto same = [](float a, float b) {
        return (std::isnan(a) && std::isnan(b)) ||
               std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
      };
      EXPECT_TRUE(same(sums[p * 70 + c], float(running))) << p << " " << c;
      EXPECT_TRUE(same(maxima[p * 70 + c], most)) << p << " " << c;
    }
    EXPECT_TRUE(totals[p] == running || std::isnan(running));
  }
}

TEST_P(Indexed, SortIsStable) {
  std::vector<float> x = floats(5 * 70);
  x[3] = kNaN, x[30] = -0.0f, x[31] = 0.0f, x[60] = kNaN;
  for (bool descending : {false, true}) {
    Bench bench(GetParam(), 5);
    Operand in = bench.in(f32, x);
    Operand sorted = bench.out(f32, 70), places = bench.out(i64, 70);
    Instruction &it =
        bench.b.add(Opcode::GpsimdSort, Unit::GpSimd, 5, sorted, {in});
    it.acc = places;
    it.reverse[0] = descending;
    std::vector<float> values = bench.run<float>(sorted);
    std::vector<int64_t> at = bench.contents<int64_t>(places);
    for (size_t p = 0; p < 5; ++p) {
      std::vector<int64_t> order(70);
      std::iota(order.begin(), order.end(), 0);
      auto less = [&](int64_t a, int64_t b) {
        float x0 = x[p * 70 + a], x1 = x[p * 70 + b];
        if (descending)
          return (std::isnan(x0) && !std::isnan(x1)) || x0 > x1;
        return (!std::isnan(x0) && std::isnan(x1)) || x0 < x1;
      };
      std::stable_sort(order.begin(), order.end(), less);
      for (size_t c = 0; c < 70; ++c) {
        EXPECT_EQ(at[p * 70 + c], order[c]) << p << " " << c;
        EXPECT_EQ(std::bit_cast<uint32_t>(values[p * 70 + c]),
                  std::bit_cast<uint32_t>(x[p * 70 + order[c]]));
      }
    }
  }
}

/// The test vectors of the paper's library, Random123.
TEST_P(Indexed, RandomIsPhilox) {
  Bench bench(GetParam(), 1);
  Operand key = bench.in(i64, std::vector<int64_t>{0});
  Operand out = bench.out(i64, 2), small = bench.out(f32, 1000);
  bench.b.add(Opcode::GpsimdRandom, Unit::GpSimd, 1, out, {key}).step = 1;
  bench.b.add(Opcode::GpsimdRandom, Unit::GpSimd, 1, small, {key}).step = 3;
  std::vector<int64_t> bits = bench.run<int64_t>(out);
  EXPECT_EQ(uint64_t(bits[0]), 0xe169c58d6627e8d5ull);
  EXPECT_NE(bits[0], bits[1]);
  std::vector<float> values = bench.contents<float>(small);
  EXPECT_EQ(values[0], float(0xe169c5) / float(1 << 24));
  EXPECT_TRUE(std::all_of(values.begin(), values.end(),
                          [](float value) { return value >= 0 && value < 1; }));
}

INSTANTIATE_TEST_SUITE_P(Forms, Indexed, testing::ValuesIn(allForms()),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

struct Case {
  const char *name;
  bool scatters;
  const char *rule;
  void (*breakIt)(Instruction &);
};

const Case kCases[] = {
    {"bound", false, "P21", [](Instruction &it) { it.hbm.indexBound = 8; }},
    {"no bound", false, "P21", [](Instruction &it) { it.hbm.indexBound = 0; }},
    {"stride", false, "P21", [](Instruction &it) { it.hbm.indexStride = 13; }},
    {"negative stride", false, "P21",
     [](Instruction &it) { it.hbm.indexStride = -1; }},
    {"stride beyond 64 bits", false, "P21",
     [](Instruction &it) { it.hbm.indexStride = INT64_MAX; }},
    {"index dtype", false, "P18",
     [](Instruction &it) { it.src[0].dtype = DType::U64; }},
    {"index elements", false, "P14",
     [](Instruction &it) { it.src[0].elems = 5; }},
    {"no index", false, "P13", [](Instruction &it) { it.src[0] = {}; }},
    {"engine", false, "P10", [](Instruction &it) { it.engine = Unit::Sync; }},
    {"accumulates", false, "P20",
     [](Instruction &it) { it.accumulate = Accumulate::Yes; }},
    {"data dtype", true, "P18",
     [](Instruction &it) { it.src[0].dtype = DType::I32; }},
    {"reduction", true, "P18",
     [](Instruction &it) {
       it.accumulate = Accumulate::Yes;
       it.reduce = Reduce::ArgMax;
     }},
    {"compute", true, "P18",
     [](Instruction &it) {
       it.accumulate = Accumulate::Yes;
       it.compute = DType::BF16;
     }},
    {"to an input", true, "P22", [](Instruction &it) { it.hbm.tensor = 2; }},
};

TEST(IndexedRules, EachIsFound) {
  for (const Case &broken : kCases) {
    Table t = broken.scatters ? scatterProgram(12) : gatherProgram(12);
    auto &body = t.b.program.kernels[0].body;
    for (Node &node : body)
      if (auto &it = std::get<Instruction>(node); it.isIndexed())
        broken.breakIt(it);
    Status status = verify(t.b.program);
    ASSERT_FALSE(status.ok()) << broken.name;
    EXPECT_NE(status.message().find(std::string("rule ") + broken.rule + ":"),
              std::string::npos)
        << broken.name << ": " << status.message();
  }
}

TEST(IndexedRules, OfSequences) {
  Builder b;
  b.tensor("x", TensorKind::Input, f32, {1});
  b.kernel("k");
  Instruction &it = b.add(Opcode::GpsimdScan, Unit::GpSimd, 4, tile(f32, 0, 8),
                          {tile(f32, 64, 8)});
  auto rule = [&] {
    Status status = verify(b.program);
    return status.ok() ? std::string() : status.message();
  };
  EXPECT_EQ(rule(), "");
  it.accumulate = Accumulate::Yes;
  EXPECT_NE(rule().find("rule P13"), std::string::npos);
  it.acc = tile(DType::F64, 128, 1);
  EXPECT_NE(rule().find("rule P18"), std::string::npos);
  it.compute = DType::F64;
  EXPECT_EQ(rule(), "");
  it.reduce = Reduce::Any;
  EXPECT_NE(rule().find("rule P18"), std::string::npos);
  it = {};
  it.opcode = Opcode::GpsimdSort;
  it.engine = Unit::GpSimd;
  it.parts = 4;
  it.src[0] = tile(f32, 64, 8);
  EXPECT_NE(rule().find("rule P13"), std::string::npos);
  it.acc = tile(DType::I32, 128, 8);
  EXPECT_NE(rule().find("rule P18"), std::string::npos);
  it.acc = tile(i64, 128, 8);
  EXPECT_EQ(rule(), "");
  it.opcode = Opcode::GpsimdRandom;
  it.acc = {};
  it.dst = tile(DType::I32, 0, 8);
  it.src[0] = tile(i64, 128, 1);
  EXPECT_NE(rule().find("rule P18"), std::string::npos);
  it.dst = tile(f32, 0, 8);
  EXPECT_EQ(rule(), "");
  it.step = INT64_MAX;
  EXPECT_NE(rule().find("rule P24"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Order and time
//===----------------------------------------------------------------------===//

Outcome interpret(Table &t) { return t.run(allForms()[0]); }

TEST(IndexedOrder, EveryWaitIsNeeded) {
  for (bool scatters : {false, true}) {
    Table whole = scatters ? scatterProgram(1) : gatherProgram(1);
    ASSERT_EQ(int(interpret(whole).fault), 0) << interpret(whole).message;
    size_t count = whole.b.program.kernels[0].body.size();
    for (size_t i = 0; i < count; ++i) {
      Table t = scatters ? scatterProgram(1) : gatherProgram(1);
      auto &it = std::get<Instruction>(t.b.program.kernels[0].body[i]);
      if (it.waits.empty())
        continue;
      it.waits.clear();
      EXPECT_EQ(int(interpret(t).fault), int(Fault::Race)) << i;
    }
  }
}

int64_t timeOf(const Program &program) {
  auto timeline = predictTimeline(program, false);
  return timeline.ok() ? timeline->total : -1;
}

/// A descriptor for each element costs more than one for each row.
TEST(IndexedTime, ElementsCostMoreThanRows) {
  EXPECT_GT(timeOf(gatherProgram(12).b.program),
            timeOf(gatherProgram(1).b.program));
}

TEST(IndexedTime, SortsGrowAsANetwork) {
  auto time = [](uint32_t elems) {
    Builder b;
    b.kernel("k");
    b.add(Opcode::GpsimdSort, Unit::GpSimd, 4, tile(f32, 0, elems),
          {tile(f32, 65536, elems)});
    return timeOf(b.program);
  };
  int64_t base = time(1);
  EXPECT_GT((time(4096) - base), 4 * (time(1024) - base));
}

} // namespace

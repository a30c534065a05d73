//===- CompiledTest.cpp - the compiled form around its code ---------------===//
//
// The cache, the order of the text, interrupts, division by zero, memory that
// tensors share, threads, long programs. What instructions compute is tested in
// ExecutionTest, and that both forms agree in FormsAgreeTest.
//
//===----------------------------------------------------------------------===//
#include "MatmulKernels.h"
#include "RowKernels.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/compiled/CodeCache.h"
#include "runtime/simulator/compiled/Emission.h"
#include "runtime/simulator/compiled/Plan.h"
#include "runtime/simulator/compiled/TextOrder.h"
#include "runtime/simulator/compiled/Threads.h"
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;
namespace fs = std::filesystem;

namespace {

constexpr DType f32 = DType::F32;

std::unique_ptr<Executable> make(const Program &program,
                                 const std::string &cache = "") {
  Status status = verify(program);
  EXPECT_TRUE(status.ok()) << status.message();
  auto made = createCompiled(std::make_shared<Program>(program), cache);
  EXPECT_TRUE(made.ok()) << made.message();
  return made.ok() ? std::move(*made) : nullptr;
}

template <class T> Buffer bufferOf(std::vector<T> &values) {
  return {reinterpret_cast<uint8_t *>(values.data()),
          int64_t(values.size() * sizeof(T))};
}

/// y = x, 128 rows of 64.
Program copyRows() {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128, 64});
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 64});
  b.kernel("copy");
  b.load(Unit::Sync, queue(0), 128, tile(f32, 0, 64), b.window(x, 128, 64));
  b.barrier();
  b.store(Unit::Sync, queue(1), 128, b.window(y, 128, 64), tile(f32, 0, 64));
  return b.program;
}

/// y = x + 1, 128 rows of 64.
Program addOne() {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {128, 64});
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 64});
  b.kernel("add_one");
  b.load(Unit::Sync, queue(0), 128, tile(f32, 0, 64), b.window(x, 128, 64));
  b.barrier();
  b.tensorScalar(128, tile(f32, 256, 64), tile(f32, 0, 64), Fn::add,
                 immediate(1.0f));
  b.barrier();
  b.store(Unit::Sync, queue(1), 128, b.window(y, 128, 64), tile(f32, 256, 64));
  return b.program;
}

std::vector<float> runAddOne(Executable &executable) {
  std::vector<float> x(128 * 64), y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  Buffer buffers[] = {bufferOf(x), bufferOf(y)};
  Outcome outcome = executable.run(buffers);
  EXPECT_EQ(int(outcome.fault), 0) << outcome.message;
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(y[i], x[i] + 1) << i;
  return y;
}

class Cache : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "codeXXXXXX").string();
    directory = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(directory); }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const auto &entry : fs::directory_iterator(directory))
      paths.push_back(entry.path());
    return paths;
  }
  static std::string contentsOf(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file),
            std::istreambuf_iterator<char>()};
  }
  std::string directory;
};

TEST_F(Cache, KeepsCodeAndUsesIt) {
  runAddOne(*make(addOne(), directory));
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(entries()[0].filename(), compiled::codeKey(addOne()) + ".o");
  auto written = fs::last_write_time(entries()[0]);
  runAddOne(*make(addOne(), directory));
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(fs::last_write_time(entries()[0]), written);
}

TEST_F(Cache, OtherProgramsHaveOtherEntries) {
  make(addOne(), directory);
  Program other = addOne();
  for (Node &node : other.kernels[0].body)
    if (auto *it = std::get_if<Instruction>(&node);
        it && it->opcode == Opcode::TensorScalar)
      it->src[1] = immediate(2.0f);
  make(other, directory);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Cache, RebuildsDamagedEntries) {
  make(addOne(), directory);
  fs::path path = entries()[0];
  std::string good = contentsOf(path);
  ASSERT_GT(good.size(), 500u);
  std::vector<std::string> damaged = {
      "", "x", good.substr(0, 40), good.substr(0, good.size() - 1), good + "x"};
  for (size_t at :
       {size_t(3), size_t(30), size_t(60), size_t(200), good.size() - 1}) {
    damaged.push_back(good);
    damaged.back()[at] ^= 0x10;
  }
  for (const std::string &bytes : damaged) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    compiled::CodeCache cache(directory);
    EXPECT_FALSE(cache.find(compiled::codeKey(addOne())));
    runAddOne(*make(addOne(), directory));
    EXPECT_EQ(contentsOf(path).size(), good.size());
  }
  EXPECT_EQ(entries().size(), 1u); // no temporary files are left
}

TEST_F(Cache, MakesItsDirectoryForTheUserAlone) {
  std::string inner = directory + "/inner";
  make(addOne(), inner);
  struct stat info;
  ASSERT_EQ(stat(inner.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(Cache, DoesWithoutAPlaceToWrite) {
  runAddOne(*make(addOne(), "/proc/no/such/place"));
}

TEST_F(Cache, ManyWritersAgree) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { runAddOne(*make(addOne(), directory)); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(entries().size(), 1u);
}

TEST(TextOrder, AcceptsWhatTheTextSatisfies) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {1024, 8});
  b.kernel("k");
  b.loop(8);
  auto &load =
      b.load(Unit::Sync, queue(0), 128, rotating(tile(f32, 0, 8), 2, 32),
             b.window(x, 1024, 8, affine(0, {128})));
  load.signal = true;
  load.waits = {waitFor(Unit::Vector, -1, {1})};
  auto &copy = b.copy(Unit::Vector, 128, tile(f32, 128, 8),
                      rotating(tile(f32, 0, 8), 2, 32));
  copy.signal = true;
  copy.waits = {waitFor(queue(0), 1, {1})};
  b.end();
  EXPECT_TRUE(compiled::checkTextOrder(b.program).ok());
}

TEST(TextOrder, RefusesWaitsForWhatComesLater) {
  for (int64_t value : {1, 2}) {
    Program program = addOne();
    auto &body = program.kernels[0].body;
    // The load waits for the store, or for two of itself.
    auto &load = std::get<Instruction>(body[0]);
    auto &store = std::get<Instruction>(body[4]);
    load.signal = store.signal = true;
    load.waits = {waitFor(value == 1 ? queue(1) : queue(0), value)};
    ASSERT_TRUE(verify(program).ok());
    auto made = createCompiled(std::make_shared<Program>(program), "");
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.message().find("reference interpreter"), std::string::npos)
        << made.message();
  }
}

TEST(Plan, CutsWherePartitionsMeet) {
  // Rows are stored to scratch and loaded transposed: other partitions' rows.
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {64, 64});
  auto s = b.tensor("s", TensorKind::Scratch, f32, {64, 64});
  auto y = b.tensor("y", TensorKind::Output, f32, {64, 64});
  b.kernel("transpose");
  Operand row = tile(f32, 0, 64), column = tile(f32, 256, 64);
  b.load(Unit::Sync, queue(0), 64, row, b.window(x, 64, 64));
  b.barrier();
  b.store(Unit::Sync, queue(0), 64, b.window(s, 64, 64), row);
  b.barrier();
  HbmAccess transposed = b.window(s, 64, 64);
  transposed.rowStrides = {1}, transposed.colStrides = {64};
  b.load(Unit::Sync, queue(0), 64, column, transposed);
  b.barrier();
  b.store(Unit::Sync, queue(0), 64, b.window(y, 64, 64), column);
  ASSERT_TRUE(verify(b.program).ok());
  auto plan = compiled::plan(b.program);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->segments.size(), 2u);
  std::vector<float> in(64 * 64), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i);
  Buffer buffers[] = {bufferOf(in), {}, bufferOf(out)};
  EXPECT_EQ(int(make(b.program)->run(buffers).fault), 0);
  for (size_t i = 0; i < 64; ++i)
    for (size_t j = 0; j < 64; ++j)
      ASSERT_EQ(out[i * 64 + j], in[j * 64 + i]);
}

TEST(Plan, CutsAtTheTensorEngine) {
  Program program = linear(DType::F32, 256, 256, 64); // the plan refers to it
  auto plan = compiled::plan(program);
  ASSERT_TRUE(plan.ok());
  compiled::analyseSbuf(*plan);
  EXPECT_TRUE(plan->kernels[0].keepsSbuf);
  // The transposes, and the products that make one sum.
  ASSERT_EQ(plan->tensorRuns.size(), 2u);
  EXPECT_EQ(plan->tensorRuns[0].instructions.size(), 2u);
  EXPECT_EQ(plan->tensorRuns[1].instructions.size(), 2u);
  // Loads of weights and bias; of rows; copies; sums to rows of y.
  EXPECT_EQ(plan->segments.size(), 4u);
}

TEST(Plan, MovesHaveNoCode) {
  // Loads, transposes and copies out of PSUM; an activation needs code.
  Program program = MatmulKernel(f32, 256, 256, 512).build();
  auto plan = compiled::plan(program);
  ASSERT_TRUE(plan.ok());
  compiled::analyseSbuf(*plan);
  compiled::Functions functions = compiled::functionsOf(*plan, program);
  size_t moves = 0;
  for (size_t i = 0; i < plan->segments.size(); ++i) {
    bool computes = false;
    compiled::forEachItem(
        plan->segments[i]->body,
        [&](const compiled::Block &, const compiled::Item &item) {
          computes |= item.instruction &&
                      item.instruction->opcode == Opcode::Activation;
        });
    bool hasNone = functions.ofSegment[i] == compiled::Functions::kNone;
    EXPECT_EQ(hasNone, plan->segments[i]->isMoves);
    EXPECT_FALSE(hasNone && computes);
    moves += hasNone;
  }
  EXPECT_GT(moves, 0u);
  EXPECT_FALSE(functions.names.empty());
}

TEST(Plan, RowKernelsOfMovesAreCompiled) {
  // Its partitions share one row of host memory, and go one after the other.
  Program program = copyRows();
  auto plan = compiled::plan(program);
  ASSERT_TRUE(plan.ok());
  compiled::analyseSbuf(*plan);
  for (const auto &segment : plan->segments)
    EXPECT_FALSE(segment->isMoves);
}

TEST(Plan, KeepsDestinationsThatMeetApart) {
  Builder b;
  b.kernel("k");
  Operand x = tile(DType::F32, 0, 16);
  b.matmul(128, psumTile(DType::F32, 0, 16), x, x);
  b.matmul(128, psumTile(DType::F32, 64, 16), x, x);
  b.matmul(128, psumTile(DType::F32, 32, 16), x, x);
  auto plan = compiled::plan(b.program);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->tensorRuns.size(), 2u);
}

TEST(Plan, KeepsRowKernelsWhole) {
  for (const Program &program : {rmsNorm(f32, 300, 64), softmax(f32, 300, 64),
                                 layerNorm(f32, 300, 64)}) {
    auto plan = compiled::plan(program);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->segments.size(), 1u);
  }
}

/// A loop of many iterations on one small tile.
Program longLoop() {
  Builder b;
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 512});
  b.kernel("long");
  Operand t = tile(f32, 0, 512);
  b.memset(Unit::Vector, 128, t, immediate(0.0f));
  b.loop(int64_t(1) << 25);
  b.tensorScalar(128, t, t, Fn::add, immediate(1.0f));
  b.barrier();
  b.end();
  b.store(Unit::Sync, queue(0), 128, b.window(y, 128, 512), t);
  return b.program;
}

TEST(Interrupts, EndARun) {
  for (unsigned threads : {1u, 3u}) {
    compiled::setThreadLimit(threads);
    auto executable = make(longLoop());
    std::vector<float> y(128 * 512);
    Buffer buffers[] = {bufferOf(y)};
    int asked = 0;
    auto begin = std::chrono::steady_clock::now();
    Outcome outcome = executable->run(buffers, [&] { return ++asked == 3; });
    EXPECT_EQ(outcome.fault, Fault::Timeout);
    EXPECT_EQ(asked, 3);
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(20));
  }
  compiled::setThreadLimit(0);
}

TEST(Faults, DivisionByZeroNamesTheInstruction) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, DType::I32, {128, 40});
  auto y = b.tensor("y", TensorKind::Output, DType::I32, {128, 40});
  b.kernel("k");
  Operand in = tile(DType::I32, 0, 40), out = tile(DType::I32, 160, 40);
  b.load(Unit::Sync, queue(0), 128, in, b.window(x, 128, 40));
  b.barrier();
  b.at("layer/divide");
  b.gpsimd(128, out, Fn::floor_div, DType::I32, {immediate(DType::I32, 7), in});
  b.barrier();
  b.store(Unit::Sync, queue(0), 128, b.window(y, 128, 40), out);
  auto executable = make(b.program);
  for (size_t zeroAt : {size_t(0), size_t(39), size_t(128 * 40 - 1)}) {
    std::vector<int32_t> in32(128 * 40, 2), out32(in32.size());
    Buffer buffers[] = {bufferOf(in32), bufferOf(out32)};
    EXPECT_EQ(int(executable->run(buffers).fault), 0);
    EXPECT_EQ(out32[17], 3);
    in32[zeroAt] = 0;
    Outcome outcome = executable->run(buffers);
    EXPECT_EQ(outcome.fault, Fault::BadInput);
    EXPECT_EQ(outcome.message.rfind("ZeroDivisionError\n", 0), 0u);
    EXPECT_NE(outcome.message.find("layer/divide"), std::string::npos)
        << outcome.message;
  }
}

TEST(Memory, MissingAndSmallBuffersAreErrors) {
  auto executable = make(addOne());
  std::vector<float> x(128 * 64), y(10);
  Buffer none[] = {bufferOf(x), {}};
  EXPECT_EQ(executable->run(none).fault, Fault::OutOfBounds);
  Buffer small[] = {bufferOf(x), bufferOf(y)};
  Outcome outcome = executable->run(small);
  EXPECT_EQ(outcome.fault, Fault::OutOfBounds);
  EXPECT_NE(outcome.message.find("'y'"), std::string::npos);
  EXPECT_EQ(executable->run(std::span<const Buffer>(small, 1)).fault,
            Fault::OutOfBounds);
}

TEST(Memory, TensorsThatOverlapRunInOrder) {
  // Every row but the first is loaded after the row before it was stored, if
  // partitions were to follow each other; the instruction loads all first.
  std::vector<float> memory(129 * 64);
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = float(i);
  std::vector<float> before = memory;
  auto *bytes = reinterpret_cast<uint8_t *>(memory.data());
  int64_t size = 128 * 64 * 4;
  Buffer buffers[] = {{bytes, size}, {bytes + 64 * 4, size}};
  Outcome outcome = make(addOne())->run(buffers);
  EXPECT_EQ(int(outcome.fault), 0) << outcome.message;
  for (size_t i = 0; i < 128 * 64; ++i)
    ASSERT_EQ(memory[64 + i], before[i] + 1) << i;
}

TEST(Threads, RunEveryPartOnce) {
  for (unsigned count : {0u, 1u, 2u, 7u}) {
    std::vector<std::atomic<int>> runs(count);
    compiled::runParallel(count, [&](unsigned i) { ++runs[i]; }, [] {});
    for (auto &times : runs)
      EXPECT_EQ(times, 1);
  }
}

TEST(Threads, ConcurrentRunsShareNothing) {
  compiled::setThreadLimit(2);
  compiled::setWorkPerThread(1);
  auto executable = make(addOne());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j)
        runAddOne(*executable);
    });
  for (std::thread &thread : threads)
    thread.join();
  compiled::setThreadLimit(0);
  compiled::setWorkPerThread(1 << 18);
}

TEST(Size, LongProgramsCompileInReasonableTime) {
  // 3000 different instructions in one kernel: most run in steps.
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {4, 32});
  auto y = b.tensor("y", TensorKind::Output, f32, {4, 32});
  b.kernel("long");
  Operand a = tile(f32, 0, 32), c = tile(f32, 128, 32);
  b.load(Unit::Sync, queue(0), 4, a, b.window(x, 4, 32));
  b.barrier();
  for (int i = 0; i < 3000; ++i) {
    b.tensorScalar(4, i % 2 ? a : c, i % 2 ? c : a, Fn::add,
                   immediate(float(i % 7) - 3));
    b.barrier();
  }
  b.store(Unit::Sync, queue(0), 4, b.window(y, 4, 32), a);
  timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  auto executable = make(b.program);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  EXPECT_LT(end.tv_sec - begin.tv_sec, 5);
  std::vector<float> in(128, 0.5f), out(128);
  Buffer buffers[] = {bufferOf(in), bufferOf(out)};
  EXPECT_EQ(int(executable->run(buffers).fault), 0);
  float expected = 0.5f;
  for (int i = 0; i < 3000; ++i)
    expected += float(i % 7) - 3;
  EXPECT_EQ(out, std::vector<float>(128, expected));
}

} // namespace

//===- RaceTest.cpp - what the interpreter checks -------------------------===//
//
// Programs with exactly the waits that they need run; without any one of them
// there is a race. And reads of undefined data, deadlocks, interruption, errors
// of the data.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Builder.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr DType f32 = DType::F32;

/// Runs with every input filled with 1, 2, ... (as bits); outputs are returned.
struct Execution {
  Outcome outcome;
  std::vector<std::vector<float>> memory; ///< by tensor

  explicit Execution(const Program &program,
                     const Interrupted &interrupted = {}) {
    Status status = verify(program);
    EXPECT_TRUE(status.ok()) << status.message();
    std::vector<Buffer> buffers;
    memory.resize(program.tensors.size());
    for (size_t i = 0; i < memory.size(); ++i) {
      const Tensor &tensor = program.tensors[i];
      bool isBound =
          tensor.kind == TensorKind::Input ||
          (tensor.kind == TensorKind::Output && tensor.aliasedInput == -1);
      if (!isBound) {
        buffers.emplace_back();
        continue;
      }
      memory[i].resize((tensor.bytes() + 3) / 4);
      if (tensor.kind == TensorKind::Input)
        for (size_t j = 0; j < memory[i].size(); ++j)
          memory[i][j] = float(j + 1);
      buffers.push_back({reinterpret_cast<uint8_t *>(memory[i].data()),
                         int64_t(memory[i].size() * 4)});
    }
    auto executable = createInterpreter(std::make_shared<Program>(program));
    outcome = executable->run(buffers, interrupted);
  }
};

void expectFault(const Program &program, Fault fault,
                 std::initializer_list<const char *> parts = {}) {
  Execution execution(program);
  EXPECT_EQ(int(execution.outcome.fault), int(fault))
      << execution.outcome.message;
  for (const char *part : parts)
    EXPECT_NE(execution.outcome.message.find(part), std::string::npos)
        << part << "\nnot in: " << execution.outcome.message;
}

void collect(std::vector<Node> &nodes, std::vector<Instruction *> &all) {
  for (Node &node : nodes)
    if (auto *loop = std::get_if<Loop>(&node))
      collect(loop->body, all);
    else if (auto *instruction = std::get_if<Instruction>(&node))
      all.push_back(instruction);
}

/// Runs without faults as it is, and with a race without any one wait.
void expectMinimalWaits(const Program &program, unsigned expectedWaits) {
  expectFault(program, Fault::None);
  unsigned removed = 0;
  for (unsigned i = 0;; ++i) {
    Program changed = program;
    std::vector<Instruction *> all;
    for (Kernel &kernel : changed.kernels)
      collect(kernel.body, all);
    unsigned left = i;
    Instruction *victim = nullptr;
    for (Instruction *it : all) {
      if (left < it->waits.size()) {
        victim = it;
        break;
      }
      left -= it->waits.size();
    }
    if (!victim)
      break;
    victim->waits.erase(victim->waits.begin() + left);
    ++removed;
    SCOPED_TRACE("wait " + std::to_string(i));
    expectFault(changed, Fault::Race, {"no semaphore orders"});
  }
  EXPECT_EQ(removed, expectedWaits);
}

/// y = (2 x)^2 by tiles: five units, double buffers.
Builder pipeline(int64_t tiles = 8) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {tiles * 128, 16});
  auto y = b.tensor("y", TensorKind::Output, f32, {tiles * 128, 16});
  b.kernel("pipeline");
  b.loop(tiles);
  Operand in = rotating(tile(f32, 0, 16), 2, 64);
  Operand twice = rotating(tile(f32, 128, 16), 2, 64);
  Operand out = rotating(tile(f32, 256, 16), 2, 64);
  Affine row = affine(0, {128});
  Instruction &load =
      b.load(Unit::Sync, queue(0), 128, in, b.window(x, tiles * 128, 16, row));
  load.signal = true;
  load.waits = {waitFor(Unit::Vector, -1, {1})}; // its buffer is read
  Instruction &add = b.tensorTensor(128, twice, Fn::add, in, in);
  add.signal = true;
  add.waits = {waitFor(queue(0), 1, {1}), waitFor(Unit::Scalar, -1, {1})};
  Instruction &square = b.activation(128, out, Fn::square, twice);
  square.signal = true;
  square.waits = {waitFor(Unit::Vector, 1, {1}), waitFor(queue(1), -1, {1})};
  Instruction &store = b.store(Unit::GpSimd, queue(1), 128,
                               b.window(y, tiles * 128, 16, row), out);
  store.signal = true;
  store.waits = {waitFor(Unit::Scalar, 1, {1})};
  b.end();
  return b;
}

TEST(Race, PipelineComputes) {
  Execution execution(pipeline().program);
  ASSERT_EQ(execution.outcome.fault, Fault::None) << execution.outcome.message;
  for (size_t i = 0; i < execution.memory[1].size(); ++i) {
    float x = float(i + 1);
    ASSERT_EQ(execution.memory[1][i], 4 * x * x);
  }
}

TEST(Race, PipelineNeedsEachWait) { expectMinimalWaits(pipeline().program, 6); }

/// y = x^T x for tiles of 128 rows, evicted from two banks in turn.
Builder products(int64_t tiles = 5) {
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {tiles * 128, 16});
  auto y = b.tensor("y", TensorKind::Output, f32, {tiles * 16, 16});
  b.kernel("products");
  b.loop(tiles);
  Operand in = rotating(tile(f32, 0, 16), 2, 64);
  Operand sum = rotating(psumTile(f32, 0, 16), 2, 2048);
  Operand out = rotating(tile(f32, 256, 16), 2, 64);
  Instruction &load = b.load(Unit::Sync, queue(0), 128, in,
                             b.window(x, tiles * 128, 16, affine(0, {128})));
  load.signal = true;
  load.waits = {waitFor(Unit::Tensor, -1, {1})};
  Instruction &matmul = b.matmul(128, sum, in, in);
  matmul.signal = true;
  matmul.waits = {waitFor(queue(0), 1, {1}), waitFor(Unit::Vector, -1, {1})};
  Instruction &evict = b.copy(Unit::Vector, 16, out, sum);
  evict.signal = true;
  evict.waits = {waitFor(Unit::Tensor, 1, {1}), waitFor(queue(1), -1, {1})};
  Instruction &store =
      b.store(Unit::GpSimd, queue(1), 16,
              b.window(y, tiles * 16, 16, affine(0, {16})), out);
  store.signal = true;
  store.waits = {waitFor(Unit::Vector, 1, {1})};
  b.end();
  return b;
}

TEST(Race, ProductsNeedEachWait) { expectMinimalWaits(products().program, 6); }

TEST(Race, PsumIsNamed) {
  Program program = products().program;
  std::vector<Instruction *> all;
  collect(program.kernels[0].body, all);
  all[2]->waits.erase(all[2]->waits.begin());
  expectFault(program, Fault::Race, {"of PSUM", "tensor.matmul"});
}

TEST(Race, PartsOfATileAreApart) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(1.0f));
  b.barrier();
  b.matmul(128, psumTile(f32, 0, 16), tile(f32, 0, 16), tile(f32, 0, 16));
  b.memset(Unit::Vector, 128, psumTile(f32, 64, 16), immediate(0.0f));
  expectFault(b.program, Fault::None);
  Builder c = b;
  c.memset(Unit::Vector, 128, psumTile(f32, 60, 1), immediate(0.0f));
  expectFault(c.program, Fault::Race, {"byte 60 of PSUM"});
}

TEST(Undefined, Psum) {
  auto matmul = [](bool isInitialized, Accumulate accumulate, uint16_t parts,
                   uint16_t read) {
    Builder b;
    b.kernel("k");
    b.memset(Unit::Vector, parts, tile(f32, 0, 16), immediate(1.0f));
    if (isInitialized)
      b.memset(Unit::Vector, 128, psumTile(f32, 0, 16), immediate(1.0f));
    b.barrier();
    b.matmul(128, psumTile(f32, 0, 16), tile(f32, 0, 16), tile(f32, 0, 16),
             accumulate);
    b.barrier();
    b.copy(Unit::Vector, read, tile(f32, 256, 16), psumTile(f32, 0, 16));
    return b.program;
  };
  expectFault(matmul(false, Accumulate::No, 128, 16), Fault::None);
  // 16 partitions are written, whatever K is.
  expectFault(matmul(false, Accumulate::No, 128, 17), Fault::Uninitialized,
              {"byte 0 of PSUM partition 16"});
  expectFault(matmul(false, Accumulate::No, 127, 16), Fault::Uninitialized,
              {"of SBUF partition 127"});
  expectFault(matmul(false, Accumulate::Yes, 128, 16), Fault::Uninitialized,
              {"byte 0 of PSUM partition 0"});
  // Hardware accumulates onto matmuls only.
  expectFault(matmul(true, Accumulate::Yes, 128, 16), Fault::Uninitialized,
              {"accumulates onto byte 0 of PSUM", "vector.memset"});
}

TEST(Race, SignalTooEarlyOrTooFew) {
  for (int64_t late : {0, -1}) {
    Program program = pipeline().program;
    std::vector<Instruction *> all;
    collect(program.kernels[0].body, all);
    all[1]->waits[0].value.base = late;
    expectFault(program, Fault::Race);
  }
}

TEST(Race, MessageSaysWhatAndWhere) {
  Builder b;
  b.kernel("k");
  b.at("layer/zero");
  b.memset(Unit::Vector, 128, tile(f32, 64, 16), immediate(0.0f));
  b.at("layer/copy");
  b.copy(Unit::Scalar, 128, tile(f32, 256, 4), tile(f32, 96, 4));
  expectFault(b.program, Fault::Race,
              {"race on byte 96 of SBUF",
               "kernel 'k', instruction 1 [scalar.tensor_copy", "layer/copy",
               " reads on scalar what kernel 'k', instruction 0 [vector.memset",
               "layer/zero", "writes on vector",
               "no semaphore orders the two"});
}

TEST(Race, WritesOfTwoEngines) {
  auto make = [](bool isOrdered) {
    Builder b;
    b.kernel("k");
    b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(0.0f)).signal =
        true;
    Instruction &second =
        b.memset(Unit::GpSimd, 64, tile(f32, 32, 16), immediate(0.0f));
    if (isOrdered)
      second.waits = {waitFor(Unit::Vector, 1)};
    return b.program;
  };
  expectFault(make(true), Fault::None);
  expectFault(make(false), Fault::Race, {"writes on"});
}

TEST(Race, NeighboursAndInterleavedTilesAreApart) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16, 2), immediate(0.0f));
  b.memset(Unit::GpSimd, 128, tile(f32, 4, 16, 2), immediate(0.0f));
  b.memset(Unit::GpSimd, 128, tile(f32, 128, 16), immediate(0.0f));
  expectFault(b.program, Fault::None);
}

TEST(Race, OrderIsTransitive) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(0.0f)).signal = true;
  Instruction &middle =
      b.memset(Unit::GpSimd, 128, tile(f32, 512, 16), immediate(0.0f));
  middle.waits = {waitFor(Unit::Vector, 1)};
  middle.signal = true;
  b.copy(Unit::Scalar, 128, tile(f32, 256, 16), tile(f32, 0, 16)).waits = {
      waitFor(Unit::GpSimd, 1)};
  expectMinimalWaits(b.program, 2);
}

/// A wait for fewer signals than there happen to be orders only those.
TEST(Race, OnlyTheSignalThatIsAwaitedCounts) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(0.0f)).signal = true;
  b.memset(Unit::Vector, 128, tile(f32, 64, 16), immediate(0.0f)).signal = true;
  // By the time of this one, both have long happened.
  b.memset(Unit::GpSimd, 128, tile(f32, 4096, 16384), immediate(0.0f));
  b.copy(Unit::GpSimd, 128, tile(f32, 256, 16), tile(f32, 64, 16)).waits = {
      waitFor(Unit::Vector, 1)};
  expectFault(b.program, Fault::Race);
}

TEST(Race, BarriersOrderEverything) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(0.0f));
  b.barrier();
  b.copy(Unit::Scalar, 128, tile(f32, 256, 16), tile(f32, 0, 16));
  expectFault(b.program, Fault::None);
}

/// Through HBM: one store, then a load of its window, then a store over it.
TEST(Race, HbmNeedsEachWait) {
  Builder b;
  auto s = b.tensor("s", TensorKind::Scratch, f32, {128, 32});
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 32), immediate(1.0f)).signal = true;
  Instruction &first = b.store(Unit::Sync, queue(0), 128, b.window(s, 128, 32),
                               tile(f32, 0, 32));
  first.waits = {waitFor(Unit::Vector, 1)};
  first.signal = true;
  Instruction &load = b.load(Unit::Scalar, queue(1), 64, tile(f32, 256, 16),
                             b.window(s, 128, 32, affine(64), affine(16)));
  load.waits = {waitFor(queue(0), 1)};
  load.signal = true;
  b.store(Unit::GpSimd, queue(2), 1,
          b.window(s, 128, 32, affine(127), affine(31)), tile(f32, 0, 1))
      .waits = {waitFor(queue(1), 1)};
  expectMinimalWaits(b.program, 3);
}

TEST(Race, HbmWindowsThatAreApart) {
  Builder b;
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 32});
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(1.0f));
  b.barrier();
  b.store(Unit::Sync, queue(0), 128, b.window(y, 128, 32), tile(f32, 0, 16));
  b.store(Unit::Scalar, queue(1), 128, b.window(y, 128, 32, {}, affine(16)),
          tile(f32, 0, 16));
  expectFault(b.program, Fault::None);
}

TEST(Race, ADmaQueueIsInOrder) {
  Builder b;
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 16});
  b.kernel("k");
  b.memset(Unit::Vector, 128, tile(f32, 0, 16), immediate(1.0f));
  b.barrier();
  b.store(Unit::Sync, queue(0), 128, b.window(y, 128, 16), tile(f32, 0, 16));
  b.store(Unit::Sync, queue(0), 128, b.window(y, 128, 16), tile(f32, 0, 16));
  expectFault(b.program, Fault::None);
  Program program = b.program;
  std::get<Instruction>(program.kernels[0].body.back()).queue = queue(1);
  expectFault(program, Fault::Race, {"element 0 of tensor 'y' in HBM"});
}

TEST(Race, OutputInPlaceOfAnInput) {
  auto make = [](bool isOrdered) {
    Builder b;
    auto x = b.tensor("x", TensorKind::Input, f32, {128, 16});
    auto y = b.tensor("y", TensorKind::Output, f32, {128, 16});
    b.program.tensors[y].aliasedInput = int32_t(x);
    b.kernel("k");
    b.load(Unit::Sync, queue(0), 128, tile(f32, 0, 16), b.window(x, 128, 16))
        .signal = true;
    b.memset(Unit::Vector, 128, tile(f32, 64, 16), immediate(7.0f)).signal =
        true;
    Instruction &store = b.store(Unit::Scalar, queue(1), 128,
                                 b.window(y, 128, 16), tile(f32, 64, 16));
    store.waits = {waitFor(Unit::Vector, 1)};
    if (isOrdered)
      store.waits.push_back(waitFor(queue(0), 1));
    return b.program;
  };
  expectFault(make(false), Fault::Race, {"writes on queue1", "dma_load"});
  Execution execution(make(true));
  EXPECT_EQ(execution.outcome.fault, Fault::None) << execution.outcome.message;
  EXPECT_EQ(execution.memory[0][5], 7.0f);
}

/// The engine that issued a DMA must wait for it like any other.
TEST(Race, TheIssuerMustWaitForItsDma) {
  Builder b;
  auto y = b.tensor("y", TensorKind::Output, f32, {128, 16});
  b.kernel("k");
  b.memset(Unit::GpSimd, 128, tile(f32, 0, 16), immediate(1.0f));
  b.store(Unit::GpSimd, queue(0), 128, b.window(y, 128, 16), tile(f32, 0, 16))
      .signal = true;
  b.memset(Unit::GpSimd, 128, tile(f32, 0, 16), immediate(2.0f)).waits = {
      waitFor(queue(0), 1)};
  expectMinimalWaits(b.program, 1);
}

//===----------------------------------------------------------------------===//
// Other faults
//===----------------------------------------------------------------------===//

TEST(Uninitialized, SbufThatNothingWrote) {
  Builder b;
  b.kernel("k");
  b.at("layer/op");
  b.copy(Unit::Vector, 4, tile(f32, 64, 16), tile(f32, 0, 16));
  expectFault(b.program, Fault::Uninitialized,
              {"kernel 'k', instruction 0 [vector.tensor_copy", "layer/op",
               "byte 0 of SBUF partition 0"});
}

TEST(Uninitialized, MorePartitionsThanWereWritten) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 5, tile(f32, 0, 16), immediate(0.0f));
  b.memset(Unit::Vector, 3, tile(f32, 0, 16), immediate(0.0f));
  b.copy(Unit::Vector, 5, tile(f32, 64, 16), tile(f32, 0, 16));
  expectFault(b.program, Fault::None);
  b.copy(Unit::Vector, 6, tile(f32, 64, 16), tile(f32, 0, 16));
  expectFault(b.program, Fault::Uninitialized, {"SBUF partition 5"});
}

TEST(Uninitialized, GapsBetweenElements) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 5, tile(f32, 0, 8, 2), immediate(0.0f));
  b.copy(Unit::Vector, 5, tile(f32, 64, 8), tile(f32, 0, 8, 2));
  expectFault(b.program, Fault::None);
  b.copy(Unit::Vector, 5, tile(f32, 64, 8), tile(f32, 0, 8));
  expectFault(b.program, Fault::Uninitialized, {"byte 4 of SBUF partition 0"});
}

TEST(Uninitialized, AccumulatorsAreRead) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 5, tile(f32, 0, 8), immediate(0.0f));
  b.reduce(5, tile(f32, 64, 1), Fn::add, tile(f32, 0, 8)).accumulate =
      Accumulate::Yes;
  expectFault(b.program, Fault::Uninitialized, {"byte 64"});
}

TEST(Uninitialized, SbufOfAnEarlierKernel) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 5, tile(f32, 0, 8), immediate(0.0f));
  b.kernel("l");
  b.copy(Unit::Vector, 5, tile(f32, 64, 8), tile(f32, 0, 8));
  expectFault(b.program, Fault::Uninitialized, {"kernel 'l', instruction 0"});
}

TEST(Uninitialized, ScratchAndOutputs) {
  for (TensorKind kind : {TensorKind::Scratch, TensorKind::Output}) {
    Builder b;
    auto s = b.tensor("s", kind, f32, {4, 8});
    b.kernel("k");
    b.memset(Unit::Vector, 3, tile(f32, 0, 8), immediate(0.0f));
    b.barrier();
    b.store(Unit::Sync, queue(0), 3, b.window(s, 4, 8), tile(f32, 0, 8));
    b.load(Unit::Sync, queue(0), 3, tile(f32, 64, 8), b.window(s, 4, 8));
    expectFault(b.program, Fault::None);
    b.load(Unit::Sync, queue(0), 4, tile(f32, 64, 8), b.window(s, 4, 8));
    expectFault(b.program, Fault::Uninitialized,
                {"element 24 of tensor 's' in HBM"});
  }
}

TEST(Faults, Deadlock) {
  Builder b;
  b.kernel("k");
  b.memset(Unit::Vector, 1, tile(f32, 0, 8), immediate(0.0f)).signal = true;
  b.copy(Unit::Scalar, 1, tile(f32, 64, 8), tile(f32, 0, 8)).waits = {
      waitFor(Unit::Vector, 2)};
  expectFault(b.program, Fault::Deadlock,
              {"waits for vector to signal 2 times; it has signalled 1"});
}

TEST(Faults, IntegerDivisionByZero) {
  auto make = [](uint64_t divisor, DType compute) {
    Builder b;
    b.kernel("k");
    b.memset(Unit::GpSimd, 2, tile(compute, 0, 8), immediate(compute, 5));
    b.gpsimd(2, tile(compute, 64, 8), Fn::floor_div, compute,
             {tile(compute, 0, 8), immediate(compute, divisor)});
    return b.program;
  };
  expectFault(make(2, DType::I64), Fault::None);
  expectFault(make(0, f32), Fault::None);
  expectFault(
      make(0, DType::I64), Fault::BadInput,
      {"ZeroDivisionError", "instruction 1 [gpsimd.gpsimd_elementwise"});
}

TEST(Faults, Interruption) {
  Builder b;
  b.kernel("k");
  b.loop(1000);
  b.memset(Unit::Vector, 128, tile(f32, 0, 1024), immediate(0.0f));
  b.end();
  int asked = 0;
  Execution stopped(b.program, [&] { return ++asked == 3; });
  EXPECT_EQ(stopped.outcome.fault, Fault::Timeout);
  EXPECT_EQ(asked, 3);
  asked = 0;
  Execution finished(b.program, [&] { return ++asked == 100000; });
  EXPECT_EQ(finished.outcome.fault, Fault::None);
  EXPECT_GT(asked, 50);
}

TEST(Faults, BuffersMustFit) {
  Program program = pipeline(1).program;
  auto executable = createInterpreter(std::make_shared<Program>(program));
  std::vector<uint8_t> memory(128 * 16 * 4);
  Buffer whole{memory.data(), int64_t(memory.size())};
  Buffer half{memory.data(), int64_t(memory.size() / 2)};
  auto faultOf = [&](std::vector<Buffer> buffers) {
    return executable->run(buffers).fault;
  };
  EXPECT_EQ(faultOf({whole}), Fault::OutOfBounds);
  EXPECT_EQ(faultOf({whole, half}), Fault::OutOfBounds);
  EXPECT_EQ(faultOf({whole, Buffer{}}), Fault::OutOfBounds);
  EXPECT_EQ(faultOf({whole, whole}), Fault::None);
}

TEST(Faults, RunsShareNothing) {
  Program program = pipeline(16).program;
  std::shared_ptr<Executable> executable =
      createInterpreter(std::make_shared<Program>(program));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> x(16 * 128 * 16, float(t)), y(x.size());
      int64_t bytes = int64_t(x.size() * 4);
      std::vector<Buffer> buffers{
          {reinterpret_cast<uint8_t *>(x.data()), bytes},
          {reinterpret_cast<uint8_t *>(y.data()), bytes}};
      Outcome outcome = executable->run(buffers);
      wrong += outcome.fault != Fault::None;
      for (float value : y)
        wrong += value != float(4 * t * t);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace

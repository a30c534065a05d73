//===- FormsAgreeTest.cpp - both forms give the same bits -----------------===//
//
// Random programs and row kernels, run by the interpreter and as host code: for
// several kinds of CPU, in one thread and in three. NEURON_TEST_PROGRAMS sets
// how many (default 30 of each kind; the most run at once so far is 2,000).
//
//===----------------------------------------------------------------------===//
#include "MatmulKernels.h"
#include "RandomProgram.h"
#include "RowKernels.h"
#include "runtime/program/Print.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/compiled/HostTarget.h"
#include "runtime/simulator/compiled/Threads.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

using Memory = std::vector<std::vector<uint8_t>>;

/// Numbers of ordinary size and special ones, in the tensor's type.
std::vector<uint8_t> contentsOf(const Tensor &tensor, std::mt19937 &random) {
  std::vector<uint8_t> bytes(tensor.bytes());
  unsigned width = bytesOf(tensor.dtype);
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < tensor.span; ++i) {
    uint64_t bits = random() | uint64_t(random()) << 32;
    uint32_t kind = random() % 16;
    if (isFloat(tensor.dtype) && kind < 13) {
      double value = normal(random) * (kind == 0 ? 100 : 2);
      if (kind == 1)
        value = std::round(value);
      float single = float(value);
      uint32_t word = std::bit_cast<uint32_t>(single);
      bits = tensor.dtype == DType::F64   ? std::bit_cast<uint64_t>(value)
             : tensor.dtype == DType::F32 ? word
             : tensor.dtype == DType::BF16
                 ? word >> 16
                 : (word >> 16 & 0x8000) | (word >> 13 & 0x3ff) | 0x3800;
    } else if (!isFloat(tensor.dtype) && kind < 10) {
      bits = uint64_t(int64_t(random() % 20) - 5);
    }
    if (tensor.dtype == DType::Bool && kind < 15)
      bits &= 1;
    std::memcpy(&bytes[i * width], &bits, width);
  }
  return bytes;
}

Memory memoryFor(const Program &program, unsigned seed) {
  std::mt19937 random(seed);
  Memory memory;
  for (const Tensor &tensor : program.tensors)
    memory.push_back(contentsOf(tensor, random));
  return memory;
}

Outcome runOn(Executable &executable, const Program &program, Memory &memory) {
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < memory.size(); ++i) {
    const Tensor &tensor = program.tensors[i];
    bool isBound =
        tensor.kind == TensorKind::Input ||
        (tensor.kind == TensorKind::Output && tensor.aliasedInput < 0);
    buffers.push_back(isBound ? Buffer{memory[i].data(), tensor.bytes()}
                              : Buffer{});
  }
  return executable.run(buffers);
}

/// Whether the run was without fault.
bool expectSameRuns(const Program &program, unsigned seed) {
  Status status = verify(program);
  EXPECT_TRUE(status.ok()) << status.message();
  auto shared = std::make_shared<Program>(program);
  auto compiled = createCompiled(shared, "");
  EXPECT_TRUE(compiled.ok()) << compiled.message();
  if (!compiled.ok())
    return false;
  Memory expected = memoryFor(program, seed), actual = expected;
  Outcome reference = runOn(*createInterpreter(shared), program, expected);
  Outcome outcome = runOn(**compiled, program, actual);
  EXPECT_EQ(int(outcome.fault), int(reference.fault))
      << "seed " << seed << "\ninterpreter: " << reference.message
      << "\ncompiled: " << outcome.message;
  if (reference.fault != Fault::None)
    return false;
  for (size_t t = 0; t < expected.size(); ++t)
    if (expected[t] != actual[t]) {
      size_t at = 0;
      while (expected[t][at] == actual[t][at])
        ++at;
      ADD_FAILURE() << "seed " << seed << ": tensor '"
                    << program.tensors[t].name << "' differs at byte " << at
                    << ": " << int(actual[t][at]) << " not "
                    << int(expected[t][at]) << "\n"
                    << toString(program);
      break;
    }
  return true;
}

unsigned programs() {
  const char *text = std::getenv("NEURON_TEST_PROGRAMS");
  return text ? unsigned(std::atoi(text)) : 30;
}

/// A kind of CPU to make code for.
struct Cpu {
  const char *name;
  const char *llvmName;
  const char *features;
  unsigned vectorBits;
};

class FormsAgree : public testing::TestWithParam<Cpu> {
protected:
  void SetUp() override {
    original = compiled::hostCpu();
    if (std::strcmp(GetParam().name, "Host") != 0)
      compiled::overrideHostCpu(
          {GetParam().llvmName, GetParam().features, GetParam().vectorBits});
    compiled::setWorkPerThread(1);
  }
  void TearDown() override {
    compiled::overrideHostCpu(original);
    compiled::setThreadLimit(0);
    compiled::setWorkPerThread(1 << 18);
  }
  /// Other CPUs than this one are tried with fewer programs.
  unsigned count() const {
    return std::strcmp(GetParam().name, "Host") == 0 ? programs()
                                                     : programs() / 5;
  }
  compiled::HostCpu original;
};

void runSeries(unsigned count, unsigned firstSeed,
               RandomProgramOptions options) {
  unsigned ran = 0;
  for (unsigned i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    compiled::setThreadLimit(i % 3 == 0 ? 3 : 1);
    options.instructions = 4 + i % 20;
    ran += expectSameRuns(RandomProgram(firstSeed + i, options).make(),
                          firstSeed + i);
  }
  // Faults end a program early; most must go through.
  EXPECT_GT(ran, count * 2 / 3);
}

TEST_P(FormsAgree, OnEveryByteOfSbuf) { runSeries(count(), 1000, {}); }

TEST_P(FormsAgree, OnWhatIsStored) {
  runSeries(count(), 200000, {.storesAllOfSbuf = false});
}

TEST_P(FormsAgree, OnFloats) {
  runSeries(count(), 400000, {.storesAllOfSbuf = false, .onlyFloat = true});
}

TEST_P(FormsAgree, OnMovesAndProducts) {
  runSeries(count() * 2, 600000,
            {.storesAllOfSbuf = false, .mostlyMoves = true});
}

TEST_P(FormsAgree, OnRowKernels) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (auto [rows, cols] : {std::pair{3, 7},
                              {128, 64},
                              {129, 100},
                              {300, 1},
                              {256, 513},
                              {3, 1025},
                              {2, 2048},
                              {3, 3500}}) { // blocks of reductions
      expectSameRuns(rmsNorm(dtype, rows, cols), 1);
      expectSameRuns(layerNorm(dtype, rows, cols), 2);
      expectSameRuns(softmax(dtype, rows, cols), 3);
      expectSameRuns(biasGelu(dtype, rows, cols), 4);
    }
}

TEST_P(FormsAgree, OnMatmulKernels) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (auto [m, k, n] :
         {std::tuple{3, 7, 5}, {128, 128, 64}, {129, 200, 513}})
      for (unsigned threads : {1, 3}) {
        compiled::setThreadLimit(threads);
        expectSameRuns(linear(dtype, m, k, n), 4);
      }
}

INSTANTIATE_TEST_SUITE_P(
    Cpus, FormsAgree,
    testing::Values(Cpu{"Host", "", "", 0},
                    Cpu{"Baseline", "x86-64", "+sse2", 128},
                    Cpu{"Avx2", "x86-64-v3", "+avx2", 256},
                    Cpu{"WideOnNarrow", "x86-64-v3", "+avx2", 512}),
    [](const auto &info) { return info.param.name; });

} // namespace

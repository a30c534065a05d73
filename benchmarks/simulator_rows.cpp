//===- simulator_rows.cpp - how fast the compiled simulator runs rows -----===//
//
//   simulator_rows [--threads N] [--form interpreter|compiled] [--cache DIR]
//                  [--only PART_OF_NAME] [FILE.neff ...]
//
// Times the row kernels of test/runtime/compiled/RowKernels.h, or the programs
// of NEFFs: creation (without cache, unless it is named), and the median of
// executions with their tensors in place. Milliseconds of this computer, not of
// the device.
//
//===----------------------------------------------------------------------===//
#include "compiler/neff/Neff.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/compiled/Threads.h"
#include "test/runtime/compiled/RowKernels.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>

using namespace neuron;
using namespace neuron::program;

namespace {

double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double cpuNow() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

void fill(const Tensor &tensor, uint8_t *data) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < tensor.span; ++i) {
    float value = normal(random);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (tensor.dtype == DType::BF16) {
      uint16_t high = uint16_t(bits >> 16);
      std::memcpy(data + 2 * i, &high, 2);
    } else if (tensor.dtype == DType::F32) {
      std::memcpy(data + 4 * i, &value, 4);
    }
  }
}

bool useInterpreter = false;
std::string cacheDirectory;
std::string only;

bool measure(const std::string &name, const Program &program) {
  if (name.find(only) == std::string::npos)
    return true;
  if (Status status = verify(program); !status) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), status.message().c_str());
    return false;
  }
  std::vector<std::vector<uint8_t>> memory;
  std::vector<simulator::Buffer> buffers;
  int64_t bytes = 0;
  for (const Tensor &tensor : program.tensors) {
    bool isBound =
        tensor.kind == TensorKind::Input || tensor.kind == TensorKind::Output;
    memory.emplace_back(isBound ? tensor.bytes() : 0);
    if (tensor.kind == TensorKind::Input)
      fill(tensor, memory.back().data());
    bytes += int64_t(memory.back().size());
    buffers.push_back({memory.back().data(), int64_t(memory.back().size())});
  }
  auto shared = std::make_shared<Program>(program);
  double wall = now(), cpu = cpuNow();
  Result<std::unique_ptr<simulator::Executable>> made =
      useInterpreter ? simulator::createInterpreter(shared)
                     : simulator::createCompiled(shared, cacheDirectory);
  double madeWall = now() - wall, madeCpu = cpuNow() - cpu;
  if (!made) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), made.message().c_str());
    return false;
  }
  std::vector<double> times, cpuTimes;
  double started = now();
  do {
    double begin = now(), cpuBegin = cpuNow();
    simulator::Outcome outcome = (*made)->run(buffers);
    times.push_back(now() - begin);
    cpuTimes.push_back(cpuNow() - cpuBegin);
    if (outcome.fault != simulator::Fault::None) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), outcome.message.c_str());
      return false;
    }
  } while (times.size() < 5 || (now() - started < 1000 && times.size() < 5000));
  std::sort(times.begin(), times.end());
  std::sort(cpuTimes.begin(), cpuTimes.end());
  double median = times[times.size() / 2];
  std::printf("%-28s run %9.3f ms (best %9.3f, CPU %9.3f, %5.1f GB/s)   "
              "create %6.1f ms, %6.1f of CPU\n",
              name.c_str(), median, times.front(), cpuTimes.front(),
              double(bytes) / times.front() / 1e6, madeWall, madeCpu);
  return true;
}

bool measureFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  auto neff = neff::readNeff(bytes);
  auto program = neff ? neff::programOf(*neff) : neff.error();
  if (!program) {
    std::fprintf(stderr, "%s: %s\n", path, program.message().c_str());
    return false;
  }
  return measure(path, *program);
}

} // namespace

int main(int argc, char **argv) {
  bool ok = true, files = false;
  simulator::compiled::setThreadLimit(1);
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--threads" && i + 1 < argc)
      simulator::compiled::setThreadLimit(unsigned(std::atoi(argv[++i])));
    else if (argument == "--cache" && i + 1 < argc)
      cacheDirectory = argv[++i];
    else if (argument == "--only" && i + 1 < argc)
      only = argv[++i];
    else if (argument == "--form" && i + 1 < argc)
      useInterpreter = std::string(argv[++i]) == "interpreter";
    else
      ok &= measureFile(argv[i]), files = true;
  }
  if (files)
    return ok ? 0 : 1;
  // LLVM's first use takes time of its own.
  ok &= measure("(first)", rmsNorm(DType::F32, 4, 16));
  for (DType dtype : {DType::BF16, DType::F32}) {
    std::string suffix = std::string(" ") + std::string(nameOf(dtype));
    for (auto [rows, cols] :
         {std::pair{4, 512}, {1797, 64}, {4096, 2048}, {4096, 8192}}) {
      std::string size =
          suffix + " " + std::to_string(rows) + "x" + std::to_string(cols);
      ok &= measure("rms_norm" + size, rmsNorm(dtype, rows, cols));
      // Its rows of 8192 floats would not fit into SBUF as one.
      if (dtype == DType::BF16 || cols < 8192)
        ok &= measure("layer_norm" + size, layerNorm(dtype, rows, cols));
      ok &= measure("softmax" + size, softmax(dtype, rows, cols));
    }
    ok &= measure("bias_gelu" + suffix + " 4096x3072",
                  biasGelu(dtype, 4096, 3072));
  }
  return ok ? 0 : 1;
}

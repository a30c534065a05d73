//===- simulator_matmul.cpp - how fast the simulator multiplies -----------===//
//
//   simulator_matmul [--threads N] [--form interpreter|compiled]
//
// Times the kernels of test/runtime/compiled/MatmulKernels.h: the median of
// executions, as billions of multiplications and additions a second, and the
// best of the calling thread's CPU time beside what the fused multiply-add
// units of this CPU do on registers alone.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/compiled/Threads.h"
#include "runtime/simulator/tensor/MatmulKernel.h"
#include "test/runtime/compiled/MatmulKernels.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>

using namespace neuron;
using namespace neuron::program;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Of this thread: what others do on the computer matters less.
double cpuNow() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

bool useInterpreter = false;

/// The block kernel on operands in the first cache: the peak, about.
double peak() {
  const simulator::tensor::KernelSet &kernels =
      simulator::tensor::hostKernels();
  constexpr unsigned k = 64;
  std::vector<float> left(k * kernels.rows), right(k * kernels.columns),
      sum(kernels.rows * kernels.columns);
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    double begin = cpuNow();
    constexpr int times = 20000;
    for (int i = 0; i < times; ++i)
      kernels.block[kernels.rows](left.data(), right.data(), sum.data(),
                                  kernels.columns * sizeof(float), k, true);
    double flops = 2.0 * times * k * kernels.rows * kernels.columns;
    best = std::max(best, flops / (cpuNow() - begin) / 1e9);
  }
  return best;
}

bool measure(DType dtype, int64_t m, int64_t k, int64_t n, double limit) {
  Program program = linear(dtype, m, k, n);
  if (Status status = verify(program); !status) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return false;
  }
  std::mt19937 random(1);
  std::vector<std::vector<uint8_t>> memory;
  std::vector<simulator::Buffer> buffers;
  for (const Tensor &tensor : program.tensors) {
    std::vector<uint8_t> &bytes = memory.emplace_back(tensor.bytes());
    unsigned width = bytesOf(tensor.dtype);
    for (size_t i = 0; i < bytes.size(); i += width) {
      float value = float(random() % 2001) / 1000 - 1;
      const auto *raw = reinterpret_cast<const uint8_t *>(&value);
      std::memcpy(&bytes[i], raw + 4 - width, width);
    }
    buffers.push_back({bytes.data(), int64_t(bytes.size())});
  }
  auto shared = std::make_shared<Program>(program);
  auto made = useInterpreter ? simulator::createInterpreter(shared)
                             : simulator::createCompiled(shared, "");
  if (!made) {
    std::fprintf(stderr, "%s\n", made.message().c_str());
    return false;
  }
  std::vector<double> times;
  double started = now(), bestCpu = 1e9;
  do {
    double begin = now(), cpuBegin = cpuNow();
    simulator::Outcome outcome = (*made)->run(buffers);
    times.push_back(now() - begin);
    bestCpu = std::min(bestCpu, cpuNow() - cpuBegin);
    if (outcome.fault != simulator::Fault::None) {
      std::fprintf(stderr, "%s\n", outcome.message.c_str());
      return false;
    }
  } while (times.size() < 5 || now() - started < 1);
  std::sort(times.begin(), times.end());
  double flops = 2.0 * double(m) * double(k) * double(n) / 1e9;
  double median = flops / times[times.size() / 2], cpu = flops / bestCpu;
  std::printf("%-9s %5ld x %5ld x %5ld: %9.3f ms, %7.1f GFLOP/s; of the "
              "caller's CPU time %7.1f (%4.0f %% of the peak)\n",
              std::string(nameOf(dtype)).c_str(), long(m), long(k), long(n),
              times[times.size() / 2] * 1e3, median, cpu, 100 * cpu / limit);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  simulator::compiled::setThreadLimit(1);
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string argument = argv[i];
    if (argument == "--threads")
      simulator::compiled::setThreadLimit(unsigned(std::atoi(argv[i + 1])));
    else if (argument == "--form")
      useInterpreter = std::string(argv[i + 1]) == "interpreter";
  }
  double limit = peak();
  std::printf("registers alone, one thread: %.1f GFLOP/s\n", limit);
  bool ok = true;
  for (DType dtype : {DType::F32, DType::BF16})
    for (int64_t size : {128, 256, 512, 1024})
      ok &= measure(dtype, size, size, size, limit);
  ok &= measure(DType::F32, 1000, 1000, 1000, limit);
  ok &= measure(DType::F32, 1, 1024, 1024, limit);
  ok &= measure(DType::F32, 4096, 64, 64, limit);
  return ok ? 0 : 1;
}

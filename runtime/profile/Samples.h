//===- Samples.h - what the host was doing meanwhile ------------*- C++ -*-===//
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace neuron::profile {

/// Looks at CPUs and memory ten times a second, on a thread of its own, and
/// once more at the end.
class Sampler {
public:
  Sampler(bool cpu, bool memory);
  ~Sampler();

  /// Ends the thread; then the files can be had.
  void stop();
  std::string cpuFile() const;    ///< CpuUtilization
  std::string memoryFile() const; ///< HostMemory

private:
  struct CpuTimes {
    uint64_t busy = 0, all = 0;
  };
  struct CpuSample {
    uint64_t time;
    std::vector<double> percent;
  };
  struct MemorySample {
    uint64_t time, used, process;
  };

  void work();
  void sample();
  void sampleCpu(uint64_t now);
  void sampleMemory(uint64_t now);

  const bool cpu, memory;
  std::vector<CpuTimes> before; ///< by CPU
  std::vector<CpuSample> cpuSamples;
  std::vector<MemorySample> memorySamples;
  uint64_t totalMemory = 0;

  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false; ///< guarded by the mutex
  std::thread thread;
};

} // namespace neuron::profile

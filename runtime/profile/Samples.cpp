//===- Samples.cpp - what the host was doing meanwhile --------------------===//
#include "runtime/profile/Samples.h"
#include "runtime/core/Clock.h"
#include "runtime/profile/Proto.h"
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace neuron::profile {
namespace {

constexpr std::chrono::milliseconds kInterval(100);

/// "MemTotal:  123 kB" of /proc/meminfo.
uint64_t kilobytesOf(const std::string &line) {
  std::istringstream text(line);
  std::string name;
  uint64_t value = 0;
  text >> name >> value;
  return value;
}

} // namespace

Sampler::Sampler(bool cpu, bool memory) : cpu(cpu), memory(memory) {
  sample();
  thread = std::thread([this] { work(); });
}

Sampler::~Sampler() { stop(); }

void Sampler::stop() {
  {
    std::lock_guard lock(mutex);
    if (stopping)
      return;
    stopping = true;
  }
  wake.notify_all();
  thread.join();
  sample();
}

void Sampler::work() {
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, kInterval, [&] { return stopping; }))
    sample();
}

void Sampler::sample() {
  uint64_t now = nrt::hostNow();
  if (cpu)
    sampleCpu(now);
  if (memory)
    sampleMemory(now);
}

/// cpuN user nice system idle iowait irq softirq steal ...: in ticks.
void Sampler::sampleCpu(uint64_t now) {
  std::ifstream file("/proc/stat");
  std::string line;
  CpuSample sample = {now, {}};
  size_t index = 0;
  while (std::getline(file, line)) {
    if (line.rfind("cpu", 0) != 0 || line.size() < 4 || line[3] == ' ')
      continue; // the sum of all, or something else
    std::istringstream text(line);
    std::string name;
    text >> name;
    CpuTimes times;
    uint64_t ticks;
    for (unsigned field = 0; field < 8 && text >> ticks; ++field) {
      times.all += ticks;
      times.busy += field == 3 || field == 4 ? 0 : ticks;
    }
    if (before.size() <= index)
      before.resize(index + 1);
    uint64_t all = times.all - before[index].all;
    uint64_t busy = times.busy - before[index].busy;
    if (before[index].all)
      sample.percent.push_back(all ? 100. * double(busy) / double(all) : 0.);
    before[index++] = times;
  }
  if (!sample.percent.empty()) // the first look has nothing to compare with
    cpuSamples.push_back(std::move(sample));
}

void Sampler::sampleMemory(uint64_t now) {
  std::ifstream file("/proc/meminfo");
  std::string line;
  uint64_t available = 0;
  while (std::getline(file, line)) {
    if (line.rfind("MemTotal:", 0) == 0)
      totalMemory = kilobytesOf(line) * 1024;
    if (line.rfind("MemAvailable:", 0) == 0)
      available = kilobytesOf(line) * 1024;
  }
  std::ifstream own("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  own >> pages >> resident;
  memorySamples.push_back({now, totalMemory - available,
                           resident * uint64_t(sysconf(_SC_PAGESIZE))});
}

std::string Sampler::cpuFile() const {
  ProtoWriter out;
  out.text(1, "neuron-mlir cpu utilization");
  out.number(2, 1);
  for (const CpuSample &sample : cpuSamples) {
    ProtoWriter one;
    one.number(1, sample.time);
    one.packedReals(2, sample.percent);
    out.message(3, one);
  }
  return out.take();
}

std::string Sampler::memoryFile() const {
  ProtoWriter out;
  out.text(1, "neuron-mlir host memory");
  out.number(2, 1);
  out.number(3, totalMemory);
  for (const MemorySample &sample : memorySamples) {
    ProtoWriter one;
    one.number(1, sample.time);
    one.number(2, sample.used);
    one.number(3, sample.process);
    out.message(4, one);
  }
  return out.take();
}

} // namespace neuron::profile

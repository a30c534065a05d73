//===- device_allocator.cpp - what cached memory of the device costs ------===//
//
//   device_allocator
//
// Nanoseconds of this thread's CPU time for an allocation that the cache
// serves, and its free: the best and the median of many rounds. The first rows
// take and give back one block; the others do so among many that stay.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/Allocator.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace neuron::device;

namespace {

double cpuNow() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

void measure(const char *name, size_t bytes, size_t held) {
  constexpr int kRounds = 51, kPairs = 20000;
  Allocator &allocator = Allocator::get();
  // Every second is given back, so that free blocks lie between taken ones.
  std::vector<c10::DataPtr> stay;
  for (size_t i = 0; i < 2 * held; ++i)
    stay.push_back(allocator.allocate(bytes + 256 * (i % 7)));
  for (size_t i = 0; i < stay.size(); i += 2)
    stay[i].clear();
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    double begin = cpuNow();
    for (int i = 0; i < kPairs; ++i)
      allocator.allocate(bytes).clear();
    rounds.push_back((cpuNow() - begin) / kPairs);
  }
  std::sort(rounds.begin(), rounds.end());
  std::printf("%-32s best %6.0f ns, median %6.0f ns\n", name, rounds.front(),
              rounds[rounds.size() / 2]);
}

} // namespace

int main() {
  measure("1 KiB", 1 << 10, 0);
  measure("4 MiB", 4 << 20, 0);
  measure("1 KiB among 1,000 blocks", 1 << 10, 1000);
  measure("1 MiB among 200 blocks", 1 << 20, 200);
}

//===- Describe.cpp - instructions in messages ----------------------------===//
#include "runtime/simulator/Describe.h"

namespace neuron::simulator {
using namespace program;

namespace {

std::string describe(const Streams &streams, uint32_t number,
                     const std::string &iteration) {
  const StaticInstruction &it = streams.instructions()[number];
  const Program &program = streams.program();
  return "kernel '" + program.kernels[it.kernel].name + "', instruction " +
         std::to_string(it.index) + " [" + toString(*it.instruction, program) +
         "]" + iteration;
}

} // namespace

std::string describe(const Streams &streams, uint32_t number) {
  return describe(streams, number, "");
}

std::string describeBadIndex(const Streams &streams, uint32_t number,
                             int64_t index) {
  const Instruction &it = *streams.instructions()[number].instruction;
  return "IndexError\nindex " + std::to_string(index) +
         " is out of bounds for dimension with size " +
         std::to_string(it.hbm.indexBound) + ": " + describe(streams, number);
}

std::string describe(const Streams &streams, const Executed &it) {
  std::string iteration;
  for (unsigned i = 0; i < it.depth; ++i)
    iteration +=
        (i ? ", " : " in iteration (") + std::to_string(it.counters[i]);
  return describe(streams, it.number, iteration + (it.depth ? ")" : ""));
}

} // namespace neuron::simulator

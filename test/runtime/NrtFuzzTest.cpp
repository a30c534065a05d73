//===- NrtFuzzTest.cpp - strangers' programs never crash ------------------===//
//
// Mutated programs, packed again into NEFFs with the right hash, are loaded
// and, if they pass the verifier, run on buffers of the sizes they ask for.
// Worth most with AddressSanitizer. NEURON_FUZZ_ROUNDS runs more of them, and
// NEURON_MLIR_SIMULATOR chooses the form.
//
//===----------------------------------------------------------------------===//
#include "compiler/neff/Neff.h"
#include "nrt/neuron_sim.h"
#include "nrt/nrt.h"
#include "runtime/program/Encoding.h"
#include "test/runtime/SampleProgram.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace neuron;

namespace {

constexpr size_t kLargestBuffer = 1 << 20;

/// Allocates and binds what a model asks for; false if that is too much.
bool bind(nrt_model_t *model, nrt_tensor_set_t *inputs,
          nrt_tensor_set_t *outputs, std::vector<nrt_tensor_t *> &tensors) {
  nrt_tensor_info_array_t *info = nullptr;
  if (nrt_get_model_tensor_info(model, &info) != NRT_SUCCESS)
    return false;
  bool bound = true;
  for (uint64_t i = 0; i < info->tensor_count && bound; ++i) {
    const nrt_tensor_info_t &tensor = info->tensor_array[i];
    if (tensor.size == 0)
      continue;
    nrt_tensor_t *handle = nullptr;
    bound = tensor.size <= kLargestBuffer &&
            nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, tensor.size,
                                tensor.name, &handle) == NRT_SUCCESS;
    if (!bound)
      break;
    tensors.push_back(handle);
    nrt_tensor_memset(handle, 0, 0x3f, tensor.size);
    nrt_add_tensor_to_tensor_set(
        tensor.usage == NRT_TENSOR_USAGE_INPUT ? inputs : outputs, tensor.name,
        handle);
  }
  nrt_free_model_tensor_info(info);
  return bound;
}

/// Whether the program was accepted and run, to whatever end.
bool loadAndRun(const std::vector<uint8_t> &neff) {
  nrt_model_t *model = nullptr;
  if (nrt_load(neff.data(), neff.size(), 0, 1, &model) != NRT_SUCCESS) {
    EXPECT_STRNE(neuron_sim_last_error(), "");
    return false;
  }
  nrt_tensor_set_t *inputs = nullptr, *outputs = nullptr;
  nrt_allocate_tensor_set(&inputs);
  nrt_allocate_tensor_set(&outputs);
  std::vector<nrt_tensor_t *> tensors;
  bool run = bind(model, inputs, outputs, tensors);
  if (run)
    (void)nrt_execute(model, inputs, outputs);
  for (nrt_tensor_t *tensor : tensors)
    nrt_tensor_free(&tensor);
  nrt_destroy_tensor_set(&inputs);
  nrt_destroy_tensor_set(&outputs);
  EXPECT_EQ(nrt_unload(model), NRT_SUCCESS);
  return run;
}

unsigned rounds() {
  const char *text = std::getenv("NEURON_FUZZ_ROUNDS");
  return text ? static_cast<unsigned>(std::atoi(text)) : 400;
}

TEST(NrtFuzz, MutatedProgramsNeverCrash) {
  setenv("NEURON_MLIR_SIMULATOR", "interpreter", /*overwrite=*/0);
  setenv("NEURON_MLIR_DISABLE_CACHE", "1", 1);
  setenv("NEURON_RT_LOG_LEVEL", "QUIET", 1);
  setenv("NEURON_RT_EXEC_TIMEOUT", "0.2", 1);
  setenv("NEURON_MLIR_CORE_MEMORY_BYTES", "16777216", 1);
  ASSERT_EQ(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), NRT_SUCCESS);

  std::mt19937_64 random(31337);
  const program::Program seeds[] = {
      test::addProgram(256, 8), test::stridedProgram(), test::productProgram()};
  unsigned decoded = 0, executed = 0;
  for (unsigned round = 0; round < rounds(); ++round) {
    auto bytes = program::encode(seeds[round % std::size(seeds)]);
    for (unsigned i = 0, n = 1 + random() % 2; i < n; ++i) {
      size_t at = 15 + random() % (bytes.size() - 15);
      bytes[at] = random() % 2 ? static_cast<uint8_t>(random())
                               : bytes[at] ^ uint8_t(1) << random() % 8;
    }
    auto program = program::decode(bytes);
    if (!program)
      continue;
    ++decoded;
    auto neff = neff::writeNeff(*program);
    ASSERT_TRUE(neff.ok()) << neff.message();
    executed += loadAndRun(*neff);
  }
  nrt_close();
  // The fuzz reaches the simulator.
  EXPECT_GT(decoded, rounds() / 4);
  EXPECT_GT(executed, rounds() / 40);
  RecordProperty("executed", static_cast<int>(executed));
}

} // namespace

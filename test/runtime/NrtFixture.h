//===- NrtFixture.h - a runtime with a model, for tests ---------*- C++ -*-===//
#pragma once
#include "compiler/neff/Neff.h"
#include "nrt/neuron_sim.h"
#include "nrt/nrt.h"
#include "test/runtime/SampleProgram.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

namespace neuron::test {

constexpr auto kDevice = NRT_TENSOR_PLACEMENT_DEVICE;
constexpr auto kHost = NRT_TENSOR_PLACEMENT_HOST;

inline std::vector<uint8_t> addNeff() {
  return *neff::writeNeff(addProgram(), {"add.neff"});
}

/// Sets a variable for the life of the object.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name(name) {
    if (const char *before = std::getenv(name))
      old = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old)
      setenv(name, old->c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::optional<std::string> old;
};

inline NRT_STATUS init() { return nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""); }

/// An initialized runtime; the interpreter, so that no test compiles.
class Nrt : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(init(), NRT_SUCCESS); }
  void TearDown() override { nrt_close(); }

  nrt_tensor_t *allocate(size_t size, nrt_tensor_placement_t where = kDevice,
                         int core = 0) {
    nrt_tensor_t *tensor = nullptr;
    EXPECT_EQ(nrt_tensor_allocate(where, core, size, "t", &tensor),
              NRT_SUCCESS);
    return tensor;
  }
  nrt_tensor_set_t *newSet() {
    nrt_tensor_set_t *set = nullptr;
    EXPECT_EQ(nrt_allocate_tensor_set(&set), NRT_SUCCESS);
    return set;
  }
  std::string lastError() { return neuron_sim_last_error(); }
  void expectError(const std::string &part) {
    EXPECT_NE(lastError().find(part), std::string::npos) << lastError();
  }

  Variable form{"NEURON_MLIR_SIMULATOR", "interpreter"};
  Variable quiet{"NEURON_RT_LOG_LEVEL", "QUIET"};
};

/// A loaded add of two 256x64 float32, with its tensors.
class NrtModel : public Nrt {
protected:
  static constexpr size_t kElements = 256 * 64, kBytes = 4 * kElements;

  void SetUp() override {
    Nrt::SetUp();
    auto bytes = addNeff();
    ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 0, -1, &model), NRT_SUCCESS)
        << lastError();
    inputs = newSet();
    outputs = newSet();
    values.resize(kElements);
    std::iota(values.begin(), values.end(), 0.f);
    a = allocate(kBytes);
    b = allocate(kBytes);
    out = allocate(kBytes);
    for (nrt_tensor_t *tensor : {a, b})
      ASSERT_EQ(nrt_tensor_write(tensor, values.data(), 0, kBytes),
                NRT_SUCCESS);
    nrt_add_tensor_to_tensor_set(inputs, "a", a);
    nrt_add_tensor_to_tensor_set(inputs, "b", b);
    nrt_add_tensor_to_tensor_set(outputs, "out", out);
  }

  std::vector<float> read(nrt_tensor_t *tensor) {
    std::vector<float> result(kElements);
    EXPECT_EQ(nrt_tensor_read(tensor, result.data(), 0, kBytes), NRT_SUCCESS);
    return result;
  }
  std::vector<float> doubled() {
    std::vector<float> result = values;
    for (float &value : result)
      value += value;
    return result;
  }

  nrt_model_t *model = nullptr;
  nrt_tensor_set_t *inputs = nullptr, *outputs = nullptr;
  nrt_tensor_t *a = nullptr, *b = nullptr, *out = nullptr;
  std::vector<float> values;
};

/// Loads the program that runs for minutes.
inline nrt_model_t *loadSlow() {
  auto bytes = *neff::writeNeff(slowProgram(), {"slow.neff"});
  nrt_model_t *slow = nullptr;
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, &slow), NRT_SUCCESS)
      << neuron_sim_last_error();
  return slow;
}

} // namespace neuron::test

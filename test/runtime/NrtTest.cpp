//===- NrtTest.cpp - conformance of libnrt.so.1 ---------------------------===//
//
// Runs against the shared library, through its exported functions alone.
//
//===----------------------------------------------------------------------===//
#include "test/runtime/NrtFixture.h"
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sys/stat.h>
#include <thread>

using namespace neuron;
using namespace neuron::test;

extern "C" NRT_STATUS nrt_c_client(nrt_version_t *version);

namespace {

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

TEST(NrtState, CodesHaveTheirDocumentedValues) {
  EXPECT_EQ(NRT_INVALID_HANDLE, 3);
  EXPECT_EQ(NRT_LOAD_NOT_ENOUGH_NC, 9);
  EXPECT_EQ(NRT_UNINITIALIZED, 13);
  EXPECT_EQ(NRT_CLOSED, 14);
  EXPECT_EQ(NRT_EXEC_BAD_INPUT, 1002);
  EXPECT_EQ(NRT_NETWORK_PROXY_FAILURE, 1206);
  EXPECT_STREQ(nrt_get_status_as_str(NRT_EXEC_OOB), "NRT_EXEC_OOB");
  EXPECT_STREQ(nrt_get_status_as_str(static_cast<NRT_STATUS>(8)),
               "UNKNOWN STATUS");
}

/// In a process of its own, for the runtime has never been initialized there.
void checkBeforeInit() {
  nrt_tensor_t *tensor = nullptr;
  bool refused =
      nrt_tensor_allocate(kHost, -1, 4, "t", &tensor) == NRT_UNINITIALIZED &&
      nrt_load("x", 1, 0, 1, nullptr) == NRT_UNINITIALIZED &&
      nrt_execute(nullptr, nullptr, nullptr) == NRT_UNINITIALIZED &&
      nrt_tensor_get_va(nullptr) == nullptr;
  uint32_t count = 0;
  nrt_instance_info_t info;
  nrt_version_t version;
  bool answered = nrt_get_total_nc_count(&count) == NRT_SUCCESS && count == 8 &&
                  nrt_get_visible_vnc_count(&count) == NRT_SUCCESS &&
                  count == 8 &&
                  nrt_get_instance_info(&info, sizeof info) == NRT_SUCCESS &&
                  info.family == NRT_INSTANCE_FAMILY_TRN2 &&
                  nrt_get_version(&version, sizeof version) == NRT_SUCCESS;
  nrt_close();
  bool still =
      nrt_tensor_allocate(kHost, -1, 4, "t", &tensor) == NRT_UNINITIALIZED;
  _exit(refused && answered && still ? 42 : 1);
}

TEST(NrtStateDeathTest, BeforeInit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(checkBeforeInit(), testing::ExitedWithCode(42), "");
}

TEST(NrtState, InitCloseInit) {
  Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
  nrt_tensor_t *tensor = nullptr, *later = nullptr;
  ASSERT_EQ(init(), NRT_SUCCESS);
  EXPECT_EQ(init(), NRT_FAILURE) << "a second one is an error";
  ASSERT_EQ(nrt_tensor_allocate(kDevice, 0, 4, "t", &tensor), NRT_SUCCESS);
  nrt_close();
  EXPECT_EQ(nrt_tensor_memset(tensor, 0, 0, 4), NRT_CLOSED);
  EXPECT_EQ(nrt_tensor_get_size(tensor), 0u);
  nrt_close();
  ASSERT_EQ(init(), NRT_SUCCESS);
  EXPECT_EQ(nrt_tensor_memset(tensor, 0, 0, 4), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 0, 4, "t", &later), NRT_SUCCESS);
  nrt_tensor_free(&tensor);
  EXPECT_EQ(tensor, nullptr);
  nrt_close();
}

TEST(NrtState, UnknownFrameworkIsRefused) {
  Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
  EXPECT_EQ(nrt_init(NRT_FRAMEWORK_TYPE_INVALID, "", ""), NRT_INVALID);
}

//===----------------------------------------------------------------------===//
// Environment
//===----------------------------------------------------------------------===//

TEST(NrtEnvironment, VisibleCores) {
  Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
  uint32_t count = 0;
  auto visible = [&](const char *name, const char *value) {
    Variable cores(name, value);
    NRT_STATUS status = nrt_get_visible_nc_count(&count);
    return status == NRT_SUCCESS ? int(count) : -int(status);
  };
  EXPECT_EQ(visible("NEURON_RT_VISIBLE_CORES", "3"), 1);
  EXPECT_EQ(visible("NEURON_RT_VISIBLE_CORES", "0-2,5"), 4);
  EXPECT_EQ(visible("NEURON_RT_NUM_CORES", "2"), 2);
  EXPECT_EQ(visible("NEURON_RT_NUM_CORES", "0"), 8);
  EXPECT_EQ(visible("NEURON_RT_VIRTUAL_CORE_SIZE", "2"), 4);
  EXPECT_EQ(visible("NEURON_LOGICAL_NC_CONFIG", "2"), 4);
  for (const char *bad : {"x", "1-", "2-1", "1,1", "9", "0-4000000000", ","})
    EXPECT_EQ(visible("NEURON_RT_VISIBLE_CORES", bad), -NRT_FAILURE) << bad;
  EXPECT_EQ(visible("NEURON_RT_NUM_CORES", "9"), -NRT_FAILURE);
  EXPECT_NE(std::string(neuron_sim_last_error())
                .find("NeuronCore(s) not available - Requested:9 Available:8"),
            std::string::npos);
  EXPECT_EQ(visible("NEURON_RT_VIRTUAL_CORE_SIZE", "3"), -NRT_FAILURE);
}

TEST(NrtEnvironment, BadValuesFailInit) {
  Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
  for (auto [name, value] : {std::pair("NEURON_MLIR_SIMULATOR", "fast"),
                             std::pair("NEURON_RT_VALIDATE_HASH", "maybe"),
                             std::pair("NEURON_MLIR_CORE_MEMORY_BYTES", "-1"),
                             std::pair("NEURON_RT_EXEC_TIMEOUT", "soon"),
                             std::pair("NEURON_MLIR_DISABLE_CACHE", "2")}) {
    Variable bad(name, value);
    EXPECT_EQ(init(), NRT_FAILURE) << name;
    EXPECT_NE(std::string(neuron_sim_last_error()).find(name),
              std::string::npos);
  }
  Variable level("NEURON_RT_LOG_LEVEL_NRT", "LOUD");
  EXPECT_EQ(init(), NRT_INVALID);
}

TEST(NrtEnvironment, LogLines) {
  std::string path = testing::TempDir() + "/nrt-test.log";
  std::filesystem::remove(path);
  {
    Variable place("NEURON_RT_LOG_LOCATION", path);
    ASSERT_EQ(init(), NRT_SUCCESS);
    nrt_tensor_t *tensor;
    EXPECT_EQ(nrt_tensor_allocate(kDevice, 99, 4, "t", &tensor), NRT_INVALID);
    nrt_close();
  }
  std::ifstream file(path);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  std::regex form("[0-9]{4}-[A-Z][a-z]{2}-[0-9]{2} [0-9:]{8}[.][0-9]{6} "
                  "[0-9]+:[0-9]+ ERROR   NRT:nrt_tensor_allocate   "
                  "NRT_INVALID: there is no core 99;.*");
  EXPECT_TRUE(std::regex_match(line, form)) << line;
  EXPECT_FALSE(std::getline(file, line)) << line;
  // Back to stderr for the other tests.
  ASSERT_EQ(init(), NRT_SUCCESS);
  nrt_close();
}

//===----------------------------------------------------------------------===//
// Exports
//===----------------------------------------------------------------------===//

TEST(NrtExports, CProgramsLink) {
  nrt_version_t version = {};
  EXPECT_EQ(nrt_c_client(&version), NRT_SUCCESS);
  EXPECT_EQ(version.rt_major, 2u);
}

TEST(NrtExports, StructuresAreCutToTheCallersSize) {
  nrt_instance_info_t info;
  std::memset(&info, 0xee, sizeof info);
  ASSERT_EQ(nrt_get_instance_info(&info, 8), NRT_SUCCESS);
  EXPECT_EQ(info.family, unsigned(NRT_INSTANCE_FAMILY_TRN2));
  EXPECT_EQ(uint8_t(info.arch_name[0]), 0xee);
}

TEST(NrtExports, StubsFailAndExist) {
  Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
  ASSERT_EQ(init(), NRT_SUCCESS);
  nrt_close();
  unsigned stubs = 0;
  auto check = [&](const char *name) {
    auto *stub = reinterpret_cast<NRT_STATUS (*)(void *, void *)>(
        dlsym(RTLD_DEFAULT, name));
    ASSERT_NE(stub, nullptr) << name;
    EXPECT_EQ(stub(nullptr, nullptr), NRT_FAILURE) << name;
    ++stubs;
  };
  auto exists = [&](const char *name) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  };
#define NEURON_STUB(name) check(#name);
#define NEURON_STUB_VOID(name) exists(#name);
#define NEURON_STUB_POINTER(name) exists(#name);
#include "runtime/core/Stubs.def"
  EXPECT_GT(stubs, 30u);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TEST_F(Nrt, WriteReadCopyMemset) {
  nrt_tensor_t *x = allocate(8), *y = allocate(8, kHost, -1);
  ASSERT_EQ(nrt_tensor_write(x, "abcdefgh", 0, 8), NRT_SUCCESS);
  ASSERT_EQ(nrt_tensor_memset(x, 1, 'z', 2), NRT_SUCCESS);
  ASSERT_EQ(nrt_tensor_copy(x, 0, y, 0, 8), NRT_SUCCESS);
  ASSERT_EQ(nrt_tensor_copy(x, 6, y, 0, 2), NRT_SUCCESS);
  char text[9] = {};
  ASSERT_EQ(nrt_tensor_read(y, text, 0, 8), NRT_SUCCESS);
  EXPECT_STREQ(text, "ghzdefgh");
  EXPECT_EQ(nrt_tensor_get_size(x), 8u);
  EXPECT_EQ(std::memcmp(nrt_tensor_get_va(y), text, 8), 0);
}

TEST_F(Nrt, BoundsAreChecked) {
  nrt_tensor_t *x = allocate(8), *y = allocate(8);
  char text[32] = {};
  for (auto [offset, size] :
       {std::pair<size_t, size_t>(0, 9), std::pair<size_t, size_t>(9, 0),
        std::pair<size_t, size_t>(7, 2), std::pair<size_t, size_t>(~0ull, 1),
        std::pair<size_t, size_t>(8, ~0ull),
        std::pair<size_t, size_t>(~0ull, ~0ull)}) {
    EXPECT_EQ(nrt_tensor_read(x, text, offset, size), NRT_INVALID);
    EXPECT_EQ(nrt_tensor_write(x, text, offset, size), NRT_INVALID);
    EXPECT_EQ(nrt_tensor_memset(x, offset, 0, size), NRT_INVALID);
    EXPECT_EQ(nrt_tensor_copy(x, offset, y, 0, size), NRT_INVALID);
    EXPECT_EQ(nrt_tensor_copy(x, 0, y, offset, size), NRT_INVALID);
    nrt_tensor_t *slice = nullptr;
    EXPECT_EQ(nrt_tensor_allocate_slice(x, offset, size, "s", &slice),
              NRT_INVALID);
  }
  EXPECT_EQ(nrt_tensor_read(x, text, 8, 0), NRT_SUCCESS);
  EXPECT_EQ(nrt_tensor_read(x, nullptr, 0, 1), NRT_INVALID);
}

TEST_F(Nrt, Batches) {
  nrt_tensor_t *x = allocate(4), *y = allocate(4);
  char one[] = "ab", two[] = "cd", three[] = "wxyz", back[5] = {};
  nrt_tensor_batch_op_t opsX[] = {{0, 2, one}, {2, 2, two}};
  nrt_tensor_batch_op_t opsY[] = {{0, 4, three}};
  nrt_tensor_batch_t batches[] = {{x, opsX, 2}, {y, opsY, 1}};
  ASSERT_EQ(nrt_tensor_write_batch(batches, 2, false), NRT_SUCCESS);
  nrt_tensor_batch_op_t whole[] = {{0, 4, back}};
  nrt_tensor_batch_t reads[] = {{x, whole, 1}};
  ASSERT_EQ(nrt_tensor_read_batch(reads, 1, true), NRT_SUCCESS);
  EXPECT_STREQ(back, "abcd");
  opsX[1].offset = 3;
  EXPECT_EQ(nrt_tensor_write_batch(batches, 2, false), NRT_INVALID);
  EXPECT_EQ(nrt_tensor_write_batch(nullptr, 2, false), NRT_INVALID);
}

TEST_F(Nrt, SlicesShareAndKeepTheStorage) {
  nrt_tensor_t *x = allocate(8), *slice = nullptr, *inner = nullptr;
  nrt_tensor_write(x, "abcdefgh", 0, 8);
  ASSERT_EQ(nrt_tensor_allocate_slice(x, 2, 5, "s", &slice), NRT_SUCCESS);
  ASSERT_EQ(nrt_tensor_allocate_slice(slice, 1, 3, "i", &inner), NRT_SUCCESS);
  EXPECT_EQ(nrt_tensor_get_va(inner),
            static_cast<char *>(nrt_tensor_get_va(x)) + 3);
  nrt_tensor_write(inner, "XYZ", 0, 3);
  nrt_tensor_free(&x);
  EXPECT_EQ(x, nullptr);
  char text[6] = {};
  ASSERT_EQ(nrt_tensor_read(slice, text, 0, 5), NRT_SUCCESS);
  EXPECT_STREQ(text, "cXYZg");
  nrt_vnc_memory_stats_t stats;
  size_t size = 0;
  ASSERT_EQ(nrt_get_vnc_memory_stats(0, &stats, sizeof stats, &size),
            NRT_SUCCESS);
  EXPECT_EQ(stats.bytes_used, 8u) << "the slices keep it";
  nrt_tensor_free(&slice);
  nrt_tensor_free(&inner);
  nrt_get_vnc_memory_stats(0, &stats, sizeof stats, &size);
  EXPECT_EQ(stats.bytes_used, 0u);
  EXPECT_EQ(size, sizeof stats);
}

TEST_F(Nrt, AttachedBuffersAreTheCallers) {
  nrt_tensor_t *x = nullptr;
  ASSERT_EQ(nrt_tensor_allocate_empty("x", &x), NRT_SUCCESS);
  char byte;
  EXPECT_EQ(nrt_tensor_read(x, &byte, 0, 1), NRT_INVALID);
  expectError("has no storage");
  EXPECT_EQ(nrt_tensor_get_va(x), nullptr);
  EXPECT_EQ(nrt_tensor_attach_buffer(x, nullptr, 4), NRT_INVALID);
  char one[4] = {'a'}, two[2] = {'b'};
  ASSERT_EQ(nrt_tensor_attach_buffer(x, one, 4), NRT_SUCCESS);
  EXPECT_EQ(nrt_tensor_get_va(x), one);
  ASSERT_EQ(nrt_tensor_attach_buffer(x, two, 2), NRT_SUCCESS);
  EXPECT_EQ(nrt_tensor_get_size(x), 2u);
  int core;
  EXPECT_EQ(nrt_tensor_get_lnc_index(x, &core), NRT_INVALID);
  nrt_tensor_free(&x);
  EXPECT_EQ(one[0], 'a');
}

TEST_F(Nrt, BadArgumentsAreRefused) {
  nrt_tensor_t *x = nullptr;
  EXPECT_EQ(nrt_tensor_allocate(kDevice, -1, 4, "x", &x), NRT_INVALID);
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 8, 4, "x", &x), NRT_INVALID);
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 0, 0, "x", &x), NRT_INVALID);
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 0, 4, "x", nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_tensor_allocate(static_cast<nrt_tensor_placement_t>(7), 0, 4,
                                "x", &x),
            NRT_INVALID);
  EXPECT_EQ(nrt_tensor_allocate(kHost, -1, SIZE_MAX, "x", &x),
            NRT_FAIL_HOST_MEM_ALLOC);
  EXPECT_EQ(x, nullptr);
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 0, 4, nullptr, &x), NRT_SUCCESS);
  nrt_tensor_free(nullptr);
}

TEST_F(Nrt, CoresAreSeparate) {
  nrt_tensor_t *x = allocate(4, kDevice, 1), *y = allocate(4, kDevice, 2);
  EXPECT_EQ(nrt_tensor_copy(x, 0, y, 0, 4), NRT_INVALID);
  int core = -1;
  ASSERT_EQ(nrt_tensor_get_lnc_index(y, &core), NRT_SUCCESS);
  EXPECT_EQ(core, 2);
  nrt_tensor_device_allocation_info_t info;
  ASSERT_EQ(nrt_tensor_get_device_allocation_info(y, &info), NRT_SUCCESS);
  EXPECT_EQ(info.hbm_index, 1);
  EXPECT_EQ(info.size, 4u);
}

TEST_F(Nrt, StaleAndForeignHandles) {
  nrt_tensor_t *x = allocate(4), *copy = x;
  nrt_tensor_free(&x);
  char text[4];
  for (void *handle :
       {static_cast<void *>(copy), static_cast<void *>(nullptr),
        static_cast<void *>(text), newSet(), reinterpret_cast<void *>(1)}) {
    auto *bad = static_cast<nrt_tensor_t *>(handle);
    nrt_tensor_t *slice = nullptr;
    EXPECT_EQ(nrt_tensor_read(bad, text, 0, 4), NRT_INVALID_HANDLE);
    EXPECT_EQ(nrt_tensor_write(bad, text, 0, 4), NRT_INVALID_HANDLE);
    EXPECT_EQ(nrt_tensor_memset(bad, 0, 0, 4), NRT_INVALID_HANDLE);
    EXPECT_EQ(nrt_tensor_attach_buffer(bad, text, 4), NRT_INVALID_HANDLE);
    EXPECT_EQ(nrt_tensor_allocate_slice(bad, 0, 4, "s", &slice),
              NRT_INVALID_HANDLE);
    EXPECT_EQ(nrt_tensor_get_va(bad), nullptr);
    EXPECT_EQ(nrt_tensor_get_size(bad), 0u);
    nrt_tensor_free(&bad);
    EXPECT_EQ(bad, nullptr);
  }
  auto *model = reinterpret_cast<nrt_model_t *>(copy);
  nrt_tensor_info_array_t *info;
  uint32_t count;
  EXPECT_EQ(nrt_unload(model), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_get_model_tensor_info(model, &info), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_get_model_vnc_count(model, &count), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_execute(model, newSet(), newSet()), NRT_INVALID_HANDLE);
}

TEST_F(Nrt, OutOfMemoryLeavesThingsUsable) {
  nrt_close();
  Variable memory("NEURON_MLIR_CORE_MEMORY_BYTES", "1000");
  ASSERT_EQ(init(), NRT_SUCCESS);
  nrt_tensor_t *x = allocate(600), *y = nullptr;
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 0, 401, "big", &y), NRT_RESOURCE);
  expectError("401 bytes of tensor 'big'");
  EXPECT_EQ(y, nullptr);
  EXPECT_EQ(nrt_tensor_allocate(kDevice, 0, SIZE_MAX, "big", &y), NRT_RESOURCE);
  EXPECT_EQ(nrt_tensor_memset(x, 0, 1, 600), NRT_SUCCESS);
  nrt_tensor_t *other = allocate(1000, kDevice, 1);
  EXPECT_NE(other, nullptr) << "each core has its own memory";
  ASSERT_EQ(nrt_tensor_allocate(kDevice, 0, 400, "fits", &y), NRT_SUCCESS);
  nrt_tensor_free(&x);
  nrt_tensor_free(&y);
  EXPECT_NE(allocate(1000), nullptr);
}

//===----------------------------------------------------------------------===//
// Tensor sets
//===----------------------------------------------------------------------===//

TEST_F(Nrt, SetsReplaceAndFind) {
  nrt_tensor_set_t *set = newSet();
  nrt_tensor_t *x = allocate(4), *y = allocate(4), *found = y;
  EXPECT_EQ(nrt_get_tensor_from_tensor_set(set, "x", &found), NRT_FAILURE);
  EXPECT_EQ(found, y) << "untouched";
  ASSERT_EQ(nrt_add_tensor_to_tensor_set(set, "x", x), NRT_SUCCESS);
  ASSERT_EQ(nrt_get_tensor_from_tensor_set(set, "x", &found), NRT_SUCCESS);
  EXPECT_EQ(found, x);
  ASSERT_EQ(nrt_add_tensor_to_tensor_set(set, "x", y), NRT_SUCCESS);
  ASSERT_EQ(nrt_get_tensor_from_tensor_set(set, "x", &found), NRT_SUCCESS);
  EXPECT_EQ(found, y);
  EXPECT_EQ(nrt_add_tensor_to_tensor_set(set, nullptr, y), NRT_INVALID);
  nrt_tensor_set_t *copy = set;
  nrt_destroy_tensor_set(&set);
  EXPECT_EQ(set, nullptr);
  EXPECT_EQ(nrt_add_tensor_to_tensor_set(copy, "x", y), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_tensor_memset(y, 0, 0, 4), NRT_SUCCESS) << "it lives on";
  nrt_destroy_tensor_set(&copy);
  nrt_destroy_tensor_set(nullptr);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST_F(Nrt, LoadRefusesBadNeffs) {
  auto bytes = addNeff();
  nrt_model_t *model = nullptr;
  auto load = [&](const std::vector<uint8_t> &neff) {
    return nrt_load(neff.data(), neff.size(), 0, 1, &model);
  };
  EXPECT_EQ(nrt_load(nullptr, 0, 0, 1, &model), NRT_INVALID);
  EXPECT_EQ(load({bytes.begin(), bytes.begin() + 100}), NRT_INVALID);
  expectError("truncated");
  EXPECT_EQ(load({bytes.begin(), bytes.end() - 1}), NRT_INVALID);
  expectError("truncated");
  auto flipped = bytes;
  flipped[2000] ^= 1;
  EXPECT_EQ(load(flipped), NRT_INVALID);
  expectError("hash");
  auto newer = bytes;
  newer[24] = 3;
  EXPECT_EQ(load(newer), NRT_UNSUPPORTED_NEFF_VERSION);
  expectError("supported: 2.0 received: 3.0");
  std::vector<neff::Member> members = {{"info.json", {'{', '}'}}};
  EXPECT_EQ(load(*neff::packNeff(members, {})), NRT_UNSUPPORTED_NEFF_VERSION);
  expectError("foreign");
  auto cores = bytes;
  cores[552] = 2;
  EXPECT_EQ(load(cores), NRT_INVALID);
  expectError("NEURON_RT_VIRTUAL_CORE_SIZE=2");
  auto invalid = test::addProgram();
  invalid.tensors[0].span = 5;
  EXPECT_EQ(load(*neff::writeNeff(invalid)), NRT_INVALID);
  expectError("the NEFF's program is invalid");
  EXPECT_EQ(model, nullptr);
}

TEST_F(Nrt, LoadChecksCores) {
  auto bytes = addNeff();
  nrt_model_t *model = nullptr;
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), 8, 1, &model), NRT_INVALID);
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), -2, 1, &model), NRT_INVALID);
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 9, &model),
            NRT_LOAD_NOT_ENOUGH_NC);
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 2, &model), NRT_INVALID);
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, nullptr), NRT_INVALID);
  EXPECT_EQ(
      nrt_load_collectives(bytes.data(), bytes.size(), 0, 1, 0, 2, &model),
      NRT_FAILURE);
}

TEST_F(Nrt, HashCheckCanBeTurnedOff) {
  nrt_close();
  Variable hash("NEURON_RT_VALIDATE_HASH", "false");
  ASSERT_EQ(init(), NRT_SUCCESS);
  auto bytes = addNeff();
  bytes[172] ^= 1;
  nrt_model_t *model = nullptr;
  EXPECT_EQ(nrt_load(bytes.data(), bytes.size(), -1, 1, &model), NRT_SUCCESS)
      << lastError();
}

TEST_F(NrtModel, TensorInfo) {
  nrt_tensor_info_array_t *info = nullptr;
  ASSERT_EQ(nrt_get_model_tensor_info(model, &info), NRT_SUCCESS);
  ASSERT_EQ(info->tensor_count, 3u);
  EXPECT_STREQ(info->tensor_array[1].name, "b");
  EXPECT_EQ(info->tensor_array[1].usage, NRT_TENSOR_USAGE_INPUT);
  EXPECT_STREQ(info->tensor_array[2].name, "out");
  EXPECT_EQ(info->tensor_array[2].usage, NRT_TENSOR_USAGE_OUTPUT);
  EXPECT_EQ(info->tensor_array[2].size, kBytes);
  EXPECT_EQ(info->tensor_array[2].dtype, NRT_DTYPE_FLOAT32);
  ASSERT_EQ(info->tensor_array[2].ndim, 2u);
  EXPECT_EQ(info->tensor_array[2].shape[0], 256u);
  EXPECT_EQ(info->tensor_array[2].shape[1], 64u);
  EXPECT_EQ(nrt_free_model_tensor_info(info), NRT_SUCCESS);
  EXPECT_EQ(nrt_free_model_tensor_info(nullptr), NRT_SUCCESS);
  uint32_t count = 0;
  EXPECT_EQ(nrt_get_model_vnc_count(model, &count), NRT_SUCCESS);
  EXPECT_EQ(count, 1u);
  nrt_model_info_t about = {99};
  size_t size = 0;
  EXPECT_EQ(nrt_get_model_info(model, &about, sizeof about, &size),
            NRT_SUCCESS);
  EXPECT_EQ(about.vnc, 0u);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

TEST_F(NrtModel, Executes) {
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
  EXPECT_EQ(read(out), doubled());
  nrt_add_tensor_to_tensor_set(inputs, "unused", a);
  nrt_tensor_memset(out, 0, 0, kBytes);
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS)
      << "extra names are fine: " << lastError();
  EXPECT_EQ(read(out), doubled());
}

TEST_F(NrtModel, MissingAndWrongTensorsAreNamed) {
  nrt_tensor_set_t *empty = newSet();
  EXPECT_EQ(nrt_execute(model, empty, outputs), NRT_INVALID);
  expectError("input 'a' is missing");
  EXPECT_EQ(nrt_execute(model, inputs, empty), NRT_INVALID);
  expectError("output 'out' is missing");
  nrt_add_tensor_to_tensor_set(inputs, "b", allocate(kBytes - 4));
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_INVALID);
  expectError("input 'b' has 65532 bytes, but the model needs 65536");
  nrt_tensor_t *hollow = nullptr;
  nrt_tensor_allocate_empty("hollow", &hollow);
  nrt_add_tensor_to_tensor_set(inputs, "b", hollow);
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_INVALID);
  expectError("input 'b' has no storage");
  std::vector<char> storage(kBytes + 8);
  nrt_tensor_attach_buffer(hollow, storage.data() + 1, kBytes);
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_INVALID);
  expectError("aligned");
  nrt_add_tensor_to_tensor_set(inputs, "b", b);
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS)
      << "a failed call leaves the model usable";
  EXPECT_EQ(nrt_execute(model, nullptr, outputs), NRT_INVALID_HANDLE);
}

TEST_F(NrtModel, SameTensorInBothSetsAndForBothInputs) {
  nrt_add_tensor_to_tensor_set(inputs, "b", a);
  nrt_add_tensor_to_tensor_set(outputs, "out", a);
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
  EXPECT_EQ(read(a), doubled());
}

TEST_F(NrtModel, AttachedBuffersAndSlices) {
  std::vector<float> mine(2 * kElements, 1.f);
  nrt_tensor_t *attached = nullptr, *half = nullptr;
  nrt_tensor_allocate_empty("mine", &attached);
  nrt_tensor_attach_buffer(attached, mine.data(), 2 * kBytes);
  ASSERT_EQ(nrt_tensor_allocate_slice(attached, kBytes, kBytes, "half", &half),
            NRT_SUCCESS);
  nrt_add_tensor_to_tensor_set(outputs, "out", half);
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
  EXPECT_EQ(mine[kElements - 1], 1.f);
  EXPECT_EQ(std::vector<float>(mine.begin() + kElements, mine.end()),
            doubled());
}

TEST_F(NrtModel, FreedTensorsLiveOnInTheirSets) {
  nrt_tensor_free(&a);
  ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
  EXPECT_EQ(read(out), doubled());
}

TEST_F(NrtModel, ThreadsAndCores) {
  auto bytes = addNeff();
  std::vector<std::thread> threads;
  std::atomic<unsigned> right = 0;
  for (int core = 0; core < 4; ++core)
    threads.emplace_back([&, core] {
      nrt_model_t *mine = nullptr;
      if (nrt_load(bytes.data(), bytes.size(), core % 2, 1, &mine))
        return;
      nrt_tensor_t *result = nullptr;
      nrt_tensor_allocate(kDevice, core % 2, kBytes, "r", &result);
      nrt_tensor_set_t *set = nullptr;
      nrt_allocate_tensor_set(&set);
      nrt_add_tensor_to_tensor_set(set, "out", result);
      bool good = true;
      for (unsigned i = 0; i < 3; ++i)
        good &= nrt_execute(mine, inputs, set) == NRT_SUCCESS;
      std::vector<float> values(kElements);
      nrt_tensor_read(result, values.data(), 0, kBytes);
      right += good && values == doubled();
      nrt_unload(mine);
      nrt_destroy_tensor_set(&set);
      nrt_tensor_free(&result);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 4u);
}

TEST_F(NrtModel, UnloadedModelsAreStale) {
  ASSERT_EQ(nrt_unload(model), NRT_SUCCESS);
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_unload(model), NRT_INVALID_HANDLE);
}

TEST_F(NrtModel, CloseWithEverythingLiveIsFine) {
  nrt_close();
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_CLOSED);
  EXPECT_EQ(nrt_unload(model), NRT_CLOSED);
  nrt_tensor_free(&a);
  nrt_destroy_tensor_set(&inputs);
  EXPECT_EQ(inputs, nullptr);
}

//===----------------------------------------------------------------------===//
// The simulator's own functions
//===----------------------------------------------------------------------===//

TEST_F(NrtModel, PredictedTimeAndClock) {
  uint64_t time = 0, clock = 1;
  ASSERT_EQ(neuron_sim_predicted_time_ps(model, &time), NRT_SUCCESS)
      << lastError();
  EXPECT_GT(time, 0u);
  ASSERT_EQ(neuron_sim_clock_ps(0, &clock), NRT_SUCCESS);
  EXPECT_EQ(clock, 0u);
  for (unsigned i = 0; i < 3; ++i)
    ASSERT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
  ASSERT_EQ(neuron_sim_clock_ps(0, &clock), NRT_SUCCESS);
  EXPECT_EQ(clock, 3 * time);
  nrt_unload(model);
  ASSERT_EQ(neuron_sim_clock_ps(0, &clock), NRT_SUCCESS);
  EXPECT_EQ(clock, 3 * time) << "time does not go back";
  ASSERT_EQ(neuron_sim_clock_ps(1, &clock), NRT_SUCCESS);
  EXPECT_EQ(clock, 0u);
  EXPECT_EQ(neuron_sim_clock_ps(8, &clock), NRT_INVALID);
}

TEST_F(NrtModel, Timeline) {
  uint64_t time = 0;
  ASSERT_EQ(neuron_sim_predicted_time_ps(model, &time), NRT_SUCCESS);
  neuron_sim_timeline_t *timeline = nullptr;
  ASSERT_EQ(neuron_sim_timeline(model, &timeline), NRT_SUCCESS) << lastError();
  EXPECT_EQ(uint64_t(timeline->total_ps), time);
  ASSERT_GE(timeline->num_events, 8u);
  bool sawAdd = false;
  for (uint64_t i = 0; i < timeline->num_events; ++i) {
    const neuron_sim_event_t &event = timeline->events[i];
    EXPECT_LE(event.start_ps, event.end_ps);
    EXPECT_STREQ(event.kernel, "add");
    sawAdd |= !std::strcmp(event.unit, "vector") &&
              std::strstr(event.instruction, "tensor_tensor<add>") &&
              !std::strcmp(event.location, "add");
  }
  EXPECT_TRUE(sawAdd);
  neuron_sim_timeline_free(timeline);
  neuron_sim_timeline_free(nullptr);
}

TEST_F(NrtModel, FormsAreKnown) {
  int form = -1;
  ASSERT_EQ(neuron_sim_get_model_form(model, &form), NRT_SUCCESS);
  EXPECT_EQ(form, NEURON_SIM_INTERPRETER);
  EXPECT_EQ(neuron_sim_set_form(7), NRT_INVALID);
}

TEST_F(NrtModel, InterruptsEndAnExecution) {
  nrt_model_t *slow = loadSlow();
  nrt_add_tensor_to_tensor_set(outputs, "out", allocate(4 * 128 * 512));
  int asked = 0;
  neuron_sim_set_interrupt(
      [](void *argument) { return int(++*static_cast<int *>(argument) == 2); },
      &asked);
  EXPECT_EQ(nrt_execute(slow, inputs, outputs), NRT_TIMEOUT) << lastError();
  neuron_sim_set_interrupt(nullptr, nullptr);
  EXPECT_EQ(asked, 2);
  expectError("execution of 'slow.neff' interrupted");
  nrt_add_tensor_to_tensor_set(outputs, "out", out);
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
}

TEST_F(NrtModel, ExecutionsTimeOut) {
  nrt_close();
  Variable timeout("NEURON_RT_EXEC_TIMEOUT", "0.2");
  ASSERT_EQ(init(), NRT_SUCCESS);
  nrt_model_t *slow = loadSlow();
  outputs = newSet();
  nrt_add_tensor_to_tensor_set(outputs, "out", allocate(4 * 128 * 512));
  EXPECT_EQ(nrt_execute(slow, outputs, outputs), NRT_TIMEOUT);
  expectError("execution of 'slow.neff' timed out");
}

/// What runs is the program in the NEFF and nothing else: another function,
/// window or order gives another result.
TEST_F(NrtModel, RunsWhatTheNeffSays) {
  using program::Instruction;
  struct Change {
    const char *what;
    void (*apply)(std::vector<program::Node> &);
    float (*expected)(float value, int64_t index);
  };
  auto of = [](std::vector<program::Node> &body, size_t i) -> Instruction & {
    return std::get<Instruction>(body[i]);
  };
  static auto instruction = of;
  const Change changes[] = {
      {"function",
       [](std::vector<program::Node> &body) {
         for (size_t i : {2, 6})
           instruction(body, i).fn[0] = program::Fn::mul;
       },
       [](float value, int64_t) { return value * value; }},
      {"operand",
       [](std::vector<program::Node> &body) {
         for (size_t i : {2, 6}) {
           instruction(body, i).src[1].kind = program::Operand::Kind::Tile;
           instruction(body, i).src[1].stride = 0;
         }
       },
       // The first column, for every column.
       [](float value, int64_t index) {
         return value + float(index - index % 64);
       }},
      {"window",
       [](std::vector<program::Node> &body) {
         instruction(body, 5).hbm.row.base = 0;
       },
       [](float value, int64_t index) {
         return value + float(index < 128 * 64 ? index : index - 128 * 64);
       }},
  };
  for (const Change &change : changes) {
    auto program = test::addProgram();
    change.apply(program.kernels[0].body);
    auto bytes = *neff::writeNeff(program);
    nrt_model_t *changed = nullptr;
    ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, &changed), NRT_SUCCESS)
        << change.what << ": " << lastError();
    ASSERT_EQ(nrt_execute(changed, inputs, outputs), NRT_SUCCESS)
        << change.what << ": " << lastError();
    std::vector<float> expected(kElements);
    for (size_t i = 0; i < kElements; ++i)
      expected[i] = change.expected(values[i], int64_t(i));
    EXPECT_EQ(read(out), expected) << change.what;
  }
}

TEST_F(NrtModel, AMissingWaitIsARace) {
  auto program = test::addProgram();
  std::get<program::Instruction>(program.kernels[0].body[2]).waits.pop_back();
  auto bytes = *neff::writeNeff(program);
  nrt_model_t *racing = nullptr;
  ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, &racing), NRT_SUCCESS)
      << lastError();
  EXPECT_EQ(nrt_execute(racing, inputs, outputs), NRT_EXEC_COMPLETED_WITH_ERR);
  expectError("add");
}

TEST_F(Nrt, OutputsInPlaceNeedTheirInputsTensor) {
  auto bytes = *neff::writeNeff(test::stridedProgram());
  nrt_model_t *model = nullptr;
  ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, &model), NRT_SUCCESS)
      << lastError();
  nrt_tensor_set_t *inputs = newSet(), *outputs = newSet();
  nrt_tensor_t *x = allocate(24);
  nrt_add_tensor_to_tensor_set(inputs, "x.must_alias_input", x);
  nrt_add_tensor_to_tensor_set(outputs, "x", allocate(24));
  nrt_add_tensor_to_tensor_set(outputs, "z", allocate(24));
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_INVALID);
  expectError("bind the tensor of input 'x.must_alias_input'");
  nrt_add_tensor_to_tensor_set(outputs, "x", x);
  EXPECT_EQ(nrt_execute(model, inputs, outputs), NRT_SUCCESS) << lastError();
}

} // namespace

//===- ProfileTest.cpp - nrt_profile_* and nrt_inspect_* ------------------===//
//
// Which files there are, and when. What is in them is read with Google's
// library, in test/python/test_profile_files.py.
//
//===----------------------------------------------------------------------===//
#include "nrt/nrt_profile.h"
#include "test/runtime/AsyncFixture.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

using namespace neuron;
using namespace neuron::test;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> namesIn(const fs::path &folder) {
  std::set<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename());
  return names;
}

class Profile : public Async {
protected:
  void SetUp() override {
    Async::SetUp();
    root = fs::path(testing::TempDir()) /
           ("profile-" + std::to_string(getpid()) + "-" +
            testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root);
    fs::create_directories(root);
    ASSERT_EQ(nrt_inspect_config_allocate(&config), NRT_SUCCESS);
    nrt_inspect_config_set_output_dir(config, (root / "out").c_str());
    nrt_inspect_config_set_enable_inspect(config, true);
  }
  void TearDown() override {
    nrt_inspect_config_free(config);
    Async::TearDown();
    fs::remove_all(root);
  }

  NRT_STATUS run() { return nrt_execute(model, inputs, outputs); }
  std::string folder() {
    char text[4096];
    EXPECT_EQ(neuron_sim_inspect_folder(text, sizeof text), NRT_SUCCESS);
    return text;
  }
  void expectOnly(const char *activity) {
    nrt_inspect_config_set_activity(config, "all", false);
    EXPECT_EQ(nrt_inspect_config_set_activity(config, activity, true),
              NRT_SUCCESS);
  }
  /// The number in the names of the model's files.
  std::string number() {
    auto bytes = addNeff();
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + 172, 6);
    return std::to_string(value);
  }

  fs::path root;
  nrt_inspect_config_t *config = nullptr;
};

//===----------------------------------------------------------------------===//
// One model
//===----------------------------------------------------------------------===//

TEST_F(Profile, OfOneModel) {
  std::string path = root / "p.ntff";
  ASSERT_EQ(nrt_profile_start(model, path.c_str()), NRT_SUCCESS);
  EXPECT_EQ(fs::file_size(path), 0u);
  ASSERT_EQ(run(), NRT_SUCCESS);
  ASSERT_EQ(nrt_profile_stop(path.c_str()), NRT_SUCCESS) << lastError();
  EXPECT_NE(contentOf(path).find("neuron-mlir device profile"),
            std::string::npos);
  EXPECT_EQ(nrt_profile_stop(path.c_str()), NRT_INVALID);
  expectError("no profile was started");
}

TEST_F(Profile, ThatCannotBe) {
  std::string path = root / "p.ntff";
  EXPECT_EQ(nrt_profile_start(nullptr, path.c_str()), NRT_INVALID_HANDLE);
  EXPECT_EQ(nrt_profile_start(model, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_profile_start(model, "/proc/nothing/p.ntff"), NRT_FAILURE);
  expectError("cannot write '/proc/nothing/p.ntff'");
  ASSERT_EQ(nrt_profile_start(model, path.c_str()), NRT_SUCCESS);
  EXPECT_EQ(nrt_profile_start(model, path.c_str()), NRT_FAILURE);
  EXPECT_EQ(nrt_profile_stop(path.c_str()), NRT_FAILURE);
  expectError("did not execute while it was profiled");
}

TEST_F(Profile, IsWrittenAtClose) {
  std::string path = root / "p.ntff";
  ASSERT_EQ(nrt_profile_start(model, path.c_str()), NRT_SUCCESS);
  ASSERT_EQ(run(), NRT_SUCCESS);
  nrt_close();
  EXPECT_GT(fs::file_size(path), 0u);
}

//===----------------------------------------------------------------------===//
// Continuous
//===----------------------------------------------------------------------===//

TEST_F(Profile, ContinuousSavesTheLatest) {
  nrt_profile_continuous_options_t *options = nullptr;
  ASSERT_EQ(nrt_profile_continuous_options_allocate(&options), NRT_SUCCESS);
  EXPECT_EQ(nrt_profile_continuous_options_set_output_dir(options, ""),
            NRT_INVALID);
  nrt_profile_continuous_options_set_output_dir(options, root.c_str());
  EXPECT_EQ(nrt_profile_continuous_save(0, options), NRT_FAILURE);
  ASSERT_EQ(nrt_profile_continuous_start(options), NRT_SUCCESS);
  EXPECT_EQ(nrt_profile_continuous_start(options), NRT_FAILURE);
  EXPECT_EQ(nrt_profile_continuous_save(0, options), NRT_FAILURE);
  expectError("has executed no model");
  EXPECT_EQ(nrt_profile_continuous_save(99, options), NRT_INVALID);
  nrt_model_t *other = load(addProgram(128, 8));
  nrt_tensor_set_t *set = newSet();
  for (const char *name : {"a", "b", "out"})
    nrt_add_tensor_to_tensor_set(set, name, allocate(4 * 128 * 8));
  ASSERT_EQ(nrt_execute(other, set, set), NRT_SUCCESS) << lastError();
  ASSERT_EQ(run(), NRT_SUCCESS);
  for (int i = 0; i < 2; ++i) // each in a folder of its own
    ASSERT_EQ(nrt_profile_continuous_save(0, options), NRT_SUCCESS)
        << lastError();
  ASSERT_EQ(nrt_profile_continuous_stop(), NRT_SUCCESS);
  EXPECT_EQ(nrt_profile_continuous_stop(), NRT_FAILURE);
  nrt_profile_continuous_options_free(options);
  fs::path process = root / ("i-simulator_pid_" + std::to_string(getpid()));
  auto folders = namesIn(process);
  ASSERT_EQ(folders.size(), 2u);
  for (const std::string &name : folders)
    EXPECT_EQ(namesIn(process / name),
              (std::set<std::string>{"neff_" + number() + "_vnc_0.neff",
                                     number() + "_instid_0_vnc_0.ntff"}));
}

//===----------------------------------------------------------------------===//
// Inspection
//===----------------------------------------------------------------------===//

TEST_F(Profile, AnInspectionHasAFolderOfItsOwn) {
  ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS) << lastError();
  std::string while_on = folder();
  EXPECT_TRUE(fs::is_directory(while_on));
  std::regex form(".*/out/i-simulator_pid_" + std::to_string(getpid()) +
                  "/[0-9]{8}_[0-9]{6}_[0-9]{3}");
  EXPECT_TRUE(std::regex_match(while_on, form)) << while_on;
  ASSERT_EQ(run(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS) << lastError();
  EXPECT_EQ(folder(), while_on);
  EXPECT_EQ(
      namesIn(while_on),
      (std::set<std::string>{"neff_" + number() + "_vnc_0.neff",
                             number() + "_instid_0_vnc_0.ntff", "ntrace.pb",
                             "trace_info.pb", "cpu_util.pb", "host_mem.pb"}));
  auto neff = addNeff();
  EXPECT_EQ(contentOf(while_on + "/neff_" + number() + "_vnc_0.neff"),
            std::string(neff.begin(), neff.end()))
      << "the NEFF that was loaded, byte by byte";
  EXPECT_EQ(nrt_inspect_stop(), NRT_FAILURE);
}

TEST_F(Profile, ActivitiesAreChosen) {
  for (auto [activity, file] : {std::pair("system_profile", "ntrace.pb"),
                                {"host_memory", "host_mem.pb"},
                                {"cpu_util", "cpu_util.pb"}}) {
    expectOnly(activity);
    ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
    ASSERT_EQ(run(), NRT_SUCCESS);
    ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
    EXPECT_EQ(namesIn(folder()), (std::set<std::string>{file, "trace_info.pb"}))
        << activity;
  }
  EXPECT_EQ(nrt_inspect_config_set_activity(config, "dreams", true),
            NRT_INVALID);
  expectError("no activity 'dreams'");
}

TEST_F(Profile, TheSameNeffTwiceHasTwoInstances) {
  auto bytes = addNeff();
  nrt_model_t *twin = nullptr;
  ASSERT_EQ(nrt_load(bytes.data(), bytes.size(), 0, 1, &twin), NRT_SUCCESS);
  expectOnly("device_profile");
  ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
  for (nrt_model_t *which : {model, twin, model})
    ASSERT_EQ(nrt_execute(which, inputs, outputs), NRT_SUCCESS);
  nrt_unload(twin); // profiles outlive models
  ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS) << lastError();
  auto names = namesIn(folder());
  EXPECT_TRUE(names.contains(number() + "_instid_0_vnc_0.ntff"));
  EXPECT_TRUE(names.contains(number() + "_instid_1_vnc_0.ntff"));
}

TEST_F(Profile, SessionModeHasAFileACore) {
  expectOnly("device_profile");
  nrt_inspect_config_set_session_id(config, 3);
  ASSERT_EQ(nrt_inspect_config_set_inspect_device_profile_mode(
                config, NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION),
            NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
  Ticket ticket;
  ASSERT_EQ(schedule(ticket), NRT_SUCCESS);
  waitFor(ticket);
  ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(
      namesIn(folder()),
      (std::set<std::string>{"neff_" + number() + "_vnc_0.neff",
                             "profile_nc_0_session_3.ntff", "trace_info.pb"}));
}

TEST_F(Profile, NotEnabledIsNone) {
  nrt_inspect_config_set_enable_inspect(config, false);
  for (nrt_inspect_config_t *options :
       {config, static_cast<nrt_inspect_config_t *>(nullptr)}) {
    ASSERT_EQ(nrt_inspect_begin_with_options(options), NRT_SUCCESS);
    ASSERT_EQ(run(), NRT_SUCCESS);
    ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  }
  EXPECT_FALSE(fs::exists(root / "out"));
}

TEST_F(Profile, AnotherBeginIsRefused) {
  ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_begin_with_options(config), NRT_FAILURE);
  EXPECT_EQ(nrt_profile_start(model, (root / "p").c_str()), NRT_FAILURE);
  expectError("an inspection captures device profiles");
  EXPECT_EQ(nrt_profile_continuous_start(nullptr), NRT_FAILURE);
  ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  ASSERT_EQ(nrt_profile_start(model, (root / "p").c_str()), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_begin_with_options(config), NRT_FAILURE);
  expectOnly("system_profile");
  EXPECT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
}

TEST_F(Profile, AFolderThatCannotBeMadeFailsTheBegin) {
  nrt_inspect_config_set_output_dir(config, "/proc/nothing");
  EXPECT_EQ(nrt_inspect_begin_with_options(config), NRT_FAILURE);
  expectError("cannot make the folder '/proc/nothing");
  EXPECT_EQ(nrt_inspect_config_set_output_dir(config, ""), NRT_INVALID);
}

TEST_F(Profile, OnFailureTheNeffIsKept) {
  auto program = addProgram();
  std::get<program::Instruction>(program.kernels[0].body[2]).waits.pop_back();
  nrt_model_t *racing = load(program);
  nrt_inspect_config_set_enable_inspect(config, false);
  nrt_inspect_config_set_enable_inspect_on_fail(config, true);
  ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
  ASSERT_EQ(run(), NRT_SUCCESS);
  EXPECT_FALSE(fs::exists(root / "out"));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(nrt_execute(racing, inputs, outputs),
              NRT_EXEC_COMPLETED_WITH_ERR);
  ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  fs::path process =
      root / "out" / ("i-simulator_pid_" + std::to_string(getpid()));
  auto folders = namesIn(process);
  ASSERT_EQ(folders.size(), 1u) << "once a model";
  EXPECT_EQ(namesIn(process / *folders.begin()).size(), 2u);
}

TEST_F(Profile, TheEnvironmentBeginsOneAndCloseWritesIt) {
  Variable on("NEURON_RT_INSPECT_ENABLE", "1");
  Variable out("NEURON_RT_INSPECT_OUTPUT_DIR", root / "env");
  Variable device("NEURON_RT_INSPECT_DEVICE_PROFILE", "session");
  Variable memory("NEURON_RT_INSPECT_HOST_MEMORY", "true");
  restart();
  ASSERT_EQ(run(), NRT_SUCCESS);
  nrt_close();
  EXPECT_EQ(folder().rfind((root / "env").string(), 0), 0u);
  EXPECT_EQ(namesIn(folder()),
            (std::set<std::string>{"neff_" + number() + "_vnc_0.neff",
                                   "profile_nc_0_session_1.ntff", "ntrace.pb",
                                   "trace_info.pb", "host_mem.pb"}));
}

TEST_F(Profile, WhatTheEnvironmentSaysIsChecked) {
  nrt_close();
  Variable on("NEURON_RT_INSPECT_ENABLE", "1");
  Variable out("NEURON_RT_INSPECT_OUTPUT_DIR", root / "env");
  for (auto [name, value] :
       {std::pair("NEURON_RT_INSPECT_DEVICE_PROFILE", "some"),
        {"NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "hardware,^nothing"},
        {"NEURON_RT_INSPECT_EVENT_FILTER_NC", "x"},
        {"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "-1"},
        {"NEURON_RT_INSPECT_OUTPUT_DIR", "/proc/nothing"}}) {
    Variable bad(name, value);
    EXPECT_EQ(init(), NRT_FAILURE) << name;
    EXPECT_EQ(nrt_unload(nullptr), NRT_CLOSED) << "nothing is left";
  }
  ASSERT_EQ(init(), NRT_SUCCESS) << lastError();
  EXPECT_EQ(nrt_inspect_begin(), NRT_FAILURE) << "it is on";
}

TEST_F(Profile, ActivityTypesAreListed) {
  const char **names = nullptr;
  size_t count = 0;
  ASSERT_EQ(nrt_inspect_config_get_all_activity_types(&names, &count),
            NRT_SUCCESS);
  EXPECT_EQ(std::set<std::string>(names, names + count),
            (std::set<std::string>{"system_profile", "device_profile",
                                   "host_memory", "cpu_util"}));
  nrt_inspect_config_free_activity_types(names, count);
  expectOnly("cpu_util");
  ASSERT_EQ(
      nrt_inspect_config_get_enabled_activity_types(config, &names, &count),
      NRT_SUCCESS);
  ASSERT_EQ(count, 1u);
  EXPECT_STREQ(names[0], "cpu_util");
  nrt_inspect_config_free_activity_types(names, count);
}

TEST_F(Profile, FolderNamesNeedRoom) {
  ASSERT_EQ(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
  char small[4];
  EXPECT_EQ(neuron_sim_inspect_folder(small, sizeof small), NRT_RESOURCE);
}

} // namespace

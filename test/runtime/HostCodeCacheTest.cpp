//===- HostCodeCacheTest.cpp - where host code is kept --------------------===//
#include "runtime/core/HostCodeCache.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace neuron;
using namespace neuron::nrt;
namespace fs = std::filesystem;

namespace {

class HostCodeCache : public testing::Test {
protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) /
           ("host-code-" + std::to_string(getpid()));
    fs::remove_all(root);
    fs::create_directory(root);
    config.cacheDirectory = root / "a" / "b";
    config.cacheDirectoryIsNamed = true;
  }
  void TearDown() override { fs::remove_all(root); }

  std::string problem() {
    auto result = hostCodeDirectory(config);
    return result.ok() ? "" : result.message();
  }

  fs::path root;
  Config config;
};

TEST_F(HostCodeCache, IsMadeForTheUserAlone) {
  auto directory = hostCodeDirectory(config);
  ASSERT_TRUE(directory.ok()) << directory.message();
  EXPECT_EQ(*directory, config.cacheDirectory);
  struct stat info;
  ASSERT_EQ(stat(directory->c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_EQ(problem(), "") << "a second time it is there";
}

TEST_F(HostCodeCache, CanBeOff) {
  config.hostCodeCache = false;
  auto directory = hostCodeDirectory(config);
  ASSERT_TRUE(directory.ok());
  EXPECT_EQ(*directory, "");
  EXPECT_FALSE(fs::exists(config.cacheDirectory));
}

TEST_F(HostCodeCache, WhereOthersCanWriteIsRefused) {
  ASSERT_EQ(problem(), "");
  for (unsigned mode : {0770u, 0702u, 0777u}) {
    chmod(config.cacheDirectory.c_str(), mode);
    EXPECT_NE(problem().find("can be written by others"), std::string::npos);
  }
  chmod(config.cacheDirectory.c_str(), 0755);
  EXPECT_EQ(problem(), "") << "reading is no harm";
}

TEST_F(HostCodeCache, WhereAFileIsInTheWayIsRefused) {
  std::ofstream(root / "a") << "a file";
  EXPECT_NE(problem().find("NEURON_MLIR_CACHE_DIR"), std::string::npos);
  config.cacheDirectory = root / "a";
  EXPECT_NE(problem().find("is not a directory"), std::string::npos);
}

TEST_F(HostCodeCache, WithoutANameOfTheUsersItIsLeftOut) {
  std::ofstream(root / "a") << "a file";
  config.cacheDirectoryIsNamed = false;
  auto directory = hostCodeDirectory(config);
  ASSERT_TRUE(directory.ok()) << directory.message();
  EXPECT_EQ(*directory, "");
}

} // namespace

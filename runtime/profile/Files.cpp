//===- Files.cpp - folders and files of profiles --------------------------===//
#include "runtime/profile/Files.h"
#include "runtime/core/Clock.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace neuron::profile {
namespace {

/// 20261130_104512_123, local time.
std::string timeText(uint64_t nanoseconds) {
  time_t seconds = time_t(nanoseconds / 1'000'000'000);
  tm local;
  localtime_r(&seconds, &local);
  char text[32];
  size_t length = strftime(text, sizeof text, "%Y%m%d_%H%M%S", &local);
  snprintf(text + length, sizeof text - length, "_%03u",
           unsigned(nanoseconds / 1'000'000 % 1000));
  return text;
}

} // namespace

Status writeFile(const std::string &path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), std::streamsize(content.size()));
  file.close();
  if (!file)
    return Error{"cannot write '" + path + "': " + std::strerror(errno)};
  return {};
}

Status makeFolders(const std::string &path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem)
    return Error{"cannot make the folder '" + path + "': " + problem.message()};
  return {};
}

Result<std::string> makeFolder(const std::string &parent) {
  std::string process =
      parent + "/" + kInstance + "_pid_" + std::to_string(getpid());
  if (auto status = makeFolders(process); !status)
    return status.error();
  // A folder that is there already belongs to the millisecond's first caller.
  for (uint64_t now = nrt::hostNow();; now += 1'000'000) {
    std::string path = process + "/" + timeText(now);
    std::error_code problem;
    if (std::filesystem::create_directory(path, problem))
      return path;
    if (problem)
      return Error{"cannot make the folder '" + path +
                   "': " + problem.message()};
  }
}

} // namespace neuron::profile

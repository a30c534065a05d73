//===- HostCodeCache.cpp - where host code is kept ------------------------===//
#include "runtime/core/HostCodeCache.h"
#include "runtime/core/Log.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace neuron::nrt {
namespace {

Status makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string prefix = path.substr(0, slash);
    if (mkdir(prefix.c_str(), 0700) != 0 && errno != EEXIST)
      return Error{"cannot make '" + prefix + "': " + strerror(errno)};
    if (slash == std::string::npos)
      return {};
  }
}

Status checkDirectory(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return Error{"cannot use '" + path + "': " + strerror(errno)};
  if (!S_ISDIR(info.st_mode))
    return Error{"'" + path + "' is not a directory"};
  if (info.st_uid != geteuid())
    return Error{"'" + path + "' belongs to another user"};
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return Error{"'" + path + "' can be written by others; chmod 700 it"};
  if (access(path.c_str(), R_OK | W_OK | X_OK) != 0)
    return Error{"cannot write to '" + path + "': " + strerror(errno)};
  return {};
}

} // namespace

Result<std::string> hostCodeDirectory(const Config &config) {
  if (!config.hostCodeCache || config.cacheDirectory.empty())
    return std::string();
  Status status = makeDirectories(config.cacheDirectory);
  if (status)
    status = checkDirectory(config.cacheDirectory);
  if (status)
    return config.cacheDirectory;
  std::string message =
      "the cache of host code is unusable: " + status.message() +
      "; set NEURON_MLIR_CACHE_DIR to a directory of yours, "
      "or NEURON_MLIR_DISABLE_CACHE=1";
  if (config.cacheDirectoryIsNamed)
    return Error{message};
  log(LogLevel::Warning, "nrt_load", message + " (loading without it)");
  return std::string();
}

} // namespace neuron::nrt

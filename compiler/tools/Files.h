//===- Files.h - whole files ------------------------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace neuron::tools {

inline Error fileError(const char *what, const std::string &path) {
  return Error{std::string("cannot ") + what + " '" + path +
               "': " + std::strerror(errno)};
}

inline Result<std::vector<uint8_t>> readFile(const std::string &path) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"),
                                              std::fclose);
  if (!file)
    return fileError("open", path);
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  while (size_t count = std::fread(chunk, 1, sizeof(chunk), file.get()))
    bytes.insert(bytes.end(), chunk, chunk + count);
  if (std::ferror(file.get()))
    return fileError("read", path);
  return bytes;
}

inline Status writeFile(const std::string &path,
                        std::span<const uint8_t> bytes) {
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return fileError("create", path);
  bool complete =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  // A full disk may show only here.
  complete = std::fclose(file) == 0 && complete;
  if (!complete)
    return fileError("write", path);
  return {};
}

/// Makes a directory and those above it.
inline Status makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string prefix = path.substr(0, slash);
    if (mkdir(prefix.c_str(), 0777) != 0 && errno != EEXIST)
      return fileError("make the directory", prefix);
    if (slash == std::string::npos)
      return {};
  }
}

} // namespace neuron::tools

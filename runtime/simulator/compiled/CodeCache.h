//===- CodeCache.h - host code on disk --------------------------*- C++ -*-===//
//
// One file an entry, named by the SHA-256 of its key. A file is written under a
// temporary name and renamed; it begins with the hash of its contents, and one
// that does not match is rebuilt.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace neuron::simulator::compiled {

/// Of the encoded program, the CPU and this build of the code generator.
std::string codeKey(const program::Program &program);

class CodeCache {
public:
  /// No cache if `directory` is empty.
  explicit CodeCache(std::string directory) : directory(std::move(directory)) {}

  bool isOn() const { return !directory.empty(); }
  /// Nothing if there is no entry, or a damaged one.
  std::optional<std::string> find(const std::string &key) const;
  /// Failing to write is no failure of the program: it is compiled next time.
  void store(const std::string &key, const std::string &contents) const;

private:
  std::string pathOf(const std::string &key) const;
  std::string directory;
};

} // namespace neuron::simulator::compiled

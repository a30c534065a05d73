//===- Tar.h - ustar archives in memory -------------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace neuron::neff {

struct Member {
  std::string name;
  std::vector<uint8_t> data;
};

/// Whether a member of that name can be written below a directory without
/// leaving it: relative, no empty, "." or ".." component.
bool isSafeName(const std::string &name);

/// Regular files of fixed owner and mode, time zero.
Result<std::vector<uint8_t>> writeTar(std::span<const Member> members);

/// Regular files in their order; directories are skipped. Links, other kinds,
/// unsafe and repeated names are errors.
Result<std::vector<Member>> readTar(std::span<const uint8_t> data);

} // namespace neuron::neff

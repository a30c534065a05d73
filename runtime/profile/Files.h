//===- Files.h - folders and files of profiles ------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace neuron::profile {

inline constexpr char kRuntimeName[] =
    "neuron-mlir " NEURON_MLIR_VERSION " simulator";
/// In the place of an EC2 instance's id.
inline constexpr char kInstance[] = "i-simulator";

Status writeFile(const std::string &path, std::string_view content);

/// Makes PARENT/INSTANCE_pid_PID/TIME for this process and now, and says its
/// path. Two calls never give the same.
Result<std::string> makeFolder(const std::string &parent);

/// Makes a folder and those above it.
Status makeFolders(const std::string &path);

} // namespace neuron::profile

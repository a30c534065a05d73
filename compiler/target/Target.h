//===- Target.h - hardware parameters ---------------------------*- C++ -*-===//
//
// Every hardware number of the project, in one table a target. The compiler's
// passes and the simulator's clock read the same one. No MLIR.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Result.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace neuron::target {

struct Parameter {
  int64_t value = 0;
  std::string_view source; ///< tags, explained in the target's file
  bool assumption = false; ///< no public data stands behind it
  std::string_view note = {};

  operator int64_t() const { return value; }
};

struct Target {
  std::string_view name;
  /// Whether its predictions were compared with published measurements
  /// (docs/device-model.md).
  bool validated = false;
#define NEURON_PARAMETER(field, unit, meaning) Parameter field;
#include "compiler/target/Parameters.def"
};

/// The table of the target of that name.
Result<const Target *> find(std::string_view name);

/// The target that passes and tools assume if none is named: trn2.
const Target &defaultTarget();

/// Every target, oldest first.
std::span<const Target> all();

/// The table as text: value, unit, source, meaning; assumptions are marked.
std::string describe(const Target &target);

} // namespace neuron::target

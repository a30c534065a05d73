//===- Compile.h - from the neuron dialect to a NEFF ------------*- C++ -*-===//
#pragma once
#include "compiler/options/Options.h"
#include "compiler/report/Work.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class PassManager;
} // namespace mlir

namespace neuron {

struct CompileResult {
  std::vector<uint8_t> neff;
  /// Level ("graph", "fused", "nisa", "scheduled") and its text; empty unless
  /// asked for.
  std::vector<std::pair<std::string, std::string>> dumps;
  /// What was decided and why: fused or not, with locations.
  std::vector<std::string> remarks;
  /// What each kernel of the program has to do; empty unless asked for.
  std::vector<report::KernelWork> works;
};

struct CompileRequest {
  bool dumps = false;
  bool remarks = false;
  bool works = false;
  /// Asked several times a second; true ends the compilation, which then fails.
  std::function<bool()> interrupted;
};

/// Compiles the function @main of `module`, which is consumed. A module of a
/// later level goes on from there: nisa kernels are placed and synchronized,
/// and where the tiles have places already, taken as they are. On failure,
/// `error` has every diagnostic, one a line, with locations.
llvm::FailureOr<CompileResult> compileModule(mlir::ModuleOp module,
                                             const Options &options,
                                             std::string &error,
                                             CompileRequest request = {});

namespace pipeline {

/// A stage of the pipeline; the IR after it is a level that can be dumped.
struct Stage {
  std::string level;
  std::string passes; ///< textual pipeline on func.func; neuron-opt reads it
};

/// The stages, in order, with every pass option spelled out. `works`: kernels
/// are to note what they have to do.
llvm::FailureOr<std::vector<Stage>>
stagesFor(const Options &options, std::string &error, bool works = false);

} // namespace pipeline
} // namespace neuron

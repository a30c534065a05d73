//===- CompileFile.h - a file of IR to a NEFF -------------------*- C++ -*-===//
#pragma once
#include "compiler/pipeline/Compile.h"
#include "runtime/program/Result.h"

namespace neuron::tools {

/// Reads a file of neuron or nisa IR and compiles its function @main. The
/// parser prints its own errors to stderr, with file and line.
Result<CompileResult> compileFile(const std::string &path,
                                  const Options &options,
                                  CompileRequest request = {});

} // namespace neuron::tools

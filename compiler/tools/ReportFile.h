//===- ReportFile.h - neuron-compile --report -------------------*- C++ -*-===//
#pragma once
#include "compiler/tools/CompileFile.h"

namespace neuron::tools {

/// Compiles the file for each target (none: that of the options), and gives the
/// roofline of its kernels as text. `last` becomes what was compiled last.
Result<std::string> reportFile(const std::string &path, Options options,
                               const std::vector<std::string> &targets,
                               CompileRequest request, CompileResult &last);

} // namespace neuron::tools

//===- neuron-compile.cpp - neuron IR to a NEFF ---------------------------===//
#include "compiler/options/Options.h"
#include "compiler/tools/CompileFile.h"
#include "compiler/tools/ReportFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace neuron;

static int usage() {
  llvm::errs() << "usage: neuron-compile FILE.mlir -o FILE.neff [--dump] "
                  "[--remarks] [--OPTION=VALUE ...]\n"
                  "       neuron-compile FILE.mlir --report "
                  "[--targets=NAME,...] [-o FILE.neff] ...\n\n"
                  "FILE.mlir has a function @main of neuron ops or of nisa "
                  "kernels.\n"
                  "--report prints the roofline of each kernel; with several "
                  "targets, side by side.\n\nOptions:\n";
  for (const OptionInfo &option : optionTable())
    llvm::errs() << "  --" << option.name << "=" << option.defaultValue << "  "
                 << option.why << "\n";
  return 2;
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "neuron-compile: " << message << "\n";
  return 1;
}

/// A NEFF is there whole or not at all.
static Status writeNeff(const std::string &output,
                        const std::vector<uint8_t> &neff) {
  std::string temporary = output + ".tmp";
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(temporary, code);
    if (code)
      return Error{"cannot write " + temporary + ": " + code.message()};
    stream.write(reinterpret_cast<const char *>(neff.data()), neff.size());
    stream.close();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      llvm::sys::fs::remove(temporary);
      return Error{"cannot write " + temporary + ": " + message};
    }
  }
  if ((code = llvm::sys::fs::rename(temporary, output))) {
    llvm::sys::fs::remove(temporary);
    return Error{"cannot write " + output + ": " + code.message()};
  }
  return {};
}

int main(int argc, char **argv) {
  std::string input, output;
  bool report = false;
  std::vector<std::string> targets;
  Result<Options> options = optionsFromEnvironment();
  if (!options)
    return fail(options.message());
  CompileRequest request;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "-o" && i + 1 < argc) {
      output = argv[++i];
    } else if (argument == "--dump") {
      request.dumps = true;
    } else if (argument == "--remarks") {
      request.remarks = true;
    } else if (argument == "--report") {
      report = true;
    } else if (argument.consume_front("--targets=")) {
      for (llvm::StringRef name : llvm::split(argument, ','))
        targets.push_back(name.str());
    } else if (argument.starts_with("--")) {
      auto [name, value] = argument.drop_front(2).split('=');
      Status status = setOption(*options, {name.data(), name.size()},
                                {value.data(), value.size()});
      if (!status)
        return fail(status.message());
    } else if (input.empty() && !argument.starts_with("-")) {
      input = argument.str();
    } else {
      return usage();
    }
  }
  if (input.empty() || (output.empty() && !report))
    return usage();
  if (!targets.empty() && !report)
    return fail("--targets is for --report; one target is --target=NAME");
  if (targets.size() > 1 && !output.empty())
    return fail("a NEFF is for one target: leave out -o, or compile once more "
                "with --target=NAME");

  CompileResult result;
  std::string table;
  if (report) {
    auto text = tools::reportFile(input, *options, targets, request, result);
    if (!text)
      return fail(text.message());
    table = std::move(*text);
  } else {
    auto compiled = tools::compileFile(input, *options, request);
    if (!compiled)
      return fail(compiled.message());
    result = std::move(*compiled);
  }
  for (auto &[level, text] : result.dumps)
    llvm::outs() << "// ----- " << level << "\n" << text << "\n";
  if (request.remarks)
    for (const std::string &remark : result.remarks)
      llvm::outs() << "remark: " << remark << "\n";
  llvm::outs() << table;
  if (!output.empty())
    if (Status status = writeNeff(output, result.neff); !status)
      return fail(status.message());
  return 0;
}

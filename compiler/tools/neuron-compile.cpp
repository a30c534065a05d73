//===- neuron-compile.cpp - neuron IR to a NEFF
//---------------------------------===//
#include "compiler/options/Options.h"
#include "compiler/tools/CompileFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace neuron;

static int usage() {
  llvm::errs() << "usage: neuron-compile FILE.mlir -o FILE.neff [--dump] "
                  "[--remarks] [--OPTION=VALUE ...]\n\n"
                  "FILE.mlir has a function @main of neuron ops or of nisa "
                  "kernels. Options:\n";
  for (const OptionInfo &option : optionTable())
    llvm::errs() << "  --" << option.name << "=" << option.defaultValue << "  "
                 << option.why << "\n";
  return 2;
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "neuron-compile: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  std::string input, output;
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
  if (input.empty() || output.empty())
    return usage();

  Result<CompileResult> result = tools::compileFile(input, *options, request);
  if (!result)
    return fail(result.message());
  for (auto &[level, text] : result->dumps)
    llvm::outs() << "// ----- " << level << "\n" << text << "\n";
  if (request.remarks)
    for (const std::string &remark : result->remarks)
      llvm::outs() << "remark: " << remark << "\n";

  // A NEFF is there whole or not at all.
  std::string temporary = output + ".tmp";
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(temporary, code);
    if (code)
      return fail("cannot write " + temporary + ": " + code.message());
    stream.write(reinterpret_cast<const char *>(result->neff.data()),
                 result->neff.size());
    stream.close();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      llvm::sys::fs::remove(temporary);
      return fail("cannot write " + temporary + ": " + message);
    }
  }
  if ((code = llvm::sys::fs::rename(temporary, output))) {
    llvm::sys::fs::remove(temporary);
    return fail("cannot write " + output + ": " + code.message());
  }
  return 0;
}

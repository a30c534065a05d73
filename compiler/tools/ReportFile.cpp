//===- ReportFile.cpp - neuron-compile --report ---------------------------===//
#include "compiler/tools/ReportFile.h"
#include "compiler/neff/Neff.h"
#include "compiler/report/Table.h"

using namespace neuron;

static Result<report::Roofline> rooflineOf(const CompileResult &compiled,
                                           const std::string &target) {
  auto found = target::find(target);
  if (!found)
    return found.error();
  auto file = neff::readNeff(compiled.neff);
  if (!file)
    return file.error();
  auto program = neff::programOf(*file);
  if (!program)
    return program.error();
  auto prediction = report::predict(*program, **found);
  if (!prediction)
    return prediction.error();
  return report::Roofline{*found, compiled.works, std::move(*prediction)};
}

Result<std::string> tools::reportFile(const std::string &path, Options options,
                                      const std::vector<std::string> &targets,
                                      CompileRequest request,
                                      CompileResult &last) {
  request.works = true;
  std::vector<report::Roofline> rooflines;
  for (const std::string &target :
       targets.empty() ? std::vector<std::string>{options.target} : targets) {
    if (Status status = setOption(options, "target", target); !status)
      return status.error();
    auto compiled = compileFile(path, options, request);
    if (!compiled)
      return compiled.error();
    auto roofline = rooflineOf(*compiled, target);
    if (!roofline)
      return roofline.error();
    rooflines.push_back(std::move(*roofline));
    last = std::move(*compiled);
  }
  return report::tableOf(rooflines);
}

//===- Diagnostics.cpp ----------------------------------------------------===//
#include "compiler/pipeline/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace neuron::pipeline;

std::string neuron::pipeline::textOf(Location location) {
  if (isa<UnknownLoc>(location))
    return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  location->print(stream);
  StringRef view = text;
  if (view.consume_front("loc("))
    view.consume_back(")");
  return view.str();
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, bool withRemarks)
    : context(context) {
  handler = context->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { add(diagnostic); });
  if (!withRemarks)
    return;
  // No file: remarks come to the handler as diagnostics.
  remark::RemarkCategories every;
  every.passed = every.missed = every.analysis = every.failed = ".*";
  (void)remark::enableOptimizationRemarks(
      *context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
      every, /*printAsEmitRemarks=*/true);
}

DiagnosticCollector::~DiagnosticCollector() {
  context->getDiagEngine().eraseHandler(handler);
}

void DiagnosticCollector::add(Diagnostic &diagnostic) {
  std::string where = textOf(diagnostic.getLocation());
  std::string text = (where.empty() ? "" : where + ": ") + diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  note: " + note.str();
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    errorTexts.push_back(std::move(text));
  else
    remarkTexts.push_back(std::move(text));
}

std::string DiagnosticCollector::errors() const {
  std::string all;
  for (const std::string &text : errorTexts)
    all += (all.empty() ? "" : "\n") + text;
  return all;
}

std::vector<std::string> DiagnosticCollector::remarks() const {
  return remarkTexts;
}

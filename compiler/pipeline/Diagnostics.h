//===- Diagnostics.h - what passes said -------------------------*- C++ -*-===//
#pragma once
#include "mlir/IR/Diagnostics.h"
#include <string>
#include <vector>

namespace neuron::pipeline {

/// Collects the diagnostics and, if asked for, the remarks of a context while
/// it lives.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, bool withRemarks);
  ~DiagnosticCollector();

  bool hasErrors() const { return !errorTexts.empty(); }
  /// One a line, with location ids.
  std::string errors() const;
  std::vector<std::string> remarks() const;

private:
  void add(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext *context;
  mlir::DiagnosticEngine::HandlerID handler;
  std::vector<std::string> errorTexts, remarkTexts;
};

/// A location for people: ids, and file and line where they are known.
std::string textOf(mlir::Location location);

} // namespace neuron::pipeline

//===- ImportedModule.h - a graph in the neuron dialect ---------*- C++ -*-===//
#pragma once
#include "compiler/import/Importer.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <string>

namespace neuron::python {

/// The context comes first: the module must go before it.
struct ImportedModule {
  std::unique_ptr<mlir::MLIRContext> context =
      std::make_unique<mlir::MLIRContext>(
          mlir::MLIRContext::Threading::DISABLED);
  import::Graph graph;
  import::Imported imported;

  /// The module's text; with locations, ids "L<k>" are in it.
  std::string text(bool locations) const;
};

} // namespace neuron::python

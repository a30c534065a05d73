//===- ImporterBindings.cpp - FX graph in, neuron dialect and plan out ----===//
#include "compiler/import/AtenTable.h"
#include "mlir/Parser/Parser.h"
#include "python/bindings/CompilerBindings.h"
#include "python/bindings/FxReader.h"
#include "python/bindings/ImportedModule.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::import;
using namespace neuron::python;

std::string ImportedModule::text(bool locations) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true);
  mlir::ModuleOp(*imported.module).print(stream, flags);
  return text;
}

//===----------------------------------------------------------------------===//
// The plan: what the executor needs, as plain Python data that can be pickled
//===----------------------------------------------------------------------===//

static py::object toPython(const Argument &argument) {
  if (const bool *value = argument.as<bool>())
    return py::bool_(*value);
  if (const int64_t *value = argument.as<int64_t>())
    return py::int_(*value);
  if (const double *value = argument.as<double>())
    return py::float_(*value);
  return py::none();
}

static py::dict tensorPlan(const TensorMeta &meta) {
  py::dict plan;
  plan["dtype"] = meta.dtypeName;
  plan["shape"] = py::tuple(py::cast(meta.shape));
  plan["strides"] = py::tuple(py::cast(meta.strides));
  plan["offset"] = meta.storageOffset;
  plan["device"] = meta.device;
  return plan;
}

static constexpr const char *kOutputKinds[] = {"none", "number", "empty",
                                               "input", "result"};

static py::dict planOf(const ImportedModule &module) {
  const Imported &imported = module.imported;
  py::list placeholders, results, outputs;
  for (const Node &node : module.graph.nodes) {
    if (node.kind != Node::Kind::Placeholder)
      continue;
    py::dict plan =
        node.results.empty() ? py::dict() : tensorPlan(node.results[0]);
    plan["name"] = node.name;
    placeholders.append(plan);
  }
  for (const ResultSpec &result : imported.results) {
    py::dict plan = tensorPlan(result.meta);
    plan["name"] = result.name;
    plan["mutates"] = result.mutatedPlaceholder;
    plan["aliases"] = result.aliasedArgument;
    results.append(plan);
  }
  for (const OutputSpec &output : imported.outputs) {
    bool tensor = output.kind > OutputSpec::Kind::Number;
    py::dict plan = tensor ? tensorPlan(output.meta) : py::dict();
    plan["kind"] = kOutputKinds[static_cast<unsigned>(output.kind)];
    plan["index"] = output.index;
    plan["whole"] = output.whole;
    plan["number"] = toPython(output.number);
    outputs.append(plan);
  }
  py::dict plan;
  plan["placeholders"] = placeholders;
  plan["arguments"] = py::cast(imported.arguments);
  plan["random_keys"] = imported.randomKeys;
  plan["results"] = results;
  plan["outputs"] = outputs;
  py::list assertions;
  for (const AssertionSpec &assertion : imported.assertions)
    assertions.append(py::make_tuple(assertion.location, assertion.message));
  plan["assertions"] = assertions;
  return plan;
}

//===----------------------------------------------------------------------===//
// Importing
//===----------------------------------------------------------------------===//

static std::unique_ptr<ImportedModule> importFx(const py::object &graphModule) {
  auto module = std::make_unique<ImportedModule>();
  module->graph = readGraphModule(graphModule).graph;
  py::gil_scoped_release release;
  module->imported = importGraph(*module->context, module->graph);
  return module;
}

static std::unique_ptr<ImportedModule> parseText(const std::string &text) {
  auto module = std::make_unique<ImportedModule>();
  std::string message;
  {
    py::gil_scoped_release release;
    loadDialects(*module->context);
    mlir::ScopedDiagnosticHandler handler(
        module->context.get(), [&](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream(message)
              << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
          return llvm::success();
        });
    module->imported.module =
        mlir::parseSourceString<mlir::ModuleOp>(text, module->context.get());
  }
  if (!module->imported.module)
    throw py::value_error("not valid IR:\n" + message);
  return module;
}

static py::list unsupportedOf(const ImportedModule &module) {
  py::list list;
  for (const Unsupported &item : module.imported.unsupported)
    list.append(py::make_tuple(item.node, item.reason, item.hint));
  return list;
}

void neuron::python::bindImporter(py::module_ &m) {
  py::class_<ImportedModule>(m, "Module", "A graph in the neuron dialect.")
      .def("text", &ImportedModule::text, py::arg("locations") = false)
      .def("plan", &planOf, "Inputs, results and outputs, as plain data.")
      .def_property_readonly(
          "unsupported", &unsupportedOf,
          "(node index, reason, hint) of all that cannot be imported")
      .def_property_readonly(
          "locations",
          [](const ImportedModule &module) {
            return module.imported.locations;
          },
          "node index of each location id");
  m.def("import_fx", &importFx, py::arg("graph_module"),
        "Imports a torch.fx.GraphModule of ATen operations.");
  m.def("parse_module", &parseText, py::arg("text"));
  m.def(
      "aten_rows",
      [] {
        py::list rows;
        for (const AtenRow *row : allAtenRows())
          rows.append(
              py::make_tuple(std::string(row->target), std::string(row->op)));
        return rows;
      },
      "(ATen overload, neuron op) of every row of the table");
}

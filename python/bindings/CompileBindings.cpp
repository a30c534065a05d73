//===- CompileBindings.cpp - a module to a NEFF, by the cache -------------===//
#include "compiler/cache/BuildId.h"
#include "compiler/cache/MemoryCache.h"
#include "compiler/cache/NeffCache.h"
#include "compiler/import/GraphBytes.h"
#include "compiler/options/Options.h"
#include "compiler/pipeline/Compile.h"
#include "python/bindings/CompilerBindings.h"
#include "python/bindings/Errors.h"
#include "python/bindings/ImportedModule.h"
#include "python/bindings/Interrupt.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::python;

namespace {

struct Compiled {
  std::string key;
  std::vector<uint8_t> neff;
  bool cacheHit = false;
  bool inMemory = false; ///< the cache is that of the process
  std::vector<std::pair<std::string, std::string>> dumps;
  std::vector<std::string> remarks, warnings;
};

/// Consumes the module. The error is empty on success.
std::string runPipeline(ImportedModule &module, const Options &options,
                        bool dumps, Compiled &compiled) {
  std::string error;
  CompileRequest request;
  request.dumps = request.remarks = dumps;
  request.interrupted = isInterrupted;
  llvm::FailureOr<CompileResult> result =
      compileModule(*module.imported.module, options, error, request);
  if (llvm::failed(result))
    return error.empty()
               ? "the pipeline failed without saying why; please report it"
               : error;
  compiled.neff = std::move(result->neff);
  compiled.dumps = std::move(result->dumps);
  compiled.remarks = std::move(result->remarks);
  return "";
}

/// What is compiled: the graph that was imported, which is quicker to write
/// than the module made of it; of a parsed module its text, with the locations,
/// whose ids are in the NEFF. Neither has lines of the user's program.
std::string keyFor(const ImportedModule &module, const Options &options) {
  bool isImported = !module.graph.nodes.empty();
  return cache::keyOf({isImported ? "graph" : "text",
                       isImported ? import::bytesOf(module.graph)
                                  : module.text(/*locations=*/true),
                       optionsKey(options), cache::buildId()});
}

Compiled compile(ImportedModule &module, const Options &options, bool dumps) {
  if (!module.imported.module)
    throw py::value_error("there is no module: it was compiled already, or "
                          "could not be imported");
  Compiled compiled;
  std::string error;
  {
    py::gil_scoped_release release;
    compiled.key = keyFor(module, options);
    std::string directory = options.disable_cache || cache::buildId().empty()
                                ? ""
                                : options.cache_dir;
    cache::NeffCache cache(directory);
    cache.interrupt = isInterrupted;
    static cache::MemoryCache memory;
    compiled.inMemory = directory.empty();
    std::optional<std::vector<uint8_t>> found;
    // What is to be dumped has to be made.
    if (!dumps)
      found = compiled.inMemory ? memory.find(compiled.key)
                                : cache.findOrLock(compiled.key);
    if (cache.isInterrupted()) {
      error = "interrupted while another process compiled this graph";
    } else if (found) {
      compiled.neff = std::move(*found);
      compiled.cacheHit = true;
    } else {
      error = runPipeline(module, options, dumps, compiled);
      module.imported.module = {};
      if (error.empty() && compiled.inMemory)
        memory.store(compiled.key, compiled.neff);
      else if (error.empty())
        cache.store(compiled.key, compiled.neff);
    }
    compiled.warnings = cache.warnings();
  }
  if (PyErr_Occurred()) // Ctrl-C
    throw py::error_already_set();
  if (!error.empty())
    throwCompilationError(error);
  return compiled;
}

} // namespace

void neuron::python::bindCompile(py::module_ &m) {
  py::class_<Compiled>(m, "Compiled", "A NEFF and how it was made.")
      .def_readonly("key", &Compiled::key)
      .def_property_readonly("neff",
                             [](const Compiled &compiled) {
                               return py::bytes(reinterpret_cast<const char *>(
                                                    compiled.neff.data()),
                                                compiled.neff.size());
                             })
      .def_readonly("cache_hit", &Compiled::cacheHit)
      .def_readonly("in_memory", &Compiled::inMemory,
                    "whether the cache is that of the process")
      .def_readonly("dumps", &Compiled::dumps,
                    "(level, text) of each level, if asked for")
      .def_readonly("remarks", &Compiled::remarks)
      .def_readonly("warnings", &Compiled::warnings);
  m.def("compile", &compile, py::arg("module"), py::arg("options"),
        py::arg("dumps") = false,
        "Compiles an imported module, or takes its NEFF from the cache. The "
        "module is consumed.");
  m.def("cache_key", &keyFor, py::arg("module"), py::arg("options"));
  m.def("build_id", &cache::buildId, "Which build of the compiler this is.");
}

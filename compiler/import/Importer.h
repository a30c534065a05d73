//===- Importer.h - from an ATen graph to the neuron dialect ----*- C++ -*-===//
//
//   func.func @main(%arg0: tensor<4x512xbf16> {neuron.name = "primals_1",
//   neuron.strides = array<i64: 512, 1>})
//       -> (tensor<4x512xbf16> {neuron.name = "output0", neuron.strides =
//       array<i64: 512, 1>})
//
// Arguments are the tensors that the graph reads and that have elements. What
// needs no computation never reaches the function: outputs that are inputs or
// views of them, numbers, None and tensors of no elements are described by
// OutputSpec for the executor.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace neuron::import {

/// How the executor makes one output of the graph.
struct OutputSpec {
  enum class Kind : uint8_t {
    None,   ///< Python's None
    Number, ///< `number`
    Empty,  ///< a new tensor of no elements
    Input,  ///< a view of placeholder `index`
    Result, ///< a view of result `index` of the function
  };
  Kind kind = Kind::None;
  Argument number;
  unsigned index = 0;
  bool whole = false; ///< Input, Result: the tensor itself, not a view
  TensorMeta meta;    ///< storageOffset is relative to the viewed tensor
};

/// One result of the function.
struct ResultSpec {
  std::string name;
  TensorMeta meta;
  int mutatedPlaceholder = -1; ///< the result is the new value of this input
  int aliasedArgument = -1; ///< and it is written into this argument's memory
};

/// An input whose memory takes a result has this behind its name in the NEFF;
/// the result has the name alone.
inline constexpr char kAliasSuffix[] = ".must_alias_input";

/// One bool of the last result, which the executor checks.
struct AssertionSpec {
  unsigned location; ///< its location id is "L<location>"
  std::string message;
};

struct Unsupported {
  unsigned node; ///< index in the graph
  std::string reason, hint;
};

struct Imported {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<unsigned> arguments; ///< placeholder (by position among
                                   ///< placeholders) of each function argument
  /// Keys of random numbers, drawn anew for every execution: an argument of as
  /// many i64, which counts as a placeholder behind the last one.
  unsigned randomKeys = 0;
  std::vector<ResultSpec> results;
  std::vector<OutputSpec> outputs;
  std::vector<AssertionSpec> assertions; ///< if any, the last of `results` is
                                         ///< theirs, and no output
  std::vector<unsigned> locations;       ///< node of each location id "L<k>"
  std::vector<Unsupported> unsupported;  ///< if not empty there is no module
};

/// Imports the graph, or says everything in it that cannot be imported.
Imported importGraph(mlir::MLIRContext &context, const Graph &graph);

/// Loads what importGraph needs into a context.
void loadDialects(mlir::MLIRContext &context);

} // namespace neuron::import

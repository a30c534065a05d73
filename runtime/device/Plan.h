//===- Plan.h - how a program is bound to tensors ---------------*- C++ -*-===//
//
// What the importer says of a graph, as LibTorch wants it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Importer.h"
#include <c10/core/ScalarType.h>
#include <string>
#include <vector>

namespace neuron::device {

struct TensorSpec {
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0; ///< in elements, from the base's first
  size_t bytes = 0;   ///< from the first to the last element
};

struct PlanInput : TensorSpec {
  std::string name;
  bool isTensor = false;
};

struct PlanResult : TensorSpec {
  std::string name;
  int mutatedInput = -1;
  int aliasedArgument = -1; ///< whose memory it is written into
};

struct PlanOutput : TensorSpec {
  import::OutputSpec::Kind kind = import::OutputSpec::Kind::None;
  unsigned index = 0;
  bool whole = false;
  bool isComplex = false; ///< the real tensor is the memory of complex numbers
  bool isConjugate = false; ///< of which it holds the conjugate
};

struct Plan {
  std::vector<PlanInput> inputs;   ///< the caller's
  std::vector<unsigned> arguments; ///< input of each argument of the NEFF;
                                   ///< inputs.size() means the random keys
  std::vector<std::string> argumentNames;
  unsigned randomKeys = 0;
  std::vector<PlanResult> results;
  std::vector<PlanOutput> outputs;
  std::vector<std::string> assertions; ///< messages for the last result's bools

  static Plan of(const import::Graph &graph, const import::Imported &imported);
  /// Fills in argumentNames from the rest.
  void nameArguments();
  /// Of an argument of the NEFF.
  size_t argumentBytes(size_t position) const {
    unsigned index = arguments[position];
    return index < inputs.size() ? inputs[index].bytes
                                 : randomKeys * sizeof(int64_t);
  }
};

} // namespace neuron::device

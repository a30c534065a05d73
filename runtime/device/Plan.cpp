//===- Plan.cpp - how a program is bound to tensors -----------------------===//
#include "runtime/device/Plan.h"
#include "runtime/device/TorchTypes.h"
#include "runtime/device/Transfer.h"

using namespace neuron;
using namespace neuron::device;

static void fill(TensorSpec &spec, const import::TensorMeta &meta) {
  spec.dtype = scalarTypeOf(*meta.dtype);
  spec.shape = meta.shape;
  spec.strides = meta.strides;
  spec.offset = meta.storageOffset;
  spec.bytes =
      spanBytes(spec.shape, spec.strides, program::bytesOf(*meta.dtype));
}

void Plan::nameArguments() {
  argumentNames.clear();
  for (unsigned index : arguments)
    argumentNames.push_back(index < inputs.size() ? inputs[index].name
                                                  : "random_keys");
  for (const PlanResult &result : results)
    if (result.aliasedArgument >= 0)
      argumentNames.at(result.aliasedArgument) += import::kAliasSuffix;
}

Plan Plan::of(const import::Graph &graph, const import::Imported &imported) {
  Plan plan;
  for (const import::Node &node : graph.nodes) {
    if (node.kind != import::Node::Kind::Placeholder)
      continue;
    PlanInput input;
    input.name = node.name;
    if (!node.results.empty() && node.results[0].dtype) {
      fill(input, node.results[0]);
      input.isTensor = true;
    }
    plan.inputs.push_back(std::move(input));
  }
  plan.arguments = imported.arguments;
  plan.randomKeys = imported.randomKeys;
  for (const import::ResultSpec &spec : imported.results) {
    PlanResult result;
    fill(result, spec.meta);
    result.name = spec.name;
    result.mutatedInput = spec.mutatedPlaceholder;
    result.aliasedArgument = spec.aliasedArgument;
    plan.results.push_back(std::move(result));
  }
  for (const import::OutputSpec &spec : imported.outputs) {
    PlanOutput output;
    output.kind = spec.kind;
    output.index = spec.index;
    output.whole = spec.whole;
    if (spec.kind > import::OutputSpec::Kind::Number)
      fill(output, spec.meta);
    plan.outputs.push_back(std::move(output));
  }
  for (auto [index, isConjugate] : graph.complexOutputs) {
    plan.outputs.at(index).isComplex = true;
    plan.outputs.at(index).isConjugate = isConjugate;
  }
  for (const import::AssertionSpec &assertion : imported.assertions)
    plan.assertions.push_back(assertion.message);
  plan.nameArguments();
  return plan;
}

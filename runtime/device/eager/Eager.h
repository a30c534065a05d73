//===- Eager.h - one operation at a time ------------------------*- C++ -*-===//
//
// An operation on tensors of the device is compiled like a graph of one node,
// and kept by its signature. What the compiler cannot do goes to the CPU and
// back, visibly.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/import/Graph.h"
#include <ATen/core/TensorBody.h>
#include <ATen/core/stack.h>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace neuron::device {

/// target.copy_(source) on one device: dtypes and strides may differ.
void eagerCopy(const at::Tensor &source, const at::Tensor &target);

/// Takes an operation without a row of its own apart, into ones that have: its
/// graph, with one placeholder for each tensor among the arguments, or why not.
using Tracer = std::function<std::variant<import::Graph, std::string>(
    const c10::OperatorHandle &, const torch::jit::Stack &)>;
void setTracer(Tracer tracer);
/// Whether an exception is Python's NotImplementedError: some of PyTorch's
/// rules for shapes are written in Python.
void setUnimplementedCheck(bool (*check)(const std::exception &));

/// Counts an operation that the CPU did, and warns of it once; throws if the
/// environment says that it must not happen (NEURON_FALLBACK_ENABLED=0).
void noteFallback(const std::string &op, const std::string &why);

/// Operations since the last clearing, by name.
struct Executed {
  std::set<std::string> onDevice, onCpu;
};
Executed executed();
void clearExecuted();

struct EagerStatistics {
  uint64_t hits = 0, misses = 0, traced = 0, fallbacks = 0;
};
EagerStatistics eagerStatistics();

} // namespace neuron::device

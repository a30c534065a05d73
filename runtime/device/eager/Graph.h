//===- Graph.h - one operation as a graph -----------------------*- C++ -*-===//
#pragma once
#include "compiler/import/Graph.h"
#include "runtime/device/eager/Operation.h"
#include <ATen/core/stack.h>

namespace neuron::device {

/// What PyTorch says of the results of a call, without computing them; nothing
/// if it has no rule for that. Throws what PyTorch throws at wrong arguments.
std::optional<std::vector<c10::IValue>>
metaResults(const c10::OperatorHandle &op,
            c10::ArrayRef<c10::IValue> arguments);

/// The graph of a call: a placeholder for each tensor among the arguments (one
/// for tensors that are the same memory), the operation, copies of the written
/// arguments, and its new results. The reason if there is none.
std::variant<import::Graph, std::string>
graphOf(const Operation &operation, c10::ArrayRef<c10::IValue> arguments);

/// The graph of target.copy_(source).
import::Graph copyGraph(const at::Tensor &source, const at::Tensor &target);

import::TensorMeta metaOf(const at::Tensor &tensor);

} // namespace neuron::device

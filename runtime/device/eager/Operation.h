//===- Operation.h - an ATen overload without its side effects --*- C++ -*-===//
//
// aten::add_.Tensor and aten::add.out are aten::add.Tensor and a copy of its
// result into an argument: that is what a graph can hold. Found once for each
// overload, from the schemas.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <optional>
#include <string>
#include <vector>

namespace neuron::device {

struct Operation {
  c10::OperatorHandle op;
  const char *name = nullptr;      ///< "aten::add_"; lives for ever
  std::vector<unsigned> written{}; ///< arguments that are written, in order
  /// The overload without side effects: its arguments are those of `op` without
  /// `dropped`; its results are what `op` returns anew and then the values of
  /// `written`.
  std::optional<c10::OperatorHandle> functional{};
  std::string target{}; ///< "aten.add.Tensor" of `functional`
  std::vector<bool> dropped{};
  /// For each result of `op`: the position in `written`, or -1 if it is new.
  std::vector<int> returns{};
  /// All results are tensors, or one list of tensors.
  bool returnsTensors = false, returnsList = false;
  /// Some result is a view of an argument.
  bool isView = false;

  unsigned fresh() const { ///< results that are new
    unsigned count = 0;
    for (int written : returns)
      count += written < 0;
    return count;
  }
};

/// Kept for ever.
const Operation &operationOf(const c10::OperatorHandle &op);

/// Whether a type is of a kind, or an optional of it.
bool isOfKind(const c10::Type &type, c10::TypeKind kind);

/// "aten.add.Tensor"
std::string targetOf(const c10::OperatorHandle &op);

} // namespace neuron::device

//===- Graph.h - an ATen graph as plain data --------------------*- C++ -*-===//
//
// What the importer reads: an FX graph of ATen overloads, with every argument
// in the order of the overload's schema and its defaults filled in. Neither
// Python nor LibTorch is needed here; python/bindings/FxReader makes it from a
// torch.fx.Graph.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/DType.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace neuron::import {

using program::DType;

/// The tensor that PyTorch promises for a node (its meta['val']).
struct TensorMeta {
  std::optional<DType> dtype; ///< absent: a dtype that the device does not have
  std::string dtypeName;      ///< for messages: "complex64"
  std::string device;         ///< "cpu"
  std::vector<int64_t> shape, strides;
  int64_t storageOffset = 0;
  bool dynamic =
      false; ///< some size is not known; shape and strides are then empty

  int64_t numel() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
};

struct Argument;
using ArgumentList = std::vector<Argument>;

struct None {};
/// Index of a node of the graph; a node with several results is taken apart by
/// getitem nodes.
struct NodeRef {
  unsigned index;
};
/// A dtype argument; absent if the device does not have it.
struct DTypeArgument {
  std::optional<DType> dtype;
  std::string name;
};

struct Argument {
  std::variant<None, bool, int64_t, double, std::string, DTypeArgument, NodeRef,
               ArgumentList>
      value;

  template <typename T> const T *as() const { return std::get_if<T>(&value); }
  bool isNone() const { return as<None>(); }
  bool isNumber() const { return as<bool>() || as<int64_t>() || as<double>(); }
};

struct Node {
  enum class Kind : uint8_t { Placeholder, Constant, Call, GetItem, Output };
  Kind kind = Kind::Call;
  std::string name;   ///< "mul_1"
  std::string target; ///< "aten.mul.Tensor" for a Call
  ArgumentList args;  ///< Call: as in the schema. GetItem: {NodeRef, index}.
                      ///< Output: what is returned.
  std::vector<TensorMeta> results;
  bool hasValue = true; ///< false for nodes whose meta['val'] holds no tensor
                        ///< (results is then empty)
  std::vector<uint8_t> data; ///< Constant: its elements in row-major order
  bool unknownSchema =
      false; ///< Call of something that is no registered operator
};

struct Graph {
  std::vector<Node> nodes;
  /// Outputs that are complex numbers, which the graph has as real tensors with
  /// a last dimension of 2; and of each whether it holds the conjugate.
  std::vector<std::pair<unsigned, bool>> complexOutputs;
};

} // namespace neuron::import

//===- NodeBuilder.h - what a table row sees of its node --------*- C++ -*-===//
#pragma once
#include "compiler/import/AtenTable.h"
#include "compiler/import/Emitter.h"
#include "compiler/import/Graph.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <functional>

namespace neuron::import {

/// Access to the arguments of one call, and the place for its results. A wrong
/// access does not stop the builder: it is recorded as the node's failure and a
/// harmless value is returned.
class NodeBuilder {
public:
  using Lookup = std::function<mlir::Value(NodeRef)>;

  using Keys = std::function<mlir::Value()>;

  NodeBuilder(const Graph &graph, const Node &node, const AtenRow &row,
              Emitter &emitter, Lookup lookup, Keys keys)
      : e(emitter), row(row), node(node), graph(graph),
        lookup(std::move(lookup)), keys(std::move(keys)),
        values(node.results.size()) {}

  Emitter &e;
  const AtenRow &row;
  const Node &node;

  bool has(RowFlag flag) const { return row.flags & flag; }

  // Arguments, in the order of the schema
  unsigned numArgs() const { return node.args.size(); }
  const Argument &arg(unsigned index) const;
  bool isNone(unsigned index) const { return arg(index).isNone(); }
  bool isTensor(unsigned index) const { return arg(index).as<NodeRef>(); }
  bool isNumber(unsigned index) const { return arg(index).isNumber(); }
  mlir::Value tensor(unsigned index);
  /// How PyTorch says that a tensor lies in memory; null if it does not.
  const TensorMeta *meta(unsigned index) const;
  /// A list of tensors.
  llvm::SmallVector<mlir::Value> tensors(unsigned index);
  /// A tensor in a list of them.
  mlir::Value tensorOf(const Argument &item);
  Number number(unsigned index);
  double real(unsigned index);
  int64_t integer(unsigned index);
  bool flag(unsigned index);
  llvm::StringRef string(unsigned index);
  llvm::SmallVector<int64_t> ints(unsigned index);
  std::optional<DType> dtype(unsigned index);

  /// A tensor cast to `dtype`, or a number as a constant of it.
  mlir::Value operand(unsigned index, DType dtype);
  /// torch.result_type of the given arguments.
  DType promoted(std::initializer_list<unsigned> indices);

  /// A key of its own for random numbers; rows of kRandom have two at most.
  mlir::Value key() { return keys(); }

  // Dimensions
  /// A dim of `value` made non-negative.
  int64_t dim(int64_t index, mlir::Value value);
  /// An argument of dims: int, list or None; none or empty means all. Sorted.
  llvm::SmallVector<int64_t> dims(unsigned index, mlir::Value value,
                                  bool emptyMeansAll = true);

  // Results
  DType resultDType(unsigned index = 0) const;
  llvm::ArrayRef<int64_t> resultShape(unsigned index = 0) const;
  void result(mlir::Value value) { result(0, value); }
  void result(unsigned index, mlir::Value value);
  llvm::ArrayRef<mlir::Value> results() const { return values; }

  /// Records why the call cannot be imported (the first reason stays).
  void fail(const llvm::Twine &reason);
  const std::string &failure() const { return reason; }

private:
  const Graph &graph;
  Lookup lookup;
  Keys keys;
  llvm::SmallVector<mlir::Value> values;
  std::string reason;
};

} // namespace neuron::import

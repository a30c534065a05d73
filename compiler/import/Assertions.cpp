//===- Assertions.cpp - what a graph asserts while it runs ----------------===//
#include "compiler/import/Assertions.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

using Taken = Assertions::Taken;
using Lookup = llvm::function_ref<Value(NodeRef)>;

namespace {

/// Where the condition and the message stand among the arguments.
struct AssertionForm {
  StringRef target;
  int message; ///< -1: there is none
};
const AssertionForm kAssertions[] = {
    {"aten._assert_scalar.default", 1},
    {"aten._assert_async.default", -1},
    {"aten._assert_async.msg", 1},
    {"aten._functional_assert_async.msg", 1},
};

/// Python's operators on elements of tensors. There is no arithmetic: its
/// numbers have no bounds.
struct ScalarForm {
  StringRef target, op;
};
const ScalarForm kScalarForms[] = {
    {"eq", "eq"},
    {"ne", "ne"},
    {"lt", "lt"},
    {"le", "le"},
    {"gt", "gt"},
    {"ge", "ge"},
    {"and_", "logical_and"},
    {"or_", "logical_or"},
    {"sym_not", "logical_not"},
};

/// Python's number for an element of a tensor.
DType scalarDType(DType dtype) {
  return isFloating(dtype) ? DType::F64
         : isBool(dtype)   ? DType::Bool
                           : DType::I64;
}

bool isExactDouble(int64_t number) {
  constexpr int64_t kBound = int64_t(1) << 53;
  return -kBound <= number && number <= kBound;
}

} // namespace

Taken Assertions::take(unsigned index, Lookup lookup) {
  failure.clear();
  const Node &node = graph.nodes[index];
  for (const AssertionForm &form : kAssertions)
    if (form.target == node.target)
      return takeAssertion(index, form.message, lookup);
  if (node.target == "aten._local_scalar_dense.default")
    return takeElement(index, lookup);
  if (!node.unknownSchema)
    return Taken::No;
  for (const ScalarForm &form : kScalarForms)
    if (form.target == node.target)
      return takeComparison(index, form.op);
  return Taken::No;
}

Taken Assertions::takeAssertion(unsigned index, int messageAt, Lookup lookup) {
  const Node &node = graph.nodes[index];
  const Argument &condition = node.args[0];
  Value holds;
  if (const NodeRef *ref = condition.as<NodeRef>()) {
    holds = scalars.lookup(ref->index);
    if (!holds)
      holds = lookup(*ref);
    if (!holds)
      return Taken::Failed;
    if (llvm::product_of(Emitter::shapeOf(holds)) != 1)
      return failed(
          "an assertion of a tensor of more or less than one element");
  } else if (const bool *known = condition.as<bool>()) {
    holds = *known ? Value() : e.constant(DType::Bool, false);
  } else if (const int64_t *number = condition.as<int64_t>()) {
    holds = *number ? Value() : e.constant(DType::Bool, false);
  } else {
    return failed("an assertion of what is neither a tensor nor known at "
                  "compile time");
  }
  if (!holds)
    return Taken::Yes;
  std::string message;
  if (messageAt >= 0)
    if (const std::string *text = node.args[messageAt].as<std::string>())
      message = *text;
  if (message.empty())
    message = "Expected Tensor with single nonzero value, but got zero";
  assertions.push_back(
      {index, message, e.reshape(e.cast(holds, DType::Bool), {1})});
  return Taken::Yes;
}

Taken Assertions::takeElement(unsigned index, Lookup lookup) {
  const NodeRef *ref = graph.nodes[index].args[0].as<NodeRef>();
  Value value = ref ? lookup(*ref) : Value();
  if (!value)
    return Taken::Failed;
  DType dtype = dtypeOf(value.getType());
  if (dtype == DType::U64)
    return failed("an element of a tensor of uint64");
  scalars[index] = e.cast(e.reshape(value, {}), scalarDType(dtype));
  return Taken::Yes;
}

Taken Assertions::takeComparison(unsigned index, StringRef op) {
  const Node &node = graph.nodes[index];
  SmallVector<Value> operands;
  std::optional<DType> dtype;
  for (const Argument &argument : node.args)
    if (const NodeRef *ref = argument.as<NodeRef>()) {
      Value value = scalars.lookup(ref->index);
      if (!value)
        return Taken::No;
      DType own = dtypeOf(value.getType());
      if (dtype && *dtype != own)
        return failed("a comparison of elements of different kinds");
      dtype = own;
    }
  if (!dtype)
    return Taken::No;
  for (const Argument &argument : node.args) {
    const int64_t *integer = argument.as<int64_t>();
    const double *real = argument.as<double>();
    const bool *flag = argument.as<bool>();
    if (const NodeRef *ref = argument.as<NodeRef>())
      operands.push_back(scalars.lookup(ref->index));
    else if (integer && (*dtype == DType::I64 ||
                         (*dtype == DType::F64 && isExactDouble(*integer))))
      operands.push_back(e.constant(*dtype, *integer));
    else if (real && *dtype == DType::F64)
      operands.push_back(e.constant(*dtype, *real));
    else if (flag && *dtype == DType::Bool)
      operands.push_back(e.constant(*dtype, *flag));
    else
      return failed("an element of a tensor is compared with a number of "
                    "another kind");
  }
  if (operands.size() != (op == "logical_not" ? 1 : 2))
    return failed("operands that are no elements of tensors");
  bool isLogical = op.starts_with("logical_");
  if (isLogical && *dtype != DType::Bool)
    return failed("bits of an element of a tensor");
  scalars[index] = operands.size() == 1
                       ? e.test(op, operands[0])
                       : e.compare(op, operands[0], operands[1]);
  return Taken::Yes;
}

Value Assertions::result() {
  SmallVector<Value> parts;
  for (const Assertion &assertion : assertions)
    parts.push_back(assertion.holds);
  if (parts.empty())
    return {};
  return parts.size() == 1 ? parts.front() : e.concat(parts, 0);
}

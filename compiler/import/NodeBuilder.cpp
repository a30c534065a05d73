//===- NodeBuilder.cpp - what a table row sees of its node ----------------===//
#include "compiler/import/NodeBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

void NodeBuilder::fail(const Twine &text) {
  if (reason.empty())
    reason = text.str();
}

const Argument &NodeBuilder::arg(unsigned index) const {
  static const Argument none{None{}};
  return index < node.args.size() ? node.args[index] : none;
}

Value NodeBuilder::tensorOf(const Argument &item) {
  if (const NodeRef *ref = item.as<NodeRef>())
    if (Value value = lookup(*ref))
      return value;
  fail("a list holds what is no tensor");
  return e.constant(DType::F32, 0.0);
}

Value NodeBuilder::tensor(unsigned index) {
  if (const NodeRef *ref = arg(index).as<NodeRef>())
    if (Value value = lookup(*ref))
      return value;
  fail("argument " + Twine(index) + " is not a tensor");
  return e.constant(DType::F32, 0.0);
}

const TensorMeta *NodeBuilder::meta(unsigned index) const {
  const NodeRef *ref = arg(index).as<NodeRef>();
  if (!ref || graph.nodes[ref->index].results.empty())
    return nullptr;
  return &graph.nodes[ref->index].results[0];
}

SmallVector<Value> NodeBuilder::tensors(unsigned index) {
  SmallVector<Value> list;
  const ArgumentList *items = arg(index).as<ArgumentList>();
  if (!items)
    fail("argument " + Twine(index) + " is not a list of tensors");
  for (const Argument &item : items ? *items : ArgumentList()) {
    const NodeRef *ref = item.as<NodeRef>();
    if (Value value = ref ? lookup(*ref) : Value())
      list.push_back(value);
    else
      fail("argument " + Twine(index) + " holds something that is no tensor");
  }
  return list;
}

Number NodeBuilder::number(unsigned index) {
  const Argument &argument = arg(index);
  if (const bool *value = argument.as<bool>())
    return *value;
  if (const int64_t *value = argument.as<int64_t>())
    return *value;
  if (const double *value = argument.as<double>())
    return *value;
  fail("argument " + Twine(index) + " is not a number known at compile time");
  return int64_t(0);
}

double NodeBuilder::real(unsigned index) {
  return std::visit([](auto value) { return static_cast<double>(value); },
                    number(index));
}

int64_t NodeBuilder::integer(unsigned index) {
  Number value = number(index);
  if (std::holds_alternative<double>(value))
    fail("argument " + Twine(index) + " is not an integer");
  return std::visit([](auto v) { return static_cast<int64_t>(v); }, value);
}

bool NodeBuilder::flag(unsigned index) {
  return std::visit([](auto v) { return v != 0; }, number(index));
}

StringRef NodeBuilder::string(unsigned index) {
  if (const std::string *text = arg(index).as<std::string>())
    return *text;
  fail("argument " + Twine(index) + " is not a string");
  return "";
}

SmallVector<int64_t> NodeBuilder::ints(unsigned index) {
  SmallVector<int64_t> list;
  const Argument &argument = arg(index);
  if (const int64_t *single = argument.as<int64_t>())
    return {*single};
  const ArgumentList *items = argument.as<ArgumentList>();
  if (!items) {
    fail("argument " + Twine(index) + " is not a list of integers");
    return list;
  }
  for (const Argument &item : *items) {
    const int64_t *value = item.as<int64_t>();
    if (!value)
      fail("argument " + Twine(index) +
           " holds a size that is not known at compile time");
    list.push_back(value ? *value : 1);
  }
  return list;
}

std::optional<DType> NodeBuilder::dtype(unsigned index) {
  if (isNone(index))
    return std::nullopt;
  const DTypeArgument *argument = arg(index).as<DTypeArgument>();
  if (!argument || !argument->dtype)
    fail("dtype " + (argument ? argument->name : std::string("argument")) +
         " is not supported");
  return argument ? argument->dtype : std::nullopt;
}

Value NodeBuilder::operand(unsigned index, DType dtype) {
  if (isNumber(index))
    return e.constant(dtype, number(index));
  return e.cast(tensor(index), dtype);
}

DType NodeBuilder::promoted(std::initializer_list<unsigned> indices) {
  Promotion promotion;
  for (unsigned index : indices) {
    if (isNumber(index)) {
      const Argument &argument = arg(index);
      promotion.addNumber(argument.as<bool>()      ? DType::Bool
                          : argument.as<int64_t>() ? DType::I64
                                                   : DType::F32);
    } else {
      Value value = tensor(index);
      promotion.addTensor(dtypeOf(value.getType()),
                          Emitter::rankOf(value) == 0);
    }
  }
  return promotion.result();
}

int64_t NodeBuilder::dim(int64_t index, Value value) {
  int64_t rank = std::max<int64_t>(Emitter::rankOf(value), 1);
  int64_t positive = index < 0 ? index + rank : index;
  if (positive < 0 || positive >= rank) {
    fail("dimension " + Twine(index) +
         " is out of range for a tensor of rank " +
         Twine(Emitter::rankOf(value)));
    return 0;
  }
  return positive;
}

SmallVector<int64_t> NodeBuilder::dims(unsigned index, Value value,
                                       bool emptyMeansAll) {
  SmallVector<int64_t> list;
  if (!isNone(index))
    for (int64_t item : ints(index))
      list.push_back(dim(item, value));
  if (list.empty() && emptyMeansAll)
    llvm::append_range(
        list,
        llvm::seq<int64_t>(0, std::max<int64_t>(Emitter::rankOf(value), 1)));
  llvm::sort(list);
  list.erase(llvm::unique(list), list.end());
  return list;
}

DType NodeBuilder::resultDType(unsigned index) const {
  return index < node.results.size() && node.results[index].dtype
             ? *node.results[index].dtype
             : DType::F32;
}

ArrayRef<int64_t> NodeBuilder::resultShape(unsigned index) const {
  return index < node.results.size()
             ? ArrayRef<int64_t>(node.results[index].shape)
             : ArrayRef<int64_t>();
}

void NodeBuilder::result(unsigned index, Value value) {
  if (index >= values.size())
    return fail("builds more results than PyTorch gives it");
  values[index] = value;
}

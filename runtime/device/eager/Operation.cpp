//===- Operation.cpp - an ATen overload without its side effects ----------===//
#include "runtime/device/eager/Operation.h"
#include <mutex>
#include <unordered_map>

using namespace neuron;
using namespace neuron::device;
using c10::Argument;
using c10::FunctionSchema;

static bool isWritten(const Argument &argument) {
  return argument.alias_info() && argument.alias_info()->isWrite();
}

bool device::isOfKind(const c10::Type &type, c10::TypeKind kind) {
  if (type.kind() == c10::TypeKind::OptionalType)
    return isOfKind(*type.castRaw<c10::OptionalType>()->getElementType(), kind);
  return type.kind() == kind;
}

std::string device::targetOf(const c10::OperatorHandle &op) {
  const FunctionSchema &schema = op.schema();
  std::string name = schema.name();
  if (size_t colons = name.find("::"); colons != std::string::npos)
    name.replace(colons, 2, ".");
  return name + "." +
         (schema.overload_name().empty() ? "default" : schema.overload_name());
}

namespace {

/// All overloads by name.
const std::vector<c10::OperatorName> &overloadsOf(const std::string &name) {
  static auto *byName = [] {
    auto *map =
        new std::unordered_map<std::string, std::vector<c10::OperatorName>>;
    for (const c10::OperatorName &op :
         c10::Dispatcher::singleton().getAllOpNames())
      (*map)[op.name].push_back(op);
    return map;
  }();
  static const std::vector<c10::OperatorName> none;
  auto found = byName->find(name);
  return found == byName->end() ? none : found->second;
}

bool isTensorList(const c10::Type &type) {
  return type.kind() == c10::TypeKind::ListType &&
         type.castRaw<c10::ListType>()->getElementType()->kind() ==
             c10::TypeKind::TensorType;
}

/// Whether `candidate` takes what `schema` takes, but for arguments that
/// `dropped` then has, and gives back what is written.
bool serves(const FunctionSchema &candidate, const FunctionSchema &schema,
            size_t results, std::vector<bool> &dropped) {
  if (candidate.is_mutable() || candidate.returns().size() != results)
    return false;
  for (const Argument &result : candidate.returns())
    if (result.alias_info())
      return false;
  dropped.assign(schema.arguments().size(), false);
  size_t next = 0;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const Argument &argument = schema.arguments()[i];
    const Argument *wanted = next < candidate.arguments().size()
                                 ? &candidate.arguments()[next]
                                 : nullptr;
    if (wanted && wanted->name() == argument.name() &&
        *wanted->type() == *argument.type()) {
      ++next;
      continue;
    }
    // Only what is written and not read can be left out.
    if (!isWritten(argument) || !argument.kwarg_only())
      return false;
    dropped[i] = true;
  }
  return next == candidate.arguments().size();
}

void findFunctional(Operation &operation) {
  const FunctionSchema &schema = operation.op.schema();
  std::vector<std::string> names = {schema.name()};
  if (schema.name().ends_with("_") && !schema.name().ends_with("__"))
    names.push_back(schema.name().substr(0, schema.name().size() - 1));
  size_t plain = names.size();
  for (size_t i = 0; i < plain; ++i)
    names.push_back(names[i] + "_functional");
  for (const std::string &name : names)
    for (const c10::OperatorName &overload : overloadsOf(name)) {
      auto found = c10::Dispatcher::singleton().findOp(overload);
      if (!found || !found->hasSchema())
        continue;
      std::vector<bool> dropped;
      if (!serves(found->schema(), schema,
                  operation.fresh() + operation.written.size(), dropped))
        continue;
      operation.functional = *found;
      operation.dropped = std::move(dropped);
      operation.target = targetOf(*found);
      return;
    }
}

Operation makeOperation(const c10::OperatorHandle &op) {
  const FunctionSchema &schema = op.schema();
  Operation operation{op};
  operation.name = (new std::string(schema.name()))->c_str();
  for (size_t i = 0; i < schema.arguments().size(); ++i)
    if (isWritten(schema.arguments()[i]))
      operation.written.push_back(i);
  bool tensors = true;
  size_t nextWritten = 0;
  for (const Argument &result : schema.returns()) {
    tensors &= result.type()->kind() == c10::TypeKind::TensorType;
    bool written = isWritten(result);
    operation.isView |= result.alias_info() && !written;
    operation.returns.push_back(written ? int(nextWritten++) : -1);
  }
  operation.returnsTensors = tensors;
  operation.returnsList =
      schema.returns().size() == 1 && isTensorList(*schema.returns()[0].type());
  if (operation.written.empty()) {
    operation.functional = op;
    operation.dropped.assign(schema.arguments().size(), false);
    operation.target = targetOf(op);
  } else if (tensors) {
    findFunctional(operation);
  }
  return operation;
}

} // namespace

const Operation &device::operationOf(const c10::OperatorHandle &op) {
  static auto *known = new std::unordered_map<c10::OperatorHandle, Operation *>;
  static auto *mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  Operation *&operation = (*known)[op];
  if (!operation)
    operation = new Operation(makeOperation(op));
  return *operation;
}

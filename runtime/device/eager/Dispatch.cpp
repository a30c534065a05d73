//===- Dispatch.cpp - one operation at a time -----------------------------===//
#include "runtime/device/eager/Dispatch.h"
#include "compiler/import/AtenTable.h"
#include "runtime/device/Factory.h"
#include "runtime/device/Generator.h"
#include "runtime/device/Register.h"
#include "runtime/device/Transfer.h"
#include "runtime/device/eager/Compile.h"
#include "runtime/device/eager/Fallback.h"
#include "runtime/device/eager/Graph.h"
#include "runtime/device/eager/Signature.h"
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>
#include <list>
#include <set>
#include <torch/library.h>
#include <unordered_map>

using namespace neuron;
using namespace neuron::device;

namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// What to do for a signature: a program, or the CPU, and why.
struct Entry {
  std::optional<Program> program;
  std::string why;
};

/// The least recently used programs go first.
class Cache {
public:
  std::shared_ptr<const Entry> find(const Signature &signature) {
    std::lock_guard lock(mutex);
    auto found = bySignature.find(signature);
    if (found == bySignature.end())
      return nullptr;
    order.splice(order.begin(), order, found->second.second);
    return found->second.first;
  }
  void add(const Signature &signature, std::shared_ptr<const Entry> entry) {
    std::lock_guard lock(mutex);
    if (bySignature.contains(signature))
      return;
    order.push_front(signature);
    bySignature.emplace(signature, std::pair(std::move(entry), order.begin()));
    if (order.size() > kMost) {
      bySignature.erase(order.back());
      order.pop_back();
    }
  }

private:
  static constexpr size_t kMost = 8192;
  std::mutex mutex;
  std::list<Signature> order;
  std::unordered_map<
      Signature,
      std::pair<std::shared_ptr<const Entry>, std::list<Signature>::iterator>,
      SignatureHash>
      bySignature;
};

Cache &cache() {
  static Cache *cache = new Cache;
  return *cache;
}

Tracer tracer;
std::atomic<uint64_t> hits, misses, traced, fallbacks;

Entry compileEntry(std::variant<import::Graph, std::string> graph,
                   c10::DeviceIndex device) {
  if (auto *why = std::get_if<std::string>(&graph))
    return {std::nullopt, *why};
  auto compiled = compileGraph(std::get<import::Graph>(graph), device);
  if (auto *why = std::get_if<std::string>(&compiled))
    return {std::nullopt, *why};
  return {std::move(std::get<Program>(compiled)), ""};
}

Entry makeEntry(const Operation &operation, const torch::jit::Stack &arguments,
                c10::DeviceIndex device) {
  if (!operation.returnsTensors && !operation.returnsList)
    return {std::nullopt, "it returns more than tensors"};
  if (operation.functional && import::findAtenRow(operation.target)) {
    Entry entry = compileEntry(graphOf(operation, arguments), device);
    if (entry.program)
      return entry;
  }
  if (!tracer)
    return {std::nullopt, "it has no lowering of its own"};
  traced++;
  return compileEntry(tracer(operation.op, arguments), device);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool isNumber(const at::Tensor &tensor) {
  return tensor.device().is_cpu() && tensor.dim() == 0;
}

/// The device of a call; that of its tensors, or the one that it names.
c10::DeviceIndex deviceOf(c10::ArrayRef<c10::IValue> arguments) {
  std::optional<c10::Device> device;
  forEachTensor(arguments, [&](const at::Tensor &tensor) {
    if (isNumber(tensor))
      return;
    TORCH_CHECK(!device || *device == tensor.device(),
                "Expected all tensors to be on the same device, but found at "
                "least two devices, ",
                *device, " and ", tensor.device(), "!");
    device = tensor.device();
  });
  if (!device)
    for (const c10::IValue &argument : arguments)
      if (argument.isDevice() && argument.toDevice().type() == kNeuron)
        device = argument.toDevice();
  TORCH_CHECK(!device || device->type() == kNeuron,
              "Expected all tensors to be on the same device, but found at "
              "least two devices, ",
              device->str(), " and neuron!");
  return resolve(device.value_or(c10::Device(kNeuron)));
}

/// A number from the host, as a tensor of the device. A Python number takes the
/// dtype in which the operation computes, so that a program serves every value.
at::Tensor upload(const at::Tensor &number, c10::ScalarType common,
                  const char *name, c10::DeviceIndex device) {
  at::Tensor host = number;
  if (number.unsafeGetTensorImpl()->is_wrapped_number()) {
    if (common == c10::kHalf || common == c10::kBFloat16)
      common = c10::kFloat; // as eager computes
    host = number.to(common);
  }
  at::Tensor result = emptyStrided({}, {}, host.scalar_type(), device);
  writeBytes(Allocator::get().rangeOf(result), host.const_data_ptr(),
             host.element_size(), name);
  return result;
}

/// Numbers to the device; indices, too, which may be on the host.
void placeArguments(const Operation &operation, torch::jit::Stack &arguments,
                    c10::DeviceIndex device) {
  std::optional<c10::ScalarType> common;
  for (c10::IValue &argument : arguments) {
    if (argument.isTensor() && argument.toTensor().defined() &&
        isNumber(argument.toTensor())) {
      if (!common) {
        at::native::ResultTypeState state = {};
        for (const c10::IValue &other : arguments)
          if (other.isTensor() && other.toTensor().defined())
            state =
                at::native::update_result_type_state(other.toTensor(), state);
        common = at::native::result_type(state);
      }
      argument = upload(argument.toTensor(), *common, operation.name, device);
    } else if (argument.isOptionalTensorList()) {
      auto list = argument.toOptionalTensorVector();
      bool moved = false;
      for (auto &index : list)
        if (index && index->defined() && index->device().is_cpu()) {
          index = index->to(c10::Device(kNeuron, device));
          moved = true;
        }
      if (moved)
        argument = c10::List<std::optional<at::Tensor>>(list);
    }
  }
}

/// What is written must not be memory that is read in another way.
void separate(const Operation &operation, torch::jit::Stack &arguments) {
  for (unsigned position : operation.written) {
    if (!arguments[position].isTensor()) // a list: lists of optimizers do not
      continue;                          // overlap
    const at::Tensor target = arguments[position].toTensor();
    at::assert_no_internal_overlap(target);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i == position || !arguments[i].isTensor())
        continue;
      if (overlapsOtherwise(arguments[i].toTensor(), target))
        arguments[i] = arguments[i].toTensor().clone();
    }
  }
}

/// Tensors of out= take the shape of the result, as eager's do. Throws what
/// PyTorch throws at wrong arguments.
void checkWritten(const Operation &operation, torch::jit::Stack &arguments) {
  auto values = metaResults(operation.op, arguments);
  if (!values)
    return;
  for (size_t i = 0; i < operation.returns.size() && i < values->size(); ++i) {
    int written = operation.returns[i];
    if (written < 0 || !(*values)[i].isTensor() ||
        !arguments[operation.written[written]].isTensor())
      continue;
    at::Tensor target = arguments[operation.written[written]].toTensor();
    c10::IntArrayRef sizes = (*values)[i].toTensor().sizes();
    if (target.sizes() != sizes)
      at::native::resize_output(target, sizes);
  }
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

at::Tensor keysOf(const Program &program, c10::ArrayRef<c10::IValue> arguments,
                  c10::DeviceIndex device) {
  if (program.plan.randomKeys == 0)
    return {};
  std::optional<at::Generator> generator;
  for (const c10::IValue &argument : arguments)
    if (argument.isGenerator())
      generator = argument.toGenerator();
  return drawKeys(program.plan.randomKeys, hostGenerator(generator, device));
}

std::vector<at::Tensor> placeholdersOf(c10::ArrayRef<c10::IValue> arguments) {
  std::vector<at::Tensor> tensors;
  forEachTensor(arguments, [&](const at::Tensor &tensor) {
    for (const at::Tensor &known : tensors)
      if (isSameView(known, tensor))
        return;
    tensors.push_back(tensor);
  });
  return tensors;
}

void pushResults(const Operation &operation, const torch::jit::Stack &arguments,
                 std::vector<at::Tensor> outputs, torch::jit::Stack *stack) {
  if (operation.returnsList) {
    stack->push_back(c10::IValue(std::move(outputs)));
    return;
  }
  size_t next = 0;
  for (int written : operation.returns)
    if (written < 0)
      stack->push_back(std::move(outputs.at(next++)));
    else
      stack->push_back(arguments[operation.written[written]]);
}

} // namespace

void device::eager(const c10::OperatorHandle &op, c10::DispatchKeySet,
                   torch::jit::Stack *stack) {
  const Operation &operation = operationOf(op);
  size_t count = op.schema().arguments().size();
  torch::jit::Stack given(stack->end() - count, stack->end());
  c10::DeviceIndex device = deviceOf(given);
  torch::jit::Stack arguments = given;
  placeArguments(operation, arguments, device);
  if (!operation.written.empty())
    separate(operation, arguments);
  std::optional<Signature> signature = signatureOf(&operation, arguments);
  std::shared_ptr<const Entry> entry;
  if (signature)
    entry = cache().find(*signature);
  if (entry) {
    hits++;
  } else {
    if (!operation.written.empty()) {
      checkWritten(operation, given);
      signature = signatureOf(&operation, arguments); // shapes may be new
      entry = signature ? cache().find(*signature) : nullptr;
    }
    if (!entry) {
      misses++;
      entry = std::make_shared<Entry>(
          operation.isView ? Entry{std::nullopt, "it returns a view"}
                           : makeEntry(operation, arguments, device));
      if (signature)
        cache().add(*signature, entry);
    }
  }
  if (!entry->program) {
    fallbacks++;
    runOnCpu(op, stack, entry->why);
    return;
  }
  noteExecuted(operation.name);
  std::vector<at::Tensor> outputs =
      launch(*entry->program, operation.name, device, placeholdersOf(arguments),
             keysOf(*entry->program, arguments, device));
  stack->resize(stack->size() - count);
  pushResults(operation, given, std::move(outputs), stack);
}

/// A number of its own for the signatures of copies.
static const char copyTag = 0;

void device::setTracer(Tracer other) { tracer = std::move(other); }

EagerStatistics device::eagerStatistics() {
  return {hits, misses, traced, fallbacks};
}

void device::eagerCopy(const at::Tensor &source, const at::Tensor &target) {
  torch::jit::Stack arguments = {source, target};
  if (overlapsOtherwise(source, target))
    arguments[0] = source.clone();
  c10::DeviceIndex device = deviceOf(arguments);
  std::optional<Signature> signature = signatureOf(&copyTag, arguments);
  std::shared_ptr<const Entry> entry = cache().find(*signature);
  if (!entry) {
    misses++;
    entry = std::make_shared<Entry>(compileEntry(
        copyGraph(arguments[0].toTensor(), arguments[1].toTensor()), device));
    TORCH_CHECK(entry->program,
                "aten::copy_ on the neuron device: ", entry->why);
    cache().add(*signature, entry);
  } else {
    hits++;
  }
  launch(*entry->program, "aten::copy_", device, placeholdersOf(arguments), {});
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {

/// What PyTorch takes apart by itself into movements of memory, or would do on
/// the CPU: a kernel of ours would gain nothing.
bool isLeftToPyTorch(std::string_view name) {
  static const std::set<std::string_view> names = {
      "aten::_to_copy", "aten::clone",      "aten::copy_",       "aten::full",
      "aten::zeros",    "aten::ones",       "aten::empty_like",  "aten::detach",
      "aten::lift",     "aten::lift_fresh", "aten::_unsafe_view"};
  return names.contains(name);
}

/// Whether PyTorch has a kernel for every device: one that calls others, or
/// makes the result and calls the overload with out=.
bool isTakenApart(const c10::OperatorHandle &op) {
  using c10::DispatchKey;
  return !op.hasKernelForDispatchKey(DispatchKey::PrivateUse1) &&
         (op.hasKernelForDispatchKey(DispatchKey::CompositeExplicitAutograd) ||
          op.hasKernelForDispatchKey(
              DispatchKey::CompositeExplicitAutogradNonFunctional));
}

/// Operations of the importer's table that PyTorch would take apart, because
/// they have a kernel for all devices: ours is one program instead.
void registerWhole(torch::Library &library) {
  auto &dispatcher = c10::Dispatcher::singleton();
  for (const import::AtenRow *row : import::allAtenRows()) {
    std::string target = row->target.str();
    if (!target.starts_with("aten.") || (row->flags & import::kView))
      continue;
    size_t dot = target.rfind('.');
    std::string name = "aten::" + target.substr(5, dot - 5);
    std::string overload = target.substr(dot + 1);
    if (overload == "default")
      overload = "";
    auto op = dispatcher.findSchema({name, overload});
    if (!op || isLeftToPyTorch(name))
      continue;
    bool takesTensor = false;
    for (const c10::Argument &argument : op->schema().arguments())
      takesTensor |= argument.type()->str().find("Tensor") != std::string::npos;
    bool alias = false;
    for (const c10::Argument &result : op->schema().returns())
      alias |= result.alias_info() != nullptr;
    if (!takesTensor || alias || !isTakenApart(*op))
      continue;
    library.impl(overload.empty() ? name.c_str()
                                  : (name + "." + overload).c_str(),
                 torch::CppFunction::makeFromBoxedFunction<&eager>());
  }
}

} // namespace

void device::registerEager() {
  auto *all =
      new torch::Library(torch::Library::IMPL, "_",
                         c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  all->fallback(torch::CppFunction::makeFromBoxedFunction<&eager>());
  auto *aten =
      new torch::Library(torch::Library::IMPL, "aten",
                         c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  registerWhole(*aten);
  // Composites that are one operation for users; their own kernels never reach
  // a fallback.
  for (const char *name : {"_fused_rms_norm", "convolution_backward"})
    aten->impl(name, torch::CppFunction::makeFromBoxedFunction<&eager>());
}

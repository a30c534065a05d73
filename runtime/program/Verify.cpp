//===- Verify.cpp - may this program be run? ------------------------------===//
#include "runtime/program/Verify.h"
#include "runtime/program/Interval.h"
#include "runtime/program/Opcodes.h"
#include "runtime/program/VerifyContext.h"
#include <bitset>
#include <set>

namespace neuron::program {

constexpr std::string_view kRuleTexts[] = {
    "",
#define NEURON_RULE_TEXT(number, Name, text) text,
    NEURON_PROGRAM_RULES(NEURON_RULE_TEXT)
#undef NEURON_RULE_TEXT
};

bool VerifyContext::fail(Rule rule, const std::string &what) {
  if (failure)
    return false;
  auto number = static_cast<unsigned>(rule);
  std::string message = "invalid device program: ";
  if (kernel)
    message += "kernel '" + kernel->name + "', ";
  if (instruction) {
    message += "instruction " + std::to_string(index);
    if (static_cast<unsigned>(instruction->opcode) < kNumOpcodes)
      message += " (" + std::string(info(instruction->opcode).mnemonic) + ")";
    if (instruction->location < program.locations.size())
      message += " at " + program.locations[instruction->location];
    message += ": ";
  }
  message += what + " (rule P" + std::to_string(number) + ": " +
             std::string(kRuleTexts[number]) + ")";
  failure = Error{std::move(message)};
  return false;
}

namespace {

/// Elements that shape and strides reach: nothing if that is not a number.
std::optional<int64_t> spanOf(const Tensor &tensor) {
  std::optional<Interval> reach = Interval{};
  bool empty = false;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0 || tensor.strides[i] < 0)
      return std::nullopt;
    empty |= tensor.shape[i] == 0;
    if (tensor.shape[i] > 0)
      reach = extend(reach, tensor.strides[i], tensor.shape[i]);
  }
  if (!reach || reach->high == INT64_MAX)
    return std::nullopt;
  return empty ? 0 : reach->high + 1;
}

bool verifyAlias(VerifyContext &context, const Tensor &tensor) {
  if (tensor.aliasedInput == -1)
    return true;
  const auto &tensors = context.program.tensors;
  auto index = static_cast<uint32_t>(tensor.aliasedInput);
  if (tensor.aliasedInput < 0 || index >= tensors.size() ||
      tensor.kind != TensorKind::Output ||
      tensors[index].kind != TensorKind::Input ||
      tensors[index].dtype != tensor.dtype ||
      tensors[index].span != tensor.span)
    return context.fail(Rule::Aliases,
                        "tensor '" + tensor.name +
                            "' cannot take the place of tensor " +
                            std::to_string(tensor.aliasedInput));
  return true;
}

bool verifyTensor(VerifyContext &context, const Tensor &tensor) {
  auto fail = [&](Rule rule, const char *what) {
    return context.fail(rule, "tensor '" + tensor.name + "' " + what);
  };
  if (tensor.kind > TensorKind::Constant)
    return fail(Rule::Enumerators, "is of an unknown kind");
  if (static_cast<unsigned>(tensor.dtype) >= kNumDTypes)
    return fail(Rule::Enumerators, "is of an unknown dtype");
  if (tensor.name.empty())
    return fail(Rule::Tensors, "has no name");
  if (tensor.shape.size() > kMaxTensorRank)
    return fail(Rule::Tensors, "has more than 64 dimensions");
  if (tensor.shape.size() != tensor.strides.size())
    return fail(Rule::Tensors, "has not one stride for each dimension");
  auto span = spanOf(tensor);
  if (!span)
    return fail(Rule::Tensors, "has a negative or too large size or stride");
  if (*span != tensor.span)
    return context.fail(Rule::Tensors, "tensor '" + tensor.name + "' spans " +
                                           std::to_string(*span) +
                                           " elements, not " +
                                           std::to_string(tensor.span));
  if (tensor.span > context.target->hbmBytes / bytesOf(tensor.dtype))
    return fail(Rule::Hbm, "is larger than HBM");
  int64_t bytes = tensor.kind == TensorKind::Constant ? tensor.bytes() : 0;
  if (tensor.data.size() != static_cast<size_t>(bytes))
    return fail(Rule::Constants, "has not the bytes that its span needs");
  return true;
}

bool verifyTensors(VerifyContext &context) {
  std::set<std::string_view> names;
  int64_t total = 0;
  for (const Tensor &tensor : context.program.tensors) {
    if (!verifyTensor(context, tensor))
      return false;
    if (!names.insert(tensor.name).second)
      return context.fail(Rule::Tensors,
                          "two tensors are named '" + tensor.name + "'");
    if (tensor.aliasedInput == -1)
      total += tensor.bytes();
    if (total > context.target->hbmBytes)
      return context.fail(
          Rule::Hbm, "the tensors take more than " +
                         std::to_string(context.target->hbmBytes) + " bytes");
  }
  for (const Tensor &tensor : context.program.tensors)
    if (!verifyAlias(context, tensor))
      return false;
  return true;
}

/// What an instruction needs to know of the others of its kernel.
struct KernelFacts {
  std::bitset<kNumUnits> signals;
  std::array<std::optional<Unit>, kNumQueues> feeders;
};

class KernelVerifier {
public:
  explicit KernelVerifier(VerifyContext &context) : context(context) {}

  bool verify(const Kernel &kernel) {
    context.kernel = &kernel;
    context.index = 0;
    facts = {};
    bool ok = verifyNodes(kernel.body, 1);
    // The waits may be for what comes later, so they are looked at again.
    context.index = 0;
    return ok && verifyWaits(kernel.body);
  }

private:
  bool verifyNodes(const std::vector<Node> &nodes, int64_t executions) {
    for (const Node &node : nodes) {
      bool ok = true;
      if (auto *loop = std::get_if<Loop>(&node))
        ok = verifyLoop(*loop, executions);
      else if (auto *barrier = std::get_if<Barrier>(&node))
        ok = verifyLocation(barrier->location) && countExecutions(executions);
      else
        ok = verifyOne(std::get<Instruction>(node)) &&
             countExecutions(executions);
      if (!ok)
        return false;
    }
    return true;
  }

  bool verifyLoop(const Loop &loop, int64_t executions) {
    if (context.counts.size() == kMaxLoopDepth)
      return context.fail(Rule::Loops, "loops are nested too deeply");
    if (loop.count < 1 || loop.count > kMaxLoopCount)
      return context.fail(
          Rule::Loops, "a loop runs " + std::to_string(loop.count) + " times");
    if (__builtin_mul_overflow(executions, loop.count, &executions) ||
        executions > kMaxExecuted)
      return context.fail(Rule::Length, "loops repeat too often");
    context.counts.push_back(loop.count);
    // An empty loop costs time too.
    bool ok = countExecutions(executions) && verifyNodes(loop.body, executions);
    context.counts.pop_back();
    return ok;
  }

  bool verifyOne(const Instruction &instruction) {
    context.instruction = &instruction;
    bool ok = verifyLocation(instruction.location) &&
              verifyInstruction(context) && verifyQueue(instruction);
    if (!ok)
      return false;
    if (instruction.signal)
      facts.signals.set(static_cast<unsigned>(instruction.unit()));
    leaveInstruction();
    return true;
  }

  bool verifyLocation(uint32_t location) {
    return context.require(location < context.program.locations.size(),
                           Rule::Locations, "its location does not exist");
  }

  bool verifyQueue(const Instruction &instruction) {
    if (!instruction.isDma())
      return true;
    auto &feeder =
        facts.feeders[static_cast<unsigned>(instruction.queue) - kNumEngines];
    if (!feeder)
      feeder = instruction.engine;
    return context.require(*feeder == instruction.engine, Rule::Queues,
                           "another engine of the kernel feeds its queue");
  }

  bool countExecutions(int64_t executions) {
    executed += executions;
    return context.require(executed <= kMaxExecuted, Rule::Length,
                           "the program executes too many instructions");
  }

  bool verifyWaits(const std::vector<Node> &nodes) {
    for (const Node &node : nodes) {
      if (auto *loop = std::get_if<Loop>(&node)) {
        if (!verifyWaits(loop->body))
          return false;
      } else if (auto *instruction = std::get_if<Instruction>(&node)) {
        context.instruction = instruction;
        for (const Wait &wait : instruction->waits)
          if (!facts.signals.test(static_cast<unsigned>(wait.semaphore)))
            return context.fail(
                Rule::Waits,
                "it waits for unit " +
                    std::to_string(static_cast<unsigned>(wait.semaphore)) +
                    ", which signals nothing");
        leaveInstruction();
      }
    }
    return true;
  }

  void leaveInstruction() {
    ++context.index;
    context.instruction = nullptr;
  }

  VerifyContext &context;
  KernelFacts facts;
  int64_t executed = 0; ///< by all kernels so far
};

bool verifyProgram(VerifyContext &context) {
  auto target = target::find(context.program.target);
  if (!target.ok())
    return context.fail(Rule::Target, target.message());
  context.target = *target;
  if (context.program.locations.empty())
    return context.fail(Rule::Locations, "entry 0, '<unknown>', is missing");
  if (!verifyTensors(context))
    return false;
  KernelVerifier kernels(context);
  for (const Kernel &kernel : context.program.kernels)
    if (!kernels.verify(kernel))
      return false;
  return true;
}

} // namespace

Status verify(const Program &program) {
  VerifyContext context(program);
  if (!verifyProgram(context))
    return *context.failure;
  return {};
}

} // namespace neuron::program

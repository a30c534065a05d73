//===- Print.cpp - a device program as text -------------------------------===//
#include "runtime/program/Print.h"
#include "runtime/program/Opcodes.h"
#include <bit>
#include <charconv>
#include <cstdio>

namespace neuron::program {
namespace {

constexpr std::string_view kEngines[] = {"tensor", "vector", "scalar", "gpsimd",
                                         "sync"};
constexpr std::string_view kTensorKinds[] = {"input", "output", "scratch",
                                             "constant"};
constexpr std::string_view kReductions[] = {
    "sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "logaddexp"};
static_assert(std::size(kEngines) == kNumEngines);

/// Programs from a file may name anything: a value outside a table is shown.
template <typename Enum, size_t N>
std::string_view rowOf(const std::string_view (&table)[N], Enum value) {
  auto index = static_cast<size_t>(value);
  return index < N ? table[index] : std::string_view("<invalid>");
}

std::string shortest(double value) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}
std::string shortest(float value) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

float halfToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
  uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

std::string immediate(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::Bool:
    return bits ? "true" : "false";
  case DType::F16:
    return shortest(halfToFloat(static_cast<uint16_t>(bits)));
  case DType::BF16:
    return shortest(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
  case DType::F32:
    return shortest(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  case DType::F64:
    return shortest(std::bit_cast<double>(bits));
  default:
    break;
  }
  if (isFloat8(dtype)) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned>(bits));
    return text;
  }
  if (!info(dtype).isSigned)
    return std::to_string(bits);
  unsigned unused = 64 - 8 * bytesOf(dtype);
  return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

std::string listOf(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string toString(const HbmAccess &hbm, const Program &program) {
  std::string text = "hbm ";
  text += hbm.tensor < program.tensors.size()
              ? program.tensors[hbm.tensor].name
              : "<invalid tensor " + std::to_string(hbm.tensor) + ">";
  text += "[" + std::to_string(hbm.offset);
  text += "; rows " + listOf(hbm.rowSizes) + " by " + listOf(hbm.rowStrides) +
          " from " + toString(hbm.row);
  text += "; cols " + listOf(hbm.colSizes) + " by " + listOf(hbm.colStrides) +
          " from " + toString(hbm.column);
  if (hbm.indexBound)
    text += "; index < " + std::to_string(hbm.indexBound) + " by " +
            std::to_string(hbm.indexStride);
  return text + "]";
}

std::string functionsOf(const Instruction &instruction) {
  auto named = [&](unsigned i) {
    std::string name(nameOf(instruction.fn[i]));
    return instruction.reverse[i] ? name + " reversed" : name;
  };
  switch (instruction.opcode) {
  case Opcode::TensorTensor:
  case Opcode::TensorReduce:
  case Opcode::Activation:
    return "<" + named(0) + ">";
  case Opcode::TensorScalar:
    if (instruction.src[2].kind == Operand::Kind::None)
      return "<" + named(0) + ">";
    [[fallthrough]];
  case Opcode::ScalarTensorTensor:
  case Opcode::TensorTensorScan:
    return "<" + named(0) + ", " + named(1) + ">";
  case Opcode::GpsimdElementwise:
    return "<" + named(0) + " in " + std::string(nameOf(instruction.compute)) +
           ">";
  case Opcode::GpsimdReduce:
    return "<" + std::string(nameOf(instruction.reduce)) + " in " +
           std::string(nameOf(instruction.compute)) + ">";
  case Opcode::GpsimdScan:
    return "<" + std::string(nameOf(instruction.reduce)) + " in " +
           std::string(nameOf(instruction.compute)) + ">";
  case Opcode::DmaScatter:
    if (instruction.accumulate == Accumulate::No)
      return "";
    return "<" + std::string(nameOf(instruction.reduce)) + " in " +
           std::string(nameOf(instruction.compute)) + ">";
  case Opcode::GpsimdSort:
    return instruction.reverse[0] ? "<descending>" : "<ascending>";
  default:
    return "";
  }
}

/// The instruction's inputs, in order.
std::string sourcesOf(const Instruction &instruction, const Program &program) {
  if (instruction.opcode == Opcode::DmaLoad)
    return toString(instruction.hbm, program);
  std::string text;
  if (instruction.opcode == Opcode::DmaGather)
    text = toString(instruction.hbm, program) + ", ";
  if (instruction.opcode == Opcode::Iota ||
      instruction.opcode == Opcode::GpsimdRandom) {
    text = toString(instruction.index) + " + " +
           std::to_string(instruction.rowStep) + "*p + " +
           std::to_string(instruction.step) + "*e";
    if (instruction.opcode == Opcode::Iota)
      return text;
    text += ", ";
  }
  // A missing operand before a present one is shown: its place matters.
  unsigned last = 3;
  while (last > 0 && instruction.src[last - 1].kind == Operand::Kind::None)
    --last;
  for (unsigned i = 0; i < last; ++i)
    text += (i ? ", " : "") + toString(instruction.src[i]);
  return text;
}

std::string destinationsOf(const Instruction &instruction,
                           const Program &program) {
  if (instruction.writesHbm())
    return toString(instruction.hbm, program);
  std::string text = toString(instruction.dst);
  if (instruction.acc.kind != Operand::Kind::None)
    text += ", " + toString(instruction.acc);
  return text;
}

std::string locationOf(uint32_t location, const Program &program) {
  if (location < program.locations.size())
    return " @ " + program.locations[location];
  return " @ <invalid location " + std::to_string(location) + ">";
}

void print(std::string &out, const std::vector<Node> &body, unsigned depth,
           const Program &program);

struct NodePrinter {
  std::string &out;
  unsigned depth;
  const Program &program;

  void operator()(const Instruction &instruction) const {
    out += toString(instruction, program);
  }
  void operator()(const Barrier &barrier) const {
    out += "barrier" + locationOf(barrier.location, program);
  }
  void operator()(const Loop &loop) const {
    const char *counters[] = {"i", "j", "k", "l"};
    const char *counter =
        depth <= std::size(counters) ? counters[depth - 1] : "<too deep>";
    out += std::string("loop ") + counter + " < " + std::to_string(loop.count) +
           " {\n";
    print(out, loop.body, depth + 1, program);
    out += std::string(2 * depth, ' ') + "}";
  }
};

void print(std::string &out, const std::vector<Node> &body, unsigned depth,
           const Program &program) {
  for (const Node &node : body) {
    out += std::string(2 * depth, ' ');
    std::visit(NodePrinter{out, depth, program}, node);
    out += "\n";
  }
}

std::string toString(const Tensor &tensor, const Program &program) {
  std::string text(nameOf(tensor.kind));
  text += " " + tensor.name + ": " + std::string(nameOf(tensor.dtype)) +
          listOf(tensor.shape) + " strides " + listOf(tensor.strides) +
          " span " + std::to_string(tensor.span);
  if (tensor.aliasedInput >= 0) {
    auto index = static_cast<size_t>(tensor.aliasedInput);
    text += " aliases " + (index < program.tensors.size()
                               ? program.tensors[index].name
                               : "<invalid tensor>");
  }
  return text;
}

} // namespace

std::string nameOf(Unit unit) {
  auto index = static_cast<unsigned>(unit);
  if (index < kNumEngines)
    return std::string(kEngines[index]);
  return "queue" + std::to_string(index - kNumEngines);
}
std::string_view mnemonicOf(Opcode opcode) {
  return static_cast<unsigned>(opcode) < kNumOpcodes ? info(opcode).mnemonic
                                                     : "<invalid>";
}
std::string_view nameOf(TensorKind kind) { return rowOf(kTensorKinds, kind); }
std::string_view nameOf(Instruction::Reduce reduce) {
  return rowOf(kReductions, reduce);
}

std::string toString(const Affine &affine) {
  const char *counters[] = {"i", "j", "k", "l"};
  static_assert(std::size(counters) == kMaxLoopDepth);
  std::string text = std::to_string(affine.base);
  for (unsigned i = 0; i < kMaxLoopDepth; ++i)
    if (affine.coefficients[i])
      text +=
          " + " + std::to_string(affine.coefficients[i]) + "*" + counters[i];
  return text;
}

std::string toString(const Operand &operand) {
  if (operand.kind == Operand::Kind::None)
    return "none";
  std::string type(nameOf(operand.dtype));
  if (operand.isImmediate())
    return immediate(operand.dtype, operand.bits) + ":" + type;
  uint32_t base = operand.isInPsum() ? kPsumBase : 0;
  std::string text = base ? "psum[" : "sbuf[";
  text += std::to_string(operand.offset - base) + ":" +
          std::to_string(operand.elems) + " x " + type;
  if (operand.stride != 1)
    text += ", stride " + std::to_string(operand.stride);
  if (operand.buffers != 1)
    text += ", " + std::to_string(operand.buffers) + " buffers by " +
            std::to_string(operand.pitch);
  return text + "]";
}

std::string toString(const Instruction &instruction, const Program &program) {
  std::string text = nameOf(instruction.engine) + "." +
                     std::string(mnemonicOf(instruction.opcode)) +
                     functionsOf(instruction);
  if (instruction.isDma())
    text += " on " + nameOf(instruction.queue);
  text += " parts=" + std::to_string(instruction.parts) + " " +
          destinationsOf(instruction, program) + " <- " +
          sourcesOf(instruction, program);
  if (instruction.accumulate == Accumulate::Yes)
    text += " accumulate";
  if (instruction.opcode == Opcode::GpsimdReduce &&
      (instruction.reduce == Instruction::Reduce::ArgMax ||
       instruction.reduce == Instruction::Reduce::ArgMin))
    text += " index " + toString(instruction.index);
  for (const Wait &wait : instruction.waits)
    text +=
        " wait(" + nameOf(wait.semaphore) + " >= " + toString(wait.value) + ")";
  if (instruction.signal)
    text += " signal(" + nameOf(instruction.unit()) + ")";
  return text + locationOf(instruction.location, program);
}

std::string toString(const Program &program) {
  std::string text = "program for " + program.target + ", version " +
                     std::to_string(kProgramVersion) + "\n";
  for (const Tensor &tensor : program.tensors)
    text += toString(tensor, program) + "\n";
  for (const Kernel &kernel : program.kernels) {
    text += "kernel " + kernel.name + " {\n";
    print(text, kernel.body, 1, program);
    text += "}\n";
  }
  return text;
}

} // namespace neuron::program

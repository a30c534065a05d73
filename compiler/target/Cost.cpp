//===- Cost.cpp - what an instruction costs its engine --------------------===//
#include "compiler/target/Cost.h"
#include "runtime/program/Opcodes.h"
#include <algorithm>
#include <bit>

namespace neuron::target {
namespace {
using namespace program;

bool is16BitFloat(DType type) { return isFloat(type) && bytesOf(type) == 2; }

int64_t clockOf(const Target &target, Unit engine) {
  switch (engine) {
  case Unit::Tensor:
    return target.clockTensor;
  case Unit::Vector:
    return target.clockVector;
  case Unit::Scalar:
    return target.clockScalar;
  default:
    return target.clockGpSimd;
  }
}

int64_t copyCycles(const Target &target, const Work &work) {
  if (work.psum)
    return work.all16 ? target.copy16Strided : target.copyPsum;
  if (work.all16)
    return work.contiguous ? target.copy16 : target.copy16Strided;
  if (bytesOf(work.src) == 4 && bytesOf(work.dst) <= 4)
    return target.copy32;
  if (bytesOf(work.src) == 2 && bytesOf(work.dst) == 4)
    return target.copyWidening;
  return target.copyOther;
}

int64_t gpsimdCycles(const Target &target, const Work &work) {
  const Parameter *const classes[] = {
      &target.gpsimdSimple, &target.gpsimdMultiply, &target.gpsimdDivide,
      &target.gpsimdSpecial};
  int64_t cycles = *classes[static_cast<unsigned>(work.function)];
  return work.wide ? cycles * target.gpsimdWideFactor : cycles;
}

/// Thousandths of a cycle that an element takes.
int64_t cyclesOf(const Target &target, const Work &work) {
  bool onVector = work.engine == Unit::Vector;
  switch (work.opcode) {
  case Opcode::Memset:
    return onVector ? target.memset : target.gpsimdCopy;
  case Opcode::TensorCopy:
    if (work.engine == Unit::Scalar)
      return target.activation;
    return onVector ? copyCycles(target, work) : target.gpsimdCopy.value;
  case Opcode::TensorScalar:
    return copyCycles(target, work);
  case Opcode::TensorTensor:
    return work.psum    ? target.tensorTensorPsum
           : work.all16 ? target.tensorTensor16
                        : target.tensorTensor;
  case Opcode::ScalarTensorTensor:
    return work.psum ? target.tensorTensorPsum : target.scalarTensorTensor;
  case Opcode::TensorReduce:
    return work.all16 ? target.tensorReduce16 : target.tensorReduce;
  case Opcode::TensorTensorScan:
    return target.tensorTensorScan;
  case Opcode::Activation:
    return target.activation;
  case Opcode::Reciprocal:
    return target.reciprocal;
  case Opcode::Select:
    return target.select;
  case Opcode::Iota:
    return target.iota;
  case Opcode::GpsimdElementwise:
  case Opcode::GpsimdReduce:
  case Opcode::GpsimdScan:
    return gpsimdCycles(target, work);
  case Opcode::GpsimdSort: {
    // A bitonic network.
    int64_t stages = std::bit_width(static_cast<uint64_t>(work.elems - 1));
    return target.gpsimdSortStep * (stages * (stages + 1) / 2);
  }
  case Opcode::GpsimdRandom:
    return target.gpsimdRandom;
  case Opcode::DmaLoad:
  case Opcode::DmaStore:
  case Opcode::Matmul:
  case Opcode::Transpose:
  case Opcode::DmaGather:
  case Opcode::DmaScatter:
    break;
  }
  return 0;
}

int64_t startupOf(const Target &target, const Work &work) {
  if (work.engine == Unit::Scalar) {
    int64_t startup =
        work.opcode == Opcode::TensorCopy
            ? (work.psum ? target.startupScalarPsum : target.startupScalarCopy)
            : target.startupScalar;
    return startup + work.pointers * target.startupPointerOperand;
  }
  if (work.engine == Unit::GpSimd)
    return target.startupGpSimd;
  switch (work.opcode) {
  case Opcode::Memset:
    return target.startupMemset;
  case Opcode::Reciprocal:
    return target.startupReciprocal;
  default:
    return target.startupVector;
  }
}

/// The systolic array: cycles do not follow from the elements alone.
Cost tensorCostOf(const Target &target, const Work &work) {
  auto picoseconds = [&](int64_t cycles) {
    return cycles * (work.cold ? target.throttleFactor : 1) * 1000000 /
           target.clockTensor;
  };
  bool isTranspose = work.opcode == Opcode::Transpose;
  bool is32 = bytesOf(work.src) == 4;
  int64_t passes = !isTranspose && is32 ? target.matmulPasses32 : 1;
  if (!isTranspose && is32 && work.depth * 2 <= target.partitions)
    passes *= target.matmulShallow32;
  int64_t extra = isTranspose ? target.transposeExtra : target.matmulExtra;
  int64_t cycles =
      std::max(std::min<int64_t>(target.matmulMinimum, work.rows), work.elems);
  Cost cost;
  cost.busy = picoseconds(passes * (cycles + extra));
  cost.latency = picoseconds(passes * cycles);
  if (isTranspose)
    cost.latency += target.startupTranspose;
  else if (work.cold)
    cost.latency +=
        target.startupTensorCold + (is32 ? target.startupTensor32 : 0);
  else
    cost.latency += target.startupTensor;
  return cost;
}

FnCost classOf(const Instruction &instruction) {
  if (instruction.opcode == Opcode::GpsimdElementwise)
    return info(instruction.fn[0]).cost;
  if (instruction.reduce == Instruction::Reduce::LogAddExp)
    return FnCost::Special;
  return instruction.reduce == Instruction::Reduce::Prod ? FnCost::Multiply
                                                         : FnCost::Simple;
}

} // namespace

Work workOf(const Instruction &instruction) {
  Work work;
  work.opcode = instruction.opcode;
  work.engine = instruction.engine;
  work.all16 = true;
  bool haveSource = false;

  auto stream = [&](const Operand &operand) {
    work.elems = std::max<int64_t>(work.elems, operand.elems);
    work.all16 &= is16BitFloat(operand.dtype);
    work.contiguous &= operand.stride <= 1;
    work.psum |= operand.isInPsum();
  };
  if (crossesPartitions(instruction.opcode)) {
    work.elems = instruction.dst.elems;
    work.rows = instruction.src[0].elems;
    work.depth = instruction.parts;
    work.src = instruction.src[0].dtype;
    return work;
  }
  // A result of one element, of a reduction, is no stream.
  if (instruction.dst.isTile()) {
    stream(instruction.dst);
    work.dst = instruction.dst.dtype;
  }
  for (unsigned i = 0; i < instruction.src.size(); ++i) {
    const Operand &operand = instruction.src[i];
    if (!operand.isTile())
      continue;
    bool isPointer = instruction.opcode == Opcode::Activation && i > 0;
    work.pointers += isPointer;
    if (isPointer || (operand.elems == 1 && work.elems > 1))
      continue;
    stream(operand);
    if (!haveSource)
      work.src = operand.dtype;
    haveSource = true;
  }
  work.accumulates =
      instruction.opcode == Opcode::Activation && instruction.acc.isTile();
  work.function = classOf(instruction);
  work.wide = bytesOf(instruction.compute) == 8;
  return work;
}

Cost costOf(const Target &target, const Work &work) {
  if (work.engine == Unit::Tensor)
    return tensorCostOf(target, work);
  int64_t clock = clockOf(target, work.engine);
  auto picoseconds = [&](int64_t millicycles) {
    return millicycles * 1000 / clock;
  };
  int64_t elements = cyclesOf(target, work) * work.elems;
  int64_t fixed =
      work.engine == Unit::GpSimd ? target.gpsimdStart * 1000 : int64_t(0);

  Cost cost;
  cost.busy =
      picoseconds(std::max(target.minimumIssue * 1000, fixed + elements));
  cost.latency = startupOf(target, work) + picoseconds(elements);
  if (work.accumulates) {
    // A second instruction reads the sum, once the first has finished, and the
    // next one must not clear it before.
    cost.busy = cost.latency + target.accumulateReadIssue;
    cost.latency += target.accumulateReadDone;
  }
  return cost;
}

int64_t dmaIssueOf(const Target &target, Unit engine, int64_t parts) {
  if (engine == Unit::GpSimd)
    return target.dmaIssueSoftware;
  return target.dmaIssueHardware + target.dmaIssuePartition * parts;
}

bool isFast(const Target &target, const Instruction &instruction) {
  return instruction.engine == Unit::Vector &&
         cyclesOf(target, workOf(instruction)) < 1000;
}

bool needsTable(Fn fn) {
  // Assumption: what needs no approximation is in every table.
  return info(fn).cost == FnCost::Special;
}

} // namespace neuron::target

//===- VerifyTensorEngine.cpp - PSUM and what works on it -----------------===//
#include "runtime/program/Opcodes.h"
#include "runtime/program/VerifyContext.h"

namespace neuron::program {
namespace {

/// P26: who reaches PSUM.
bool verifyReach(VerifyContext &context, const Instruction &it) {
  bool onTensor = it.engine == Unit::Tensor;
  bool mayReach =
      !it.isDma() && (it.engine == Unit::Vector || it.engine == Unit::Scalar);
  for (const Operand *written : {&it.dst, &it.acc}) {
    if (written->isInPsum() && !mayReach && !onTensor)
      return context.fail(Rule::Psum, "it writes to PSUM");
    if (onTensor && written->isTile() && !written->isInPsum())
      return context.fail(Rule::Psum, "it writes to SBUF");
  }
  for (const Operand &source : it.src)
    if (source.isInPsum() && !mayReach)
      return context.fail(Rule::Psum, "it reads PSUM");
  return true;
}

/// P27: in each of its buffers.
bool verifyBank(VerifyContext &context, const Operand &dst) {
  uint64_t bank = context.target->psumBankBytes;
  uint64_t bytes = uint64_t(dst.elems) * bytesOf(dst.dtype);
  for (uint64_t i = 0; i < dst.buffers; ++i) {
    uint64_t begin = dst.offset - kPsumBase + i * dst.pitch;
    if (begin / bank != (begin + bytes - 1) / bank)
      return context.fail(Rule::Banks,
                          "dst spans bytes " + std::to_string(begin) + " to " +
                              std::to_string(begin + bytes) + " of PSUM");
    if (dst.pitch % bank == 0)
      break;
  }
  return true;
}

/// P28: the sources that are streamed, not those of one element a partition.
bool verifyStreams(VerifyContext &context, const Instruction &it) {
  unsigned streams = 0;
  for (const Operand &source : it.src)
    streams += source.isInPsum() && source.elems > 1;
  return context.require(streams <= 1, Rule::PsumStreams,
                         "two sources are in PSUM");
}

bool verifySizes(VerifyContext &context, const Instruction &it) {
  auto fail = [&](const std::string &what) {
    return context.fail(Rule::TensorSizes, what);
  };
  for (const Operand *tile : {&it.dst, &it.src[0], &it.src[1]})
    if (tile->isTile() && tile->stride != 1 && tile->elems > 1)
      return fail("an operand is strided");
  int64_t rows = it.src[0].elems, columns = it.dst.elems;
  if (rows > context.target->stationaryColumns)
    return fail("src[0] has " + std::to_string(rows) + " elements");
  if (it.opcode == Opcode::Transpose)
    return columns == it.parts ||
           fail("dst has " + std::to_string(columns) + " elements, not " +
                std::to_string(it.parts));
  if (columns != it.src[1].elems)
    return fail("dst has " + std::to_string(columns) + " elements, src[1] " +
                std::to_string(it.src[1].elems));
  return columns <= context.target->movingColumns ||
         fail("src[1] has " + std::to_string(columns) + " elements");
}

} // namespace

bool verifyTensorEngine(VerifyContext &context) {
  const Instruction &it = *context.instruction;
  if (!verifyReach(context, it) || !verifyStreams(context, it))
    return false;
  return !crossesPartitions(it.opcode) ||
         (verifySizes(context, it) && verifyBank(context, it.dst));
}

} // namespace neuron::program

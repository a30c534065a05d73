//===- Opcodes.h - the table of opcodes -------------------------*- C++ -*-===//
//
// NEURON_OPCODES of Program.h as a table: the name of each instruction and the
// engines that may run it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"

namespace neuron::program {

namespace opcode_table {
constexpr uint8_t bit(Unit engine) {
  return 1u << static_cast<unsigned>(engine);
}
inline constexpr uint8_t kTensor = bit(Unit::Tensor);
inline constexpr uint8_t kVector = bit(Unit::Vector);
inline constexpr uint8_t kScalar = bit(Unit::Scalar);
inline constexpr uint8_t kGpSimd = bit(Unit::GpSimd);
/// The sequencers that can issue a DMA: Sync and Scalar through the hardware's
/// descriptor generators, GpSimd by making descriptors in software.
inline constexpr uint8_t kDmaEngines = bit(Unit::Sync) | kScalar | kGpSimd;
} // namespace opcode_table

struct OpcodeInfo {
  std::string_view mnemonic;
  uint8_t engines; ///< bit i: Unit i
};

inline constexpr OpcodeInfo kOpcodeTable[kNumOpcodes] = {
#define NEURON_OPCODE_ROW(Name, mnemonic, engines)                             \
  {mnemonic, [] {                                                              \
     using namespace opcode_table;                                             \
     return static_cast<uint8_t>(engines);                                     \
   }()},
    NEURON_OPCODES(NEURON_OPCODE_ROW)
#undef NEURON_OPCODE_ROW
};

constexpr const OpcodeInfo &info(Opcode opcode) {
  return kOpcodeTable[static_cast<unsigned>(opcode)];
}
constexpr bool mayRun(Unit engine, Opcode opcode) {
  return static_cast<unsigned>(engine) < kNumEngines &&
         (info(opcode).engines & opcode_table::bit(engine)) != 0;
}

/// Of the Tensor engine: an instruction that takes rows to other partitions.
constexpr bool crossesPartitions(Opcode opcode) {
  return opcode == Opcode::Matmul || opcode == Opcode::Transpose;
}

/// Whether a source is read once for a partition, however many elements the
/// other operands have.
constexpr bool isScalarOperand(Opcode opcode, unsigned source) {
  switch (opcode) {
  case Opcode::TensorScalar:
  case Opcode::Activation:
    return source > 0;
  case Opcode::ScalarTensorTensor:
    return source == 1;
  case Opcode::TensorTensorScan:
    return source == 2;
  case Opcode::GpsimdRandom:
    return true;
  default:
    return false;
  }
}

/// What it writes is in partitions [0, dstPartsOf).
inline unsigned dstPartsOf(const Instruction &it) {
  return crossesPartitions(it.opcode) ? it.src[0].elems : it.parts;
}

/// Whether an accumulating instruction reads what its destinations hold. An
/// activation accumulates in acc alone.
inline bool readsAcc(const Instruction &it) {
  return it.accumulate == Accumulate::Yes && it.acc.isTile();
}
inline bool readsDst(const Instruction &it) {
  return it.accumulate == Accumulate::Yes && it.dst.isTile() &&
         it.opcode != Opcode::Activation && it.opcode != Opcode::GpsimdScan;
}

} // namespace neuron::program

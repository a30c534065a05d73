//===- Print.h - a device program as text -----------------------*- C++ -*-===//
//
// For people: what neuron-neff prints and error messages quote. It is not
// read back.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include <string>

namespace neuron::program {

/// "vector", "queue3".
std::string nameOf(Unit unit);
/// The nisa op of an opcode, for example "tensor_tensor".
std::string_view mnemonicOf(Opcode opcode);
std::string_view nameOf(TensorKind kind);
std::string_view nameOf(Instruction::Reduce reduce);

/// `sbuf[offset:elems x dtype]`, psum likewise, or the value of an immediate.
std::string toString(const Operand &operand);
/// `base + c*i + ...`, the loops' counters called i, j, k, l from outside in.
std::string toString(const Affine &affine);
/// One line, without its end.
std::string toString(const Instruction &instruction, const Program &program);
/// The whole program, a line an instruction.
std::string toString(const Program &program);

} // namespace neuron::program

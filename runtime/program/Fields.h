//===- Fields.h - the encoded fields of a device program --------*- C++ -*-===//
//
// Names the fields of every structure of Program.h, once, for the writer and
// the reader of Encoding.cpp. The order is the format: a change needs a new
// kProgramVersion. A `place` says what something is called and where it is; no
// time depends on it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Encoding.h"
#include <concepts>
#include <limits>
#include <type_traits>

namespace neuron::program {

/// In front of each Node.
enum class Tag : uint8_t { Instruction, Loop, Barrier };

/// Of a list that nothing but the length of the input limits.
inline constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

/// T, or const T.
template <typename Actual, typename T>
concept Is = std::same_as<std::remove_const_t<Actual>, T>;

/// How many enumerators an encoded enum has.
template <typename Enum> inline constexpr unsigned kEnumerators = 0;
template <> inline constexpr unsigned kEnumerators<TensorKind> = 4;
template <> inline constexpr unsigned kEnumerators<DType> = kNumDTypes;
template <> inline constexpr unsigned kEnumerators<Unit> = kNumUnits;
template <> inline constexpr unsigned kEnumerators<Opcode> = kNumOpcodes;
template <> inline constexpr unsigned kEnumerators<Fn> = kNumFns;
template <> inline constexpr unsigned kEnumerators<Operand::Kind> = 3;
template <> inline constexpr unsigned kEnumerators<Accumulate> = 2;
template <> inline constexpr unsigned kEnumerators<Instruction::Reduce> = 9;

template <typename Archive> void fields(Archive &a, Is<Affine> auto &affine) {
  a(affine.base, "base");
  for (auto &coefficient : affine.coefficients)
    a(coefficient, "coefficient");
}

template <typename Archive> void fields(Archive &a, Is<Tensor> auto &tensor) {
  a(tensor.name, "tensor name");
  a(tensor.kind, "tensor kind");
  a(tensor.dtype, "tensor dtype");
  a.list(tensor.shape, kUnlimited, "shape");
  a.list(tensor.strides, kUnlimited, "strides");
  a(tensor.span, "span");
  a(tensor.aliasedInput, "aliased input");
  a.bytes(tensor.data, "constant data");
}

template <typename Archive> void fields(Archive &a, Is<HbmAccess> auto &hbm) {
  a.place(hbm.tensor, "tensor of an access");
  a.place(hbm.offset, "offset of an access");
  a.list(hbm.rowSizes, kMaxRank, "row sizes");
  a.list(hbm.rowStrides, kMaxRank, "row strides");
  a.list(hbm.colSizes, kMaxRank, "column sizes");
  a.list(hbm.colStrides, kMaxRank, "column strides");
  fields(a, hbm.row);
  fields(a, hbm.column);
  a(hbm.indexStride, "index stride");
  a(hbm.indexBound, "index bound");
}

template <typename Archive> void fields(Archive &a, Is<Operand> auto &operand) {
  a(operand.kind, "operand kind");
  a(operand.dtype, "operand dtype");
  a(operand.offset, "operand offset");
  a(operand.elems, "operand elements");
  a(operand.stride, "operand stride");
  a(operand.buffers, "operand buffers");
  a(operand.pitch, "operand pitch");
  a(operand.bits, "immediate");
}

template <typename Archive> void fields(Archive &a, Is<Wait> auto &wait) {
  a(wait.semaphore, "semaphore");
  fields(a, wait.value);
}

template <typename Archive>
void fields(Archive &a, Is<Instruction> auto &instruction) {
  a(instruction.opcode, "opcode");
  a(instruction.engine, "engine");
  a(instruction.queue, "queue");
  a(instruction.parts, "partitions");
  for (auto &fn : instruction.fn)
    a(fn, "function");
  for (auto &reverse : instruction.reverse)
    a(reverse, "reverse");
  a(instruction.compute, "compute dtype");
  a(instruction.reduce, "reduction");
  a(instruction.accumulate, "accumulate");
  fields(a, instruction.dst);
  fields(a, instruction.acc);
  for (auto &src : instruction.src)
    fields(a, src);
  fields(a, instruction.hbm);
  fields(a, instruction.index);
  a(instruction.rowStep, "row step");
  a(instruction.step, "step");
  a(instruction.signal, "signal");
  a.list(instruction.waits, kMaxWaits, "waits");
  a.place(instruction.location, "location");
}

template <typename Archive> void fields(Archive &a, Is<Barrier> auto &barrier) {
  a.place(barrier.location, "location");
}

template <typename Archive> void fields(Archive &a, Is<Loop> auto &loop) {
  a(loop.count, "loop count");
  a.body(loop.body);
}

template <typename Archive> void fields(Archive &a, Is<Kernel> auto &kernel) {
  a.place(kernel.name, "kernel name");
  a.body(kernel.body);
}

template <typename Archive> void fields(Archive &a, Is<Program> auto &program) {
  a(program.target, "target");
  a.list(program.tensors, kUnlimited, "tensors");
  a.list(program.kernels, kUnlimited, "kernels");
  a.list(program.locations, kUnlimited, "locations");
}

} // namespace neuron::program

//===- Execute.cpp - the effect of the engines' instructions --------------===//
#include "runtime/simulator/Execute.h"
#include "runtime/program/Opcodes.h"
#include "runtime/simulator/Strided.h"
#include "runtime/simulator/semantics/Combine.h"
#include "runtime/simulator/semantics/Random.h"
#include "runtime/simulator/semantics/Sort.h"
#include "runtime/simulator/semantics/TensorScan.h"
#include "runtime/simulator/tensor/Tensor.h"
#include <cstring>
#include <tuple>

namespace neuron::simulator {
using namespace program;
using semantics::CastKind;

namespace {

// Which row buffer holds what.
enum Buffer : unsigned { Source0, Source1, Source2, Inner, Result, Gathered };

} // namespace

const Executor::Function Executor::kFunctions[kNumOpcodes] = {
    /* DmaLoad            */ &Executor::notForRows,
    /* DmaStore           */ &Executor::notForRows,
    /* Memset             */ &Executor::memset,
    /* TensorCopy         */ &Executor::tensorCopy,
    /* TensorTensor       */ &Executor::tensorTensor,
    /* TensorScalar       */ &Executor::tensorScalar,
    /* ScalarTensorTensor */ &Executor::tensorScalar,
    /* TensorReduce       */ &Executor::tensorReduce,
    /* Activation         */ &Executor::activation,
    /* Reciprocal         */ &Executor::reciprocal,
    /* Select             */ &Executor::select,
    /* Iota               */ &Executor::iota,
    /* GpsimdElementwise  */ &Executor::gpsimdElementwise,
    /* GpsimdReduce       */ &Executor::gpsimdReduce,
    /* Matmul             */ &Executor::notForRows,
    /* Transpose          */ &Executor::notForRows,
    /* DmaGather          */ &Executor::notForRows,
    /* DmaScatter         */ &Executor::notForRows,
    /* GpsimdScan         */ &Executor::gpsimdScan,
    /* GpsimdSort         */ &Executor::gpsimdSort,
    /* GpsimdRandom       */ &Executor::gpsimdRandom,
    /* TensorTensorScan   */ &Executor::tensorTensorScan,
};

int64_t elementsOf(const Instruction &instruction) {
  // The destination of a reduction has one element.
  const Operand &first = instruction.src[0];
  return std::max<int64_t>(instruction.dst.isTile() ? instruction.dst.elems : 0,
                           first.isTile() ? first.elems : 0);
}

int64_t workOf(const Instruction &it) {
  int64_t work = elementsOf(it) * it.parts;
  // Eight multiplications take about as long as another element.
  return it.opcode == Opcode::Matmul ? work * it.src[0].elems / 8 : work;
}

void Executor::run(const Executed &executed, Sbuf &sbuf) {
  if (crossesPartitions(executed.instruction->opcode))
    return tensor::run(executed, sbuf.row(0), sbuf.row(1) - sbuf.row(0));
  for (unsigned p = 0; p < executed.instruction->parts; ++p)
    runPartition(executed, p, sbuf.row(p));
}

void Executor::runPartition(const Executed &executed, unsigned p,
                            uint8_t *row) {
  it = &executed;
  instruction = executed.instruction;
  partition = p;
  partitionBase = row;
  count = elementsOf(*instruction);
  for (auto &buffer : buffers)
    if (buffer.size() < static_cast<size_t>(count))
      buffer.resize(count);
  (this->*kFunctions[static_cast<unsigned>(instruction->opcode)])();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The operand in dtype `as`; an immediate or a single element is not repeated.
Executor::Row Executor::load(const Operand &operand, DType as, CastKind cast,
                             unsigned buffer) {
  bool isSingle =
      operand.isImmediate() || operand.elems == 1 || operand.stride == 0;
  const void *data = operand.isImmediate()
                         ? static_cast<const void *>(&operand.bits)
                         : at(operand);
  if (!isSingle && operand.stride != 1) {
    moveElements(bytesOf(operand.dtype), static_cast<const uint8_t *>(data),
                 operand.stride, static_cast<uint8_t *>(scratch(Gathered)), 1,
                 count);
    data = scratch(Gathered);
  }
  // A gathered row must be copied even so: the next operand gathers too.
  if (operand.dtype != as || data == scratch(Gathered)) {
    semantics::rowCast(cast, operand.dtype, as)(data, 1, scratch(buffer),
                                                isSingle ? 1 : count);
    data = scratch(buffer);
  }
  return {data, isSingle ? 0 : 1};
}

void Executor::store(const void *values, DType from, CastKind cast,
                     const Operand &tile, int64_t elements) {
  auto convert = semantics::rowCast(cast, from, tile.dtype);
  if (tile.stride == 1 || elements == 1) {
    convert(values, 1, at(tile), elements);
    return;
  }
  convert(values, 1, scratch(Gathered), elements);
  moveElements(bytesOf(tile.dtype),
               static_cast<const uint8_t *>(scratch(Gathered)), 1, at(tile),
               tile.stride, elements);
}

Executor::Row Executor::apply(Fn fn, Row a, Row b, unsigned buffer) {
  const void *sources[] = {a.data, b.data};
  int64_t strides[] = {a.stride, b.stride};
  void *result = scratch(buffer);
  semantics::rowFunction(fn, DType::F32)(sources, strides, result, count,
                                         &dividedByZero);
  if (info(fn).resultIsBool) {
    // A byte each; spread backwards would do in place, but this is plainer.
    std::memcpy(scratch(Gathered), result, count);
    semantics::rowCast(CastKind::Hardware, DType::Bool,
                       DType::F32)(scratch(Gathered), 1, result, count);
  }
  return {result, 1};
}

void Executor::storeResult(Fn fn, DType compute,
                           std::initializer_list<Row> sources, CastKind cast) {
  const void *data[3];
  int64_t strides[3];
  size_t i = 0;
  for (const Row &row : sources) {
    data[i] = row.data;
    strides[i++] = row.stride;
  }
  semantics::rowFunction(fn, compute)(data, strides, scratch(Result), count,
                                      &dividedByZero);
  store(scratch(Result), semantics::resultType(fn, compute), cast,
        instruction->dst, count);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Executor::memset() {
  const Operand &dst = instruction->dst;
  moveElements(bytesOf(dst.dtype),
               reinterpret_cast<const uint8_t *>(&instruction->src[0].bits), 0,
               at(dst), dst.stride, count);
}

void Executor::tensorCopy() {
  const Operand &src = instruction->src[0], &dst = instruction->dst;
  if (src.dtype == dst.dtype) {
    moveElements(bytesOf(dst.dtype), at(src), src.stride, at(dst), dst.stride,
                 count);
    return;
  }
  Row row = load(src, DType::F32, CastKind::Hardware, Source0);
  storeResult(Fn::identity, DType::F32, {row}, CastKind::Hardware);
}

void Executor::tensorTensor() {
  Row a = load(instruction->src[0], DType::F32, CastKind::Hardware, Source0);
  Row b = load(instruction->src[1], DType::F32, CastKind::Hardware, Source1);
  storeResult(instruction->fn[0], DType::F32, {a, b}, CastKind::Hardware);
}

/// tensor_scalar and scalar_tensor_tensor.
void Executor::tensorScalar() {
  const auto &[fn, reverse] = std::tie(instruction->fn, instruction->reverse);
  Row a = load(instruction->src[0], DType::F32, CastKind::Hardware, Source0);
  Row b = load(instruction->src[1], DType::F32, CastKind::Hardware, Source1);
  if (reverse[0])
    std::swap(a, b);
  if (instruction->src[2].kind == Operand::Kind::None) {
    storeResult(fn[0], DType::F32, {a, b}, CastKind::Hardware);
    return;
  }
  Row inner = apply(fn[0], a, b, Inner);
  Row c = load(instruction->src[2], DType::F32, CastKind::Hardware, Source2);
  if (reverse[1])
    std::swap(inner, c);
  storeResult(fn[1], DType::F32, {inner, c}, CastKind::Hardware);
}

void Executor::tensorTensorScan() {
  auto in = [&](unsigned i) {
    return load(instruction->src[i], DType::F32, CastKind::Hardware,
                Source0 + i);
  };
  auto floats = [](Row row) { return static_cast<const float *>(row.data); };
  Row a = in(0), b = in(1), initial = in(2);
  // Not into dst at once: it may be narrower than fp32, or a source.
  semantics::rowTensorScan(instruction->fn[0], instruction->fn[1])(
      {floats(a), floats(b)}, {a.stride, b.stride}, instruction->reverse,
      *floats(initial), static_cast<float *>(scratch(Result)), count);
  store(scratch(Result), DType::F32, CastKind::Hardware, instruction->dst,
        count);
}

void Executor::tensorReduce() {
  const Operand &dst = instruction->dst;
  Row row = load(instruction->src[0], DType::F32, CastKind::Hardware, Source0);
  float old, result;
  bool accumulates = instruction->accumulate == Accumulate::Yes;
  if (accumulates)
    semantics::rowCast(CastKind::Hardware, dst.dtype, DType::F32)(at(dst), 1,
                                                                  &old, 1);
  auto reduction = *semantics::reductionOf(instruction->fn[0]);
  semantics::rowReduction(reduction, DType::F32)(
      row.data, row.stride, count, accumulates ? &old : nullptr, &result);
  store(&result, DType::F32, CastKind::Hardware, dst, 1);
}

void Executor::activation() {
  const auto &[x, scale, bias] = instruction->src;
  Row row = load(x, DType::F32, CastKind::Hardware, Source0);
  if (scale.kind != Operand::Kind::None)
    row = apply(Fn::mul, row,
                load(scale, DType::F32, CastKind::Hardware, Source1), Inner);
  if (bias.kind != Operand::Kind::None)
    row = apply(Fn::add, row,
                load(bias, DType::F32, CastKind::Hardware, Source2), Result);
  row = apply(instruction->fn[0], row, row, Source0);
  if (instruction->dst.isTile())
    store(row.data, DType::F32, CastKind::Hardware, instruction->dst, count);
  if (!instruction->acc.isTile())
    return;
  float old, sum;
  bool accumulates = instruction->accumulate == Accumulate::Yes;
  if (accumulates)
    std::memcpy(&old, at(instruction->acc), sizeof(old));
  semantics::rowReduction(semantics::Reduction::Sum, DType::F32)(
      row.data, row.stride, count, accumulates ? &old : nullptr, &sum);
  std::memcpy(at(instruction->acc), &sum, sizeof(sum));
}

void Executor::reciprocal() {
  Row row = load(instruction->src[0], DType::F32, CastKind::Hardware, Source0);
  storeResult(Fn::reciprocal, DType::F32, {row}, CastKind::Hardware);
}

void Executor::select() {
  const Operand &dst = instruction->dst;
  unsigned bytes = bytesOf(dst.dtype);
  Row condition =
      load(instruction->src[0], DType::Bool, CastKind::Hardware, Source0);
  Row onTrue =
      load(instruction->src[1], dst.dtype, CastKind::Hardware, Source1);
  Row onFalse =
      load(instruction->src[2], dst.dtype, CastKind::Hardware, Source2);
  auto *out = static_cast<uint8_t *>(scratch(Result));
  for (int64_t i = 0; i < count; ++i) {
    bool holds =
        static_cast<const uint8_t *>(condition.data)[i * condition.stride] != 0;
    const Row &chosen = holds ? onTrue : onFalse;
    std::memcpy(out + i * bytes,
                static_cast<const uint8_t *>(chosen.data) +
                    i * chosen.stride * bytes,
                bytes);
  }
  moveElements(bytes, out, 1, at(dst), dst.stride, count);
}

void Executor::iota() {
  auto *out = static_cast<int64_t *>(scratch(Result));
  int64_t first = instruction->index.at(it->counters) +
                  instruction->rowStep * int64_t(partition);
  for (int64_t i = 0; i < count; ++i)
    out[i] = first + instruction->step * i;
  store(out, DType::I64, CastKind::Torch, instruction->dst, count);
}

void Executor::gpsimdElementwise() {
  Fn fn = instruction->fn[0];
  Row rows[3] = {};
  for (unsigned i = 0; i < info(fn).arity; ++i)
    rows[i] = load(instruction->src[i],
                   semantics::operandType(fn, i, instruction->compute),
                   CastKind::Torch, Source0 + i);
  storeResult(fn, instruction->compute, {rows[0], rows[1], rows[2]},
              CastKind::Torch);
}

void Executor::gpsimdReduce() {
  const Operand &dst = instruction->dst, &acc = instruction->acc;
  DType compute = instruction->compute;
  bool accumulates = instruction->accumulate == Accumulate::Yes;
  Row row = load(instruction->src[0], compute, CastKind::Torch, Source0);
  using Reduce = Instruction::Reduce;
  if (instruction->reduce == Reduce::ArgMax ||
      instruction->reduce == Reduce::ArgMin) {
    uint64_t unwanted;
    void *value = acc.isTile() ? static_cast<void *>(at(acc)) : &unwanted;
    semantics::rowArgReduction(compute)(
        instruction->reduce == Reduce::ArgMax, row.data, row.stride, count,
        instruction->index.at(it->counters), accumulates, value,
        reinterpret_cast<int64_t *>(at(dst)));
    return;
  }
  uint64_t old, result;
  if (accumulates)
    semantics::rowCast(CastKind::Torch, dst.dtype, compute)(at(dst), 1, &old,
                                                            1);
  semantics::rowReduction(semantics::reductionOf(instruction->reduce), compute)(
      row.data, row.stride, count, accumulates ? &old : nullptr, &result);
  store(&result, compute, CastKind::Torch, dst, 1);
}

void Executor::gpsimdScan() {
  DType compute = instruction->compute;
  bool goesOn = instruction->accumulate == Accumulate::Yes;
  Row row = load(instruction->src[0], compute, CastKind::Torch, Source0);
  uint64_t carry = 0;
  if (goesOn)
    std::memcpy(&carry, at(instruction->acc), bytesOf(compute));
  semantics::rowScan(instruction->reduce, compute)(
      row.data, row.stride, scratch(Result), count, goesOn, &carry);
  if (instruction->acc.isTile())
    std::memcpy(at(instruction->acc), &carry, bytesOf(compute));
  store(scratch(Result), compute, CastKind::Torch, instruction->dst, count);
}

void Executor::gpsimdSort() {
  const Operand &dst = instruction->dst, &acc = instruction->acc;
  DType dtype = instruction->src[0].dtype;
  Row row = load(instruction->src[0], dtype, CastKind::Torch, Source0);
  if (row.stride == 0) { // one element, repeated
    moveElements(bytesOf(dtype), static_cast<const uint8_t *>(row.data), 0,
                 static_cast<uint8_t *>(scratch(Inner)), 1, count);
    row.data = scratch(Inner);
  }
  auto *values = dst.isTile() ? scratch(Result) : nullptr;
  auto *indices =
      acc.isTile() ? static_cast<int64_t *>(scratch(Source1)) : nullptr;
  semantics::sortRow(dtype, row.data, count, instruction->reverse[0], values,
                     indices);
  if (values)
    moveElements(bytesOf(dtype), static_cast<uint8_t *>(values), 1, at(dst),
                 dst.stride, count);
  if (indices)
    moveElements(8, reinterpret_cast<uint8_t *>(indices), 1, at(acc),
                 acc.stride, count);
}

void Executor::gpsimdRandom() {
  const Operand &dst = instruction->dst;
  uint64_t key;
  std::memcpy(&key, at(instruction->src[0]), sizeof(key));
  int64_t first = instruction->index.at(it->counters) +
                  instruction->rowStep * int64_t(partition);
  semantics::randomRow(dst.dtype, key, first, instruction->step,
                       scratch(Result), count);
  moveElements(bytesOf(dst.dtype), static_cast<uint8_t *>(scratch(Result)), 1,
               at(dst), dst.stride, count);
}

} // namespace neuron::simulator

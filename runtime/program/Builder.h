//===- Builder.h - device programs by hand ----------------------*- C++ -*-===//
//
// For tests: programs in a few lines.
//
//   Builder b;
//   auto x = b.tensor("x", TensorKind::Input, DType::F32, {256, 64});
//   b.kernel("k");
//   b.loop(2);
//   b.load(Unit::Sync, queue(0), 128, tile(DType::F32, 0, 64),
//          b.window(x, 256, 64, affine(0, {128}))).signal = true;
//   b.end();
//
// A returned instruction may be changed until the next one is added.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include <bit>
#include <cassert>
#include <initializer_list>

namespace neuron::program {

inline Affine affine(int64_t base,
                     std::initializer_list<int64_t> coefficients = {}) {
  Affine result{.base = base};
  size_t i = 0;
  for (int64_t coefficient : coefficients)
    result.coefficients[i++] = coefficient;
  return result;
}

inline Wait waitFor(Unit unit, int64_t base,
                    std::initializer_list<int64_t> coefficients = {}) {
  return {unit, affine(base, coefficients)};
}

inline Operand tile(DType dtype, uint32_t offset, uint32_t elems,
                    uint8_t stride = 1) {
  Operand operand;
  operand.kind = Operand::Kind::Tile;
  operand.dtype = dtype;
  operand.offset = offset;
  operand.elems = elems;
  operand.stride = stride;
  return operand;
}

/// A tile of PSUM, `offset` bytes from its start.
inline Operand psumTile(DType dtype, uint32_t offset, uint32_t elems,
                        uint8_t stride = 1) {
  return tile(dtype, kPsumBase + offset, elems, stride);
}

/// The tile, turning over `buffers` places `pitch` bytes apart.
inline Operand rotating(Operand tile, uint16_t buffers, uint32_t pitch) {
  tile.buffers = buffers;
  tile.pitch = pitch;
  return tile;
}

inline Operand immediate(DType dtype, uint64_t bits) {
  Operand operand;
  operand.kind = Operand::Kind::Immediate;
  operand.dtype = dtype;
  operand.bits = bits;
  return operand;
}
inline Operand immediate(float value) {
  return immediate(DType::F32, std::bit_cast<uint32_t>(value));
}

class Builder {
public:
  explicit Builder(const char *target = "trn2") {
    program.target = target;
    program.locations = {"<unknown>"};
  }

  Program program;

  /// A dense tensor.
  uint32_t tensor(const char *name, TensorKind kind, DType dtype,
                  std::vector<int64_t> shape) {
    Tensor tensor;
    tensor.name = name;
    tensor.kind = kind;
    tensor.dtype = dtype;
    tensor.span = 1;
    tensor.strides.resize(shape.size());
    for (size_t i = shape.size(); i-- > 0; tensor.span *= shape[i])
      tensor.strides[i] = tensor.span;
    tensor.shape = std::move(shape);
    if (kind == TensorKind::Constant)
      tensor.data.resize(tensor.bytes());
    program.tensors.push_back(std::move(tensor));
    return static_cast<uint32_t>(program.tensors.size() - 1);
  }

  /// A dense tensor seen as rows x cols.
  static HbmAccess window(uint32_t tensor, int64_t rows, int64_t cols,
                          Affine row = {}, Affine column = {}) {
    return {.tensor = tensor,
            .offset = 0,
            .rowSizes = {rows},
            .rowStrides = {cols},
            .colSizes = {cols},
            .colStrides = {1},
            .row = row,
            .column = column};
  }

  void kernel(const char *name) {
    assert(open.empty() && "a loop is not ended");
    program.kernels.push_back({name, {}});
  }

  void loop(int64_t count) { open.push_back({count, {}}); }
  void end() {
    Loop done = std::move(open.back());
    open.pop_back();
    body().push_back(std::move(done));
  }

  void barrier() { body().push_back(Barrier{location}); }

  Instruction &add(Instruction instruction) {
    instruction.location = location;
    body().push_back(std::move(instruction));
    return std::get<Instruction>(body().back());
  }

  Instruction &add(Opcode opcode, Unit engine, uint16_t parts, Operand dst,
                   std::initializer_list<Operand> sources = {}) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.engine = engine;
    instruction.parts = parts;
    instruction.dst = dst;
    size_t i = 0;
    for (const Operand &source : sources)
      instruction.src[i++] = source;
    return add(std::move(instruction));
  }

  Instruction &load(Unit engine, Unit queue, uint16_t parts, Operand dst,
                    HbmAccess hbm) {
    Instruction &it = add(Opcode::DmaLoad, engine, parts, dst);
    it.queue = queue;
    it.hbm = std::move(hbm);
    return it;
  }

  Instruction &store(Unit engine, Unit queue, uint16_t parts, HbmAccess hbm,
                     Operand src) {
    Instruction &it = add(Opcode::DmaStore, engine, parts, {}, {src});
    it.queue = queue;
    it.hbm = std::move(hbm);
    return it;
  }

  Instruction &memset(Unit engine, uint16_t parts, Operand dst, Operand value) {
    return add(Opcode::Memset, engine, parts, dst, {value});
  }
  Instruction &copy(Unit engine, uint16_t parts, Operand dst, Operand src) {
    return add(Opcode::TensorCopy, engine, parts, dst, {src});
  }

  Instruction &tensorTensor(uint16_t parts, Operand dst, Fn fn, Operand a,
                            Operand b) {
    Instruction &it =
        add(Opcode::TensorTensor, Unit::Vector, parts, dst, {a, b});
    it.fn[0] = fn;
    return it;
  }
  Instruction &tensorScalar(uint16_t parts, Operand dst, Operand x, Fn fn0,
                            Operand a, Fn fn1 = Fn::identity, Operand b = {}) {
    Instruction &it =
        add(Opcode::TensorScalar, Unit::Vector, parts, dst, {x, a, b});
    it.fn = {fn0, fn1};
    return it;
  }
  Instruction &activation(uint16_t parts, Operand dst, Fn fn, Operand x,
                          Operand scale = {}, Operand bias = {},
                          Operand acc = {}) {
    Instruction &it =
        add(Opcode::Activation, Unit::Scalar, parts, dst, {x, scale, bias});
    it.fn[0] = fn;
    it.acc = acc;
    return it;
  }
  Instruction &reduce(uint16_t parts, Operand dst, Fn fn, Operand x) {
    Instruction &it = add(Opcode::TensorReduce, Unit::Vector, parts, dst, {x});
    it.fn[0] = fn;
    return it;
  }
  /// r(i) = fn1(fn0(a[i], r(i-1)), b[i]), r(-1) = initial.
  Instruction &tensorTensorScan(uint16_t parts, Operand dst, Operand a, Fn fn0,
                                Fn fn1, Operand b, Operand initial) {
    Instruction &it = add(Opcode::TensorTensorScan, Unit::Vector, parts, dst,
                          {a, b, initial});
    it.fn = {fn0, fn1};
    return it;
  }
  /// dst (+)= stationary^T . moving; `parts` is K.
  Instruction &matmul(uint16_t parts, Operand dst, Operand stationary,
                      Operand moving, Accumulate accumulate = Accumulate::No) {
    Instruction &it =
        add(Opcode::Matmul, Unit::Tensor, parts, dst, {stationary, moving});
    it.accumulate = accumulate;
    return it;
  }
  Instruction &transpose(uint16_t parts, Operand dst, Operand src) {
    return add(Opcode::Transpose, Unit::Tensor, parts, dst, {src});
  }
  Instruction &gpsimd(uint16_t parts, Operand dst, Fn fn, DType compute,
                      std::initializer_list<Operand> sources) {
    Instruction &it =
        add(Opcode::GpsimdElementwise, Unit::GpSimd, parts, dst, sources);
    it.fn[0] = fn;
    it.compute = compute;
    return it;
  }
  Instruction &gpsimdReduce(uint16_t parts, Operand dst,
                            Instruction::Reduce reduce, DType compute,
                            Operand x, Operand acc = {}) {
    Instruction &it = add(Opcode::GpsimdReduce, Unit::GpSimd, parts, dst, {x});
    it.reduce = reduce;
    it.compute = compute;
    it.acc = acc;
    return it;
  }

  /// The location id of the instructions that follow.
  void at(const char *id) {
    program.locations.push_back(id);
    location = static_cast<uint32_t>(program.locations.size() - 1);
  }

private:
  std::vector<Node> &body() {
    return open.empty() ? program.kernels.back().body : open.back().body;
  }

  std::vector<Loop> open;
  uint32_t location = 0;
};

} // namespace neuron::program

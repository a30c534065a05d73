//===- RowKernels.h - row kernels as the compiler makes them ----*- C++ -*-===//
//
// Device programs of the common normalisations, for tests and benchmarks.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Builder.h"

namespace neuron::program {

/// Builds one kernel over x: rows x cols -> y, 128 rows at a time, the last
/// tile with what is left.
class RowKernel {
public:
  RowKernel(const char *name, DType dtype, int64_t rows, int64_t cols)
      : dtype(dtype), rows(rows), cols(cols) {
    input = b.tensor("x", TensorKind::Input, dtype, {rows, cols});
    output = b.tensor("y", TensorKind::Output, dtype, {rows, cols});
    b.kernel(name);
  }

  Builder b;

  /// A vector over the columns, the same for all rows.
  Operand vectorOperand(const char *name) {
    uint32_t tensor = b.tensor(name, TensorKind::Input, dtype, {cols});
    Operand result = row(dtype);
    HbmAccess access = b.window(tensor, 128, cols);
    access.rowStrides = {0};
    b.load(Unit::Sync, queue(0), uint16_t(std::min<int64_t>(rows, 128)), result,
           access);
    b.barrier();
    return result;
  }

  /// Calls body(parts, x, y) for the tiles.
  template <typename Body> Program build(Body body) {
    Operand x = rotating(row(dtype), 2, bytes(dtype)), y = x;
    place += bytes(dtype);
    y = rotating(row(dtype), 2, bytes(dtype));
    place += bytes(dtype);
    auto tiles = [&](Affine at, uint16_t parts) {
      b.load(Unit::Sync, queue(1), parts, x, b.window(input, rows, cols, at));
      b.barrier();
      body(parts, x, y);
      b.barrier();
      b.store(Unit::GpSimd, queue(2), parts, b.window(output, rows, cols, at),
              y);
      b.barrier();
    };
    if (rows >= 128) {
      b.loop(rows / 128);
      tiles(affine(0, {128}), 128);
      b.end();
    }
    if (rows % 128 != 0) {
      x.buffers = y.buffers = 1;
      tiles(affine(rows / 128 * 128), uint16_t(rows % 128));
    }
    return b.program;
  }

  Operand row(DType type) {
    Operand result = tile(type, place, uint32_t(cols));
    place += bytes(type);
    return result;
  }
  Operand one() {
    Operand result = tile(DType::F32, place, 1);
    place += 64;
    return result;
  }

private:
  uint32_t bytes(DType type) const {
    return uint32_t((cols * bytesOf(type) + 63) / 64 * 64);
  }

  DType dtype;
  int64_t rows, cols;
  uint32_t input, output, place = 0;
};

inline Program rmsNorm(DType dtype, int64_t rows, int64_t cols) {
  RowKernel k("rms_norm", dtype, rows, cols);
  Builder &b = k.b;
  Operand w = k.vectorOperand("w"), sum = k.one(), mean = k.one();
  return k.build([&](uint16_t parts, Operand x, Operand y) {
    b.activation(parts, {}, Fn::square, x, {}, {}, sum);
    b.barrier();
    b.tensorScalar(parts, mean, sum, Fn::mul, immediate(1.0f / float(cols)),
                   Fn::add, immediate(1e-6f));
    b.barrier();
    b.gpsimd(parts, sum, Fn::rsqrt, DType::F32, {mean});
    b.barrier();
    Instruction &it =
        b.add(Opcode::ScalarTensorTensor, Unit::Vector, parts, y, {x, sum, w});
    it.fn = {Fn::mul, Fn::mul};
  });
}

inline Program layerNorm(DType dtype, int64_t rows, int64_t cols) {
  RowKernel k("layer_norm", dtype, rows, cols);
  Builder &b = k.b;
  Operand w = k.vectorOperand("w"), bias = k.vectorOperand("b");
  Operand sum = k.one(), mean = k.one();
  Operand centred = k.row(DType::F32), scaled = k.row(DType::F32);
  Operand factor = immediate(1.0f / float(cols));
  return k.build([&](uint16_t parts, Operand x, Operand y) {
    b.reduce(parts, sum, Fn::add, x);
    b.tensorScalar(parts, mean, sum, Fn::mul, factor);
    b.tensorScalar(parts, centred, x, Fn::sub, mean);
    b.barrier();
    b.activation(parts, {}, Fn::square, centred, {}, {}, sum);
    b.barrier();
    b.tensorScalar(parts, mean, sum, Fn::mul, factor, Fn::add,
                   immediate(1e-5f));
    b.barrier();
    b.gpsimd(parts, sum, Fn::rsqrt, DType::F32, {mean});
    b.barrier();
    Instruction &it = b.add(Opcode::ScalarTensorTensor, Unit::Vector, parts,
                            scaled, {centred, sum, w});
    it.fn = {Fn::mul, Fn::mul};
    b.tensorTensor(parts, y, Fn::add, scaled, bias);
  });
}

inline Program softmax(DType dtype, int64_t rows, int64_t cols) {
  RowKernel k("softmax", dtype, rows, cols);
  Builder &b = k.b;
  Operand maximum = k.one(), negative = k.one(), sum = k.one(),
          factor = k.one();
  Operand exponential = k.row(DType::F32);
  return k.build([&](uint16_t parts, Operand x, Operand y) {
    b.reduce(parts, maximum, Fn::hw_max, x);
    b.tensorScalar(parts, negative, maximum, Fn::mul, immediate(-1.0f));
    b.barrier();
    b.activation(parts, exponential, Fn::exp, x, immediate(1.0f), negative,
                 sum);
    b.barrier();
    b.add(Opcode::Reciprocal, Unit::Vector, parts, factor, {sum});
    b.tensorScalar(parts, y, exponential, Fn::mul, factor);
  });
}

inline Program biasGelu(DType dtype, int64_t rows, int64_t cols) {
  RowKernel k("bias_gelu", dtype, rows, cols);
  Builder &b = k.b;
  Operand bias = k.vectorOperand("b"), sum = k.row(DType::F32);
  return k.build([&](uint16_t parts, Operand x, Operand y) {
    b.tensorTensor(parts, sum, Fn::add, x, bias);
    b.barrier();
    b.activation(parts, y, Fn::gelu, sum);
  });
}

} // namespace neuron::program

//===- SampleProgram.cpp - programs for tests -----------------------------===//
#include "test/runtime/SampleProgram.h"
#include "runtime/program/Builder.h"

using namespace neuron::program;

namespace neuron::test {
namespace {

Affine manyLoops(int64_t base) {
  return {base, {base + 1, -base - 2, base + 3, -(int64_t(1) << 62)}};
}

Instruction fullInstruction() {
  Instruction in;
  in.opcode = Opcode::GpsimdReduce;
  in.engine = Unit::GpSimd;
  in.queue = queue(15);
  in.parts = 127;
  in.fn = {Fn::mul, Fn::shift_right};
  in.reverse = {true, true};
  in.compute = DType::I64;
  in.reduce = Instruction::Reduce::ArgMin;
  in.accumulate = Accumulate::Yes;
  in.dst = tile(DType::F64, 196608, 3000);
  in.dst.stride = 2;
  in.dst.buffers = 300;
  in.dst.pitch = 70000;
  in.acc = tile(DType::BF16, 8, 1);
  in.src[0] = tile(DType::U8, 16, 4);
  in.src[1].kind = Operand::Kind::Immediate;
  in.src[1].dtype = DType::U64;
  in.src[1].bits = ~uint64_t(0);
  in.src[2] = tile(DType::Bool, 24, 5);
  in.hbm = {1,
            -7,
            {2, 3, 4, 5, 6, 7, 8, 9},
            {-1, 0},
            {10, 11},
            {12, 13},
            manyLoops(14),
            manyLoops(15)};
  in.index = manyLoops(16);
  in.rowStep = -17;
  in.step = 18;
  in.signal = true;
  in.waits = {{queue(3), manyLoops(19)}, {Unit::Sync, manyLoops(-20)}};
  in.location = 1;
  return in;
}

} // namespace

Program everyField() {
  Program program;
  program.target = "trn2";
  Tensor x{"x", TensorKind::Input, DType::BF16, {4, 512}, {1, -1}, 2048, -1,
           {}};
  Tensor y{"y", TensorKind::Output, DType::I64, {}, {}, 1, 0, {}};
  Tensor c{"c", TensorKind::Constant, DType::F16, {2}, {1}, 2,
           -1,  {0, 1, 2, 255}};
  Tensor s{"s", TensorKind::Scratch, DType::F64, {3}, {1}, 3, -1, {}};
  program.tensors = {x, y, c, s};
  Loop innermost{1, {fullInstruction()}};
  Loop third{2, {innermost, Barrier{1}}};
  Loop second{int64_t(1) << 40, {third}};
  Loop outer{3, {Barrier{2}, second, Instruction()}};
  program.kernels = {{"first", {outer, fullInstruction()}}, {"second", {}}};
  program.locations = {"<unknown>", "layer/add",
                       std::string("nul\0inside", 10)};
  return program;
}

Program addProgram(int64_t rows, int64_t cols) {
  Program program;
  program.target = "trn2";
  auto tensor = [&](const char *name, TensorKind kind) {
    return Tensor{name,      kind,        DType::F32, {rows, cols},
                  {cols, 1}, rows * cols, -1,         {}};
  };
  program.tensors = {tensor("a", TensorKind::Input),
                     tensor("b", TensorKind::Input),
                     tensor("out", TensorKind::Output)};
  program.locations = {"<unknown>", "add"};

  auto bytes = static_cast<uint32_t>(4 * cols);
  auto elems = static_cast<uint32_t>(cols);
  // One block of rows after the other: each step waits for the one before.
  Kernel kernel{"add", {}};
  int64_t blocks = 0;
  for (int64_t row = 0; row < rows; row += 128, ++blocks) {
    auto dma = [&](uint32_t index, Opcode opcode, Unit on) {
      Instruction in;
      in.opcode = opcode;
      in.engine = Unit::Sync;
      in.queue = on;
      in.parts = static_cast<uint16_t>(std::min<int64_t>(128, rows - row));
      in.hbm.tensor = index;
      in.hbm.rowSizes = {rows};
      in.hbm.rowStrides = {cols};
      in.hbm.colSizes = {cols};
      in.hbm.colStrides = {1};
      in.hbm.row.base = row;
      in.signal = true;
      in.location = 1;
      return in;
    };
    Instruction loadA = dma(0, Opcode::DmaLoad, queue(0));
    loadA.dst = tile(DType::F32, 0, elems);
    Instruction loadB = dma(1, Opcode::DmaLoad, queue(1));
    loadB.dst = tile(DType::F32, bytes, elems);
    loadA.waits = loadB.waits = {{queue(2), {blocks, {}}}};

    Instruction add;
    add.opcode = Opcode::TensorTensor;
    add.engine = Unit::Vector;
    add.parts = loadA.parts;
    add.fn[0] = Fn::add;
    add.src[0] = loadA.dst;
    add.src[1] = loadB.dst;
    add.dst = tile(DType::F32, 2 * bytes, elems);
    add.signal = true;
    add.location = 1;
    add.waits = {{queue(0), {blocks + 1, {}}}, {queue(1), {blocks + 1, {}}}};

    Instruction store = dma(2, Opcode::DmaStore, queue(2));
    store.src[0] = add.dst;
    store.waits = {{Unit::Vector, {blocks + 1, {}}}};
    kernel.body.insert(kernel.body.end(), {loadA, loadB, add, store});
  }
  program.kernels = {std::move(kernel)};
  return program;
}

Program stridedProgram() {
  Builder b;
  uint32_t x =
      b.tensor("x.must_alias_input", TensorKind::Input, DType::BF16, {4, 3});
  uint32_t doubled = b.tensor("x", TensorKind::Output, DType::BF16, {4, 3});
  uint32_t z = b.tensor("z", TensorKind::Output, DType::BF16, {4, 3});
  b.program.tensors[x].strides = {1, 4};
  b.program.tensors[doubled].strides = {1, 4};
  b.program.tensors[doubled].aliasedInput = static_cast<int32_t>(x);
  auto transposed = [&](uint32_t tensor) {
    HbmAccess access = b.window(tensor, 4, 3);
    access.rowStrides = {1};
    access.colStrides = {4};
    return access;
  };
  Operand read = tile(DType::BF16, 0, 3), sum = tile(DType::BF16, 64, 3);

  b.kernel("double");
  b.load(Unit::Sync, queue(0), 4, read, transposed(x)).signal = true;
  Instruction &add = b.tensorTensor(4, sum, Fn::add, read, read);
  add.signal = true;
  add.waits = {waitFor(queue(0), 1)};
  b.store(Unit::Sync, queue(1), 4, b.window(z, 4, 3), read).waits = {
      waitFor(queue(0), 1)};
  b.store(Unit::Sync, queue(2), 4, transposed(doubled), sum).waits = {
      waitFor(Unit::Vector, 1)};
  return b.program;
}

Program slowProgram() {
  Builder b;
  uint32_t out = b.tensor("out", TensorKind::Output, DType::F32, {128, 512});
  Operand ones = tile(DType::F32, 0, 512);
  b.kernel("slow");
  b.loop(int64_t(1) << 24);
  b.memset(Unit::Vector, 128, ones, immediate(1.f)).signal = true;
  b.end();
  b.store(Unit::Sync, queue(0), 128, b.window(out, 128, 512), ones).waits = {
      waitFor(Unit::Vector, int64_t(1) << 24)};
  return b.program;
}

Program productProgram() {
  Builder b;
  uint32_t x = b.tensor("x", TensorKind::Input, DType::F32, {24, 20});
  uint32_t w = b.tensor("w", TensorKind::Input, DType::F32, {20, 16});
  uint32_t y = b.tensor("y", TensorKind::Output, DType::F32, {24, 16});
  Operand rows = tile(DType::F32, 0, 20), turned = tile(DType::F32, 128, 24);
  Operand weights = tile(DType::F32, 256, 16), out = tile(DType::F32, 512, 16);
  Operand across = psumTile(DType::F32, 0, 24);
  Operand sum = psumTile(DType::F32, 2048, 16);

  b.kernel("product");
  b.load(Unit::Sync, queue(0), 24, rows, b.window(x, 24, 20)).signal = true;
  b.load(Unit::Sync, queue(0), 20, weights, b.window(w, 20, 16)).signal = true;
  Instruction &transpose = b.transpose(24, across, rows);
  transpose.signal = true;
  transpose.waits = {waitFor(queue(0), 1)};
  Instruction &copy = b.copy(Unit::Vector, 20, turned, across);
  copy.signal = true;
  copy.waits = {waitFor(Unit::Tensor, 1)};
  b.matmul(20, sum, turned, weights).waits = {waitFor(Unit::Vector, 1),
                                              waitFor(queue(0), 2)};
  b.matmul(20, sum, turned, weights, Accumulate::Yes).signal = true;
  Instruction &evict = b.copy(Unit::Scalar, 24, out, sum);
  evict.signal = true;
  evict.waits = {waitFor(Unit::Tensor, 2)};
  b.store(Unit::Sync, queue(1), 24, b.window(y, 24, 16), out).waits = {
      waitFor(Unit::Scalar, 1)};
  return b.program;
}

} // namespace neuron::test

//===- ProgramFuzzTest.cpp - strangers' programs --------------------------===//
//
// Encoded programs with changed bytes. What decodes and passes verify runs: it
// may fail, but with a fault that says why. Meant for a build with
// NEURON_SANITIZE; the seed is fixed.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"
#include "runtime/program/Builder.h"
#include "runtime/program/Encoding.h"
#include "runtime/program/Verify.h"
#include <gtest/gtest.h>
#include <random>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

/// Gathers and scatters by a count, and what sequences do.
void addIndexed(Builder &b, uint32_t from, uint32_t to) {
  const DType f32 = DType::F32, i64 = DType::I64;
  Operand places = tile(i64, 8192, 24), moved = tile(f32, 12288, 24);
  b.add(Opcode::Iota, Unit::GpSimd, 10, places).step = 1;
  b.barrier();
  for (Opcode opcode : {Opcode::DmaGather, Opcode::DmaScatter}) {
    Instruction it;
    it.opcode = opcode;
    it.engine = Unit::GpSimd;
    it.queue = queue(opcode == Opcode::DmaGather ? 8 : 12);
    it.parts = 10;
    bool gathers = opcode == Opcode::DmaGather;
    it.hbm = Builder::window(gathers ? from : to, 10, 24);
    it.hbm.rowStrides = {0};
    it.hbm.indexStride = 24;
    it.hbm.indexBound = 40;
    (gathers ? it.dst : it.src[0]) = moved;
    it.src[gathers ? 0 : 1] = places;
    b.add(it);
    b.barrier();
  }
  Operand other = tile(f32, 16384, 24), key = tile(i64, 20480, 1);
  Instruction &scan =
      b.add(Opcode::GpsimdScan, Unit::GpSimd, 10, other, {moved});
  scan.acc = tile(f32, 20488, 1);
  b.add(Opcode::GpsimdSort, Unit::GpSimd, 10, moved, {other}).acc = places;
  b.gpsimdReduce(10, key, Instruction::Reduce::Max, i64, places);
  b.add(Opcode::GpsimdRandom, Unit::GpSimd, 10, other, {key}).step = 1;
  b.barrier();
}

/// All opcodes on a few tensors, with loops, rotation and waits.
Program sample() {
  const DType f32 = DType::F32;
  Builder b;
  auto x = b.tensor("x", TensorKind::Input, f32, {40, 24});
  auto y = b.tensor("y", TensorKind::Output, f32, {40, 24});
  auto s = b.tensor("s", TensorKind::Scratch, f32, {40, 24});
  b.kernel("k");
  b.loop(4);
  Operand in = rotating(tile(f32, 0, 24), 2, 128);
  Operand mid = tile(f32, 256, 24), out = tile(f32, 512, 24);
  b.load(Unit::Sync, queue(0), 10, in, b.window(x, 40, 24, affine(0, {10})))
      .signal = true;
  b.tensorTensor(10, mid, Fn::add, in, in).waits = {waitFor(queue(0), 1)};
  b.tensorScalar(10, mid, mid, Fn::mul, immediate(2.0f), Fn::lt,
                 tile(f32, 896, 1));
  b.reduce(10, tile(f32, 900, 1), Fn::hw_max, in);
  b.activation(10, out, Fn::exp, in, {}, tile(f32, 900, 1), tile(f32, 904, 1));
  b.add(Opcode::Reciprocal, Unit::Vector, 10, mid, {in});
  b.tensorTensorScan(10, mid, mid, Fn::mul, Fn::hw_max, in, tile(f32, 900, 1));
  b.add(Opcode::Iota, Unit::GpSimd, 10, tile(DType::I64, 1024, 24)).step = 1;
  b.gpsimd(10, tile(DType::I64, 2048, 24), Fn::floor_div, DType::I64,
           {tile(DType::I64, 1024, 24), immediate(DType::I64, 3)});
  b.gpsimd(10, tile(DType::Bool, 3072, 24), Fn::gt, DType::I64,
           {tile(DType::I64, 1024, 24), immediate(DType::I64, 3)});
  b.gpsimdReduce(10, tile(DType::I64, 912, 1), Instruction::Reduce::ArgMax,
                 DType::I64, tile(DType::I64, 2048, 24),
                 tile(DType::I64, 920, 1));
  b.barrier();
  b.add(Opcode::Select, Unit::Vector, 10, out,
        {tile(DType::Bool, 3072, 24), mid, immediate(1.0f)});
  b.copy(Unit::Scalar, 10, tile(DType::BF16, 4096, 24, 2), mid);
  b.barrier();
  b.store(Unit::Sync, queue(1), 10, b.window(s, 40, 24, affine(0, {10})), out)
      .signal = true;
  b.load(Unit::Scalar, queue(2), 10, mid, b.window(s, 40, 24, affine(0, {10})))
      .waits = {waitFor(queue(1), 1)};
  b.barrier();
  b.store(Unit::Scalar, queue(2), 10, b.window(y, 40, 24, affine(0, {10})),
          mid);
  b.barrier();
  b.transpose(10, psumTile(f32, 0, 10), in);
  b.matmul(10, rotating(psumTile(f32, 2048, 24), 2, 2048), in, mid);
  b.matmul(10, rotating(psumTile(f32, 2048, 24), 2, 2048), mid, in,
           Accumulate::Yes);
  b.barrier();
  b.copy(Unit::Vector, 24, tile(f32, 8192, 10), psumTile(f32, 0, 10));
  b.copy(Unit::Scalar, 10, out, rotating(psumTile(f32, 2048, 24), 2, 2048));
  b.barrier();
  addIndexed(b, x, y);
  b.end();
  // The pointer operand of tensor_scalar and the bias must be there before.
  auto &body = std::get<Loop>(b.program.kernels[0].body[0]).body;
  Instruction memset;
  memset.opcode = Opcode::Memset;
  memset.parts = 10;
  memset.dst = tile(f32, 896, 1);
  memset.src[0] = immediate(1.0f);
  body.insert(body.begin(), memset);
  body.insert(body.begin() + 5, Barrier{});
  return b.program;
}

int64_t bytesOf(const Program &program) {
  int64_t total = 0;
  for (const Tensor &tensor : program.tensors)
    total += tensor.bytes();
  return total;
}

Outcome runOnce(const Form &form, const Program &program) {
  auto executable = form.create(std::make_shared<Program>(program));
  if (!executable.ok()) {
    // The one thing that the compiled form refuses.
    EXPECT_NE(executable.message().find("waits for one that comes later"),
              std::string::npos)
        << executable.message();
    return {Fault::Deadlock, executable.message()};
  }
  std::vector<std::vector<uint8_t>> memory;
  std::vector<Buffer> buffers;
  for (const Tensor &tensor : program.tensors) {
    memory.emplace_back(tensor.bytes(), uint8_t(1));
    buffers.push_back({memory.back().data(), tensor.bytes()});
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (int32_t input = program.tensors[i].aliasedInput; input >= 0)
      buffers[i] = buffers[input];
  int polls = 0;
  return (*executable)->run(buffers, [&] { return ++polls > 4; });
}

class ProgramFuzz : public testing::TestWithParam<Form> {};

TEST_P(ProgramFuzz, TheSampleRuns) {
  ASSERT_TRUE(verify(sample()).ok()) << verify(sample()).message();
  Outcome outcome = runOnce(GetParam(), sample());
  EXPECT_EQ(int(outcome.fault), 0) << outcome.message;
}

TEST_P(ProgramFuzz, MutantsFailWithAMessage) {
  const std::vector<uint8_t> original = encode(sample());
  std::mt19937 random(20260101);
  auto below = [&](size_t limit) { return random() % limit; };
  unsigned decoded = 0, valid = 0, ran = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<uint8_t> bytes = original;
    for (size_t changes = 1 + below(3); changes > 0; --changes)
      bytes[below(bytes.size())] =
          below(2) ? uint8_t(random()) : uint8_t(below(4));
    auto program = decode(bytes);
    if (!program.ok()) {
      ASSERT_FALSE(program.message().empty());
      continue;
    }
    ++decoded;
    Status status = verify(*program);
    if (!status.ok()) {
      ASSERT_FALSE(status.message().empty());
      continue;
    }
    ++valid;
    if (bytesOf(*program) > 64 << 20)
      continue;
    Outcome outcome = runOnce(GetParam(), *program);
    ASSERT_EQ(outcome.fault == Fault::None, outcome.message.empty());
    ASSERT_NE(outcome.fault, Fault::Internal) << outcome.message;
    ran += outcome.fault == Fault::None;
  }
  // The test is of no use if hardly any mutant gets that far.
  EXPECT_GT(decoded, 500u);
  EXPECT_GT(valid, 200u);
  EXPECT_GT(ran, 50u);
  // The interpreter sees races and undefined reads; compiled code just runs.
  EXPECT_GE(valid, ran + (GetParam().name == "Interpreter"));
}

INSTANTIATE_TEST_SUITE_P(Forms, ProgramFuzz, testing::ValuesIn(allForms()),
                         [](const auto &info) { return info.param.name; });

} // namespace

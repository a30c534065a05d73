//===- EveryFunctionTest.cpp - functions and casts in both forms ----------===//
//
// Every row of Functions.def in every type it computes in, and every cast, on
// special and random values: host code gives the interpreter's bits, and those
// of the row functions.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Builder.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include "runtime/simulator/semantics/Semantics.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr uint16_t kParts = 4;
constexpr uint32_t kElems = 200; // no multiple of any vector

constexpr double kSpecial[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0.5,
                               -0.5,
                               1.5,
                               2.5,
                               -2.5,
                               127.0,
                               128.0,
                               -128.0,
                               -129.0,
                               255.0,
                               256.0,
                               300.7,
                               -300.7,
                               32767.0,
                               32768.0,
                               -32769.0,
                               65535.0,
                               65536.0,
                               65519.9,
                               65520.0,
                               70000.0,
                               1e-8,
                               -1e-8,
                               6e-8,
                               2.9e-8,
                               6.1e-5,
                               3e-39,
                               1e-45,
                               1e30,
                               -1e30,
                               2147483647.0,
                               2147483648.0,
                               -2147483648.0,
                               -2147483904.0,
                               4294967295.0,
                               4294967296.0,
                               9.2233720368547758e18,
                               -9.2233720368547758e18,
                               1.8446744073709552e19,
                               2e19,
                               88.7,
                               89.0,
                               -87.5,
                               -103.9,
                               -104.1,
                               709.9,
                               -745.0,
                               3.0,
                               7.0,
                               -7.0,
                               1e4,
                               1e8,
                               0.1,
                               -0.1,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               3.4e38,
                               1e39,
                               -1e300};

uint64_t bitsOf(DType dtype, double value, std::mt19937_64 &random) {
  uint64_t bits = 0;
  if (!isFloat(dtype)) {
    // Extremes of the type, and near zero.
    unsigned width = bytesOf(dtype) * 8;
    uint64_t top = uint64_t(1) << (width - 1);
    const uint64_t choices[] = {0,           1,         ~uint64_t(0),
                                top,         top - 1,   top + 1,
                                2,           3,         7,
                                width,       width - 1, width + 1,
                                random(),    random(),  random() % 100,
                                uint64_t(-5)};
    bits = choices[random() % std::size(choices)];
    return dtype == DType::Bool ? bits & 1 : bits;
  }
  semantics::rowCast(semantics::CastKind::Torch, DType::F64, dtype)(&value, 1,
                                                                    &bits, 1);
  return bits;
}

/// Special values by a stride, so that two operands meet in many pairs, then
/// any bits, then numbers of ordinary size.
std::vector<uint8_t> values(DType dtype, size_t stride, bool noZero) {
  std::mt19937_64 random(stride);
  std::normal_distribution<double> normal;
  size_t width = bytesOf(dtype), count = size_t(kParts) * kElems;
  std::vector<uint8_t> bytes(count * width);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    if (i < 500)
      bits = bitsOf(dtype, kSpecial[i * stride % std::size(kSpecial)], random);
    else if (i < 650 && isFloat(dtype))
      bits = random();
    else
      bits = bitsOf(dtype, normal(random) * 3, random);
    uint64_t mask = width == 8 ? ~uint64_t(0) : (uint64_t(1) << width * 8) - 1;
    if (noZero && (bits & mask) == 0)
      bits = 1;
    std::memcpy(&bytes[i * width], &bits, width);
  }
  return bytes;
}

/// A program that loads inputs and stores results, one after the other.
class Sheet {
public:
  Sheet() { b.kernel("sheet"); }

  Operand input(DType dtype, std::vector<uint8_t> contents) {
    Operand result = place(dtype);
    b.load(Unit::Sync, queue(0), kParts, result,
           window(TensorKind::Input, dtype, std::move(contents)));
    b.barrier();
    return result;
  }
  void store(Operand tile) {
    size_t bytes = size_t(kParts) * kElems * bytesOf(tile.dtype);
    b.store(Unit::Sync, queue(1), kParts,
            window(TensorKind::Output, tile.dtype, std::vector<uint8_t>(bytes)),
            tile);
    b.barrier();
  }
  Operand place(DType dtype) {
    Operand result = tile(dtype, offset, kElems);
    offset += (kElems * bytesOf(dtype) + 7) / 8 * 8;
    return result;
  }

  /// The outputs, or nothing.
  std::vector<std::vector<uint8_t>> run(bool compiled) {
    Status status = verify(b.program);
    EXPECT_TRUE(status.ok()) << status.message();
    auto program = std::make_shared<Program>(b.program);
    Result<std::unique_ptr<Executable>> executable =
        compiled ? createCompiled(program, "") : createInterpreter(program);
    EXPECT_TRUE(executable.ok()) << executable.message();
    auto copy = memory;
    std::vector<Buffer> buffers;
    for (auto &bytes : copy)
      buffers.push_back({bytes.data(), int64_t(bytes.size())});
    Outcome outcome = (*executable)->run(buffers);
    EXPECT_EQ(int(outcome.fault), 0) << outcome.message;
    std::vector<std::vector<uint8_t>> outputs;
    for (size_t i = 0; i < copy.size(); ++i)
      if (b.program.tensors[i].kind == TensorKind::Output)
        outputs.push_back(copy[i]);
    return outputs;
  }

  Builder b;

private:
  HbmAccess window(TensorKind kind, DType dtype,
                   std::vector<uint8_t> contents) {
    std::string name = "t" + std::to_string(memory.size());
    memory.push_back(std::move(contents));
    return b.window(b.tensor(name.c_str(), kind, dtype, {kParts, kElems}),
                    kParts, kElems);
  }

  uint32_t offset = 0;
  std::vector<std::vector<uint8_t>> memory;
};

void expectSame(Sheet &sheet, const std::vector<std::string> &what) {
  auto expected = sheet.run(false), actual = sheet.run(true);
  ASSERT_EQ(expected.size(), actual.size());
  ASSERT_EQ(expected.size(), what.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == actual[i])
      continue;
    size_t at = 0;
    while (expected[i][at] == actual[i][at])
      ++at;
    ADD_FAILURE() << what[i] << " differs at byte " << at << ": "
                  << int(actual[i][at]) << " not " << int(expected[i][at]);
  }
}

class EveryFunction : public testing::TestWithParam<DType> {};

TEST_P(EveryFunction, InBothForms) {
  DType compute = GetParam();
  for (bool divides : {false, true}) {
    Sheet sheet;
    Operand a = sheet.input(compute, values(compute, 7, false));
    Operand c = sheet.input(compute, values(compute, 23, divides));
    Operand condition = sheet.input(DType::Bool, values(DType::Bool, 3, false));
    std::vector<std::string> names;
    for (unsigned f = 0; f < kNumFns; ++f) {
      Fn fn = Fn(f);
      bool faults = !isFloat(compute) && info(fn).cost == FnCost::Divide;
      if (!isLegal(fn, compute) || faults != divides)
        continue;
      Operand result = sheet.place(semantics::resultType(fn, compute));
      Instruction &it =
          sheet.b.add(Opcode::GpsimdElementwise, Unit::GpSimd, kParts, result);
      it.fn[0] = fn, it.compute = compute;
      Operand sources[] = {a, c, c};
      if (fn == Fn::select)
        sources[0] = condition, sources[1] = a;
      std::copy_n(sources, info(fn).arity, it.src.begin());
      sheet.b.barrier();
      sheet.store(result);
      names.push_back(std::string(nameOf(fn)));
    }
    expectSame(sheet, names);
  }
}

/// The row functions themselves give what the interpreter gives.
TEST_P(EveryFunction, ReducesInBothForms) {
  DType compute = GetParam();
  Sheet sheet;
  Operand a = sheet.input(compute, values(compute, 7, false));
  std::vector<std::string> names;
  for (unsigned r = 0; r < 8; ++r) {
    auto reduce = Instruction::Reduce(r);
    bool isLogic = reduce == Instruction::Reduce::Any ||
                   reduce == Instruction::Reduce::All;
    bool isArithmetic = reduce == Instruction::Reduce::Sum ||
                        reduce == Instruction::Reduce::Prod;
    if (compute == DType::Bool ? isArithmetic : isLogic)
      continue;
    bool isArg = reduce >= Instruction::Reduce::ArgMax;
    Operand row = sheet.place(isArg ? DType::I64 : compute);
    Operand one = row;
    one.elems = 1;
    sheet.b.memset(Unit::GpSimd, kParts, row, immediate(row.dtype, 0));
    sheet.b.barrier();
    sheet.b.gpsimdReduce(kParts, one, reduce, compute, a);
    sheet.b.barrier();
    sheet.store(row);
    names.push_back("reduction " + std::to_string(r));
  }
  expectSame(sheet, names);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryFunction,
                         testing::Values(DType::Bool, DType::U8, DType::I8,
                                         DType::U16, DType::I16, DType::U32,
                                         DType::I32, DType::U64, DType::I64,
                                         DType::F32, DType::F64),
                         [](const auto &info) {
                           return std::string(nameOf(info.param));
                         });

class EveryCast : public testing::TestWithParam<DType> {};

bool isOnlyGpSimds(DType dtype) {
  return isFloat8(dtype) && dtype != DType::F8E5M2;
}

TEST_P(EveryCast, InBothForms) {
  DType from = GetParam();
  Sheet sheet;
  Operand x = sheet.input(from, values(from, 1, false));
  std::vector<std::string> names;
  for (unsigned t = 0; t < kNumDTypes; ++t) {
    DType to = DType(t);
    Operand result = sheet.place(to);
    DType compute = isSmallFloat(from) ? DType::F32 : from;
    sheet.b.gpsimd(kParts, result, Fn::identity, compute, {x});
    sheet.b.barrier();
    sheet.store(result);
    names.push_back("PyTorch's cast to " + std::string(nameOf(to)));
    if (bytesOf(from) == 8 || bytesOf(to) == 8 || to == DType::Bool ||
        (from != to && (isOnlyGpSimds(from) || isOnlyGpSimds(to))))
      continue;
    Operand copied = sheet.place(to);
    sheet.b.copy(Unit::Vector, kParts, copied, x);
    sheet.b.barrier();
    sheet.store(copied);
    names.push_back("tensor_copy to " + std::string(nameOf(to)));
  }
  expectSame(sheet, names);
}

INSTANTIATE_TEST_SUITE_P(
    Types, EveryCast,
    testing::Values(DType::Bool, DType::U8, DType::I8, DType::U16, DType::I16,
                    DType::U32, DType::I32, DType::U64, DType::I64, DType::F16,
                    DType::BF16, DType::F32, DType::F64, DType::F8E4M3FN,
                    DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ,
                    DType::F8E8M0FNU),
    [](const auto &info) { return std::string(nameOf(info.param)); });

} // namespace

//===- ProgramEncodingTest.cpp - encode, decode, print --------------------===//
#include "runtime/program/Encoding.h"
#include "runtime/program/Print.h"
#include "test/runtime/SampleProgram.h"
#include <gtest/gtest.h>
#include <random>

using namespace neuron;
using namespace neuron::program;

namespace {

TEST(ProgramEncoding, RoundTripKeepsEveryField) {
  for (const Program &program :
       {test::everyField(), test::addProgram(), Program()}) {
    auto bytes = encode(program);
    auto back = decode(bytes);
    ASSERT_TRUE(back.ok()) << back.message();
    EXPECT_TRUE(*back == program);
    EXPECT_EQ(encode(*back), bytes);
  }
}

TEST(ProgramEncoding, BeginsWithMagicAndVersion) {
  auto bytes = encode(Program());
  const std::vector<uint8_t> start = {'N', 'E', 'U', 'R', 'O', 'N', 'M', 'L',
                                      'I', 'R', 0,   5,   0,   0,   0};
  ASSERT_GE(bytes.size(), start.size());
  EXPECT_TRUE(std::equal(start.begin(), start.end(), bytes.begin()));
}

TEST(ProgramEncoding, EveryTruncationFails) {
  auto bytes = encode(test::everyField());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode(std::span(bytes).first(size)).ok()) << size;
}

TEST(ProgramEncoding, TrailingBytesFail) {
  auto bytes = encode(test::everyField());
  bytes.push_back(0);
  auto result = decode(bytes);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("after its end"), std::string::npos);
}

TEST(ProgramEncoding, SaysWhatIsForeignAndWhatIsOld) {
  auto bytes = encode(Program());
  auto foreign = bytes;
  foreign[0] = 'X';
  auto notOurs = decode(foreign);
  ASSERT_FALSE(notOurs.ok());
  EXPECT_NE(notOurs.message().find("not a device program"), std::string::npos);
  auto newer = bytes;
  newer[11] = 99;
  auto wrong = decode(newer);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("version 99"), std::string::npos);
}

TEST(ProgramEncoding, ReadsOlderVersionsThatMeanTheSame) {
  auto bytes = encode(test::everyField());
  for (uint32_t version = kOldestProgramVersion; version < kProgramVersion;
       ++version) {
    auto older = bytes;
    older[11] = uint8_t(version);
    auto result = decode(older);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(encode(*result), bytes);
  }
  bytes[11] = uint8_t(kOldestProgramVersion - 1);
  auto result = decode(bytes);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("compile it again"), std::string::npos);
}

/// What survives a mutation must be a program with exactly those bytes, but for
/// an older version.
void expectFailsOrIsCanonical(std::vector<uint8_t> bytes) {
  auto result = decode(bytes);
  if (result.ok()) {
    bytes[11] = uint8_t(kProgramVersion);
    EXPECT_EQ(encode(*result), bytes);
  } else
    EXPECT_FALSE(result.message().empty());
}

TEST(ProgramEncoding, MutationsNeverCrash) {
  std::mt19937_64 random(20240611);
  const std::vector<uint8_t> seeds[] = {encode(test::everyField()),
                                        encode(test::addProgram())};
  unsigned rejected = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    auto bytes = seeds[round % 2];
    for (unsigned i = 0, n = 1 + random() % 4; i < n; ++i) {
      size_t at = 15 + random() % (bytes.size() - 15);
      switch (random() % 4) {
      case 0:
        bytes[at] ^= uint8_t(1) << random() % 8;
        break;
      case 1:
        bytes[at] = static_cast<uint8_t>(random());
        break;
      case 2:
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
        break;
      case 3:
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), 0xff);
        break;
      }
    }
    expectFailsOrIsCanonical(bytes);
    rejected += !decode(bytes).ok();
  }
  EXPECT_GT(rejected, 500u);
  EXPECT_LT(rejected, 2000u);
}

TEST(ProgramEncoding, HugeCountsAreRefusedWithoutAllocating) {
  auto bytes = encode(Program());
  // target "", then a tensor list that claims 2^63 elements.
  bytes.resize(15);
  bytes.push_back(0);
  bytes.insert(bytes.end(), 9, 0x80);
  bytes.push_back(1);
  auto result = decode(bytes);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("tensors"), std::string::npos);
}

TEST(ProgramEncoding, DeepNestingIsRefused) {
  Program program;
  std::vector<Node> body;
  for (unsigned depth = 0; depth <= kMaxLoopDepth; ++depth) {
    std::vector<Node> outer;
    outer.emplace_back(Loop{1, std::move(body)});
    body = std::move(outer);
  }
  program.kernels = {{"deep", std::move(body)}};
  auto result = decode(encode(program));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("nested deeper"), std::string::npos);
}

TEST(ProgramPrint, OneLineAnInstruction) {
  std::string text = toString(test::addProgram(128, 64));
  EXPECT_NE(text.find("input a: float32[128, 64] strides [64, 1] span 8192\n"),
            std::string::npos);
  EXPECT_NE(
      text.find("  sync.dma_load on queue0 parts=128 sbuf[0:64 x float32] <- "
                "hbm a[0; rows [128] by [64] from 0; cols [64] by [1] from 0] "
                "wait(queue2 >= 0) signal(queue0) @ add\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  vector.tensor_tensor<add> parts=128 "
                      "sbuf[512:64 x float32] <- sbuf[0:64 x float32], "
                      "sbuf[256:64 x float32] wait(queue0 >= 1) "
                      "wait(queue1 >= 1) signal(vector) @ add\n"),
            std::string::npos)
      << text;
}

TEST(ProgramPrint, ImmediatesInTheirOwnType) {
  auto immediate = [](DType dtype, uint64_t bits) {
    Operand operand;
    operand.kind = Operand::Kind::Immediate;
    operand.dtype = dtype;
    operand.bits = bits;
    return toString(operand);
  };
  EXPECT_EQ(immediate(DType::F32, 0x3f800000), "1:float32");
  EXPECT_EQ(immediate(DType::BF16, 0x3fc0), "1.5:bfloat16");
  EXPECT_EQ(immediate(DType::F16, 0xc000), "-2:float16");
  EXPECT_EQ(immediate(DType::F16, 0x0001), "5.9604645e-08:float16");
  EXPECT_EQ(immediate(DType::F16, 0x7c00), "inf:float16");
  EXPECT_EQ(immediate(DType::F64, 0x4000000000000000), "2:float64");
  EXPECT_EQ(immediate(DType::I8, 0xff), "-1:int8");
  EXPECT_EQ(immediate(DType::U8, 0xff), "255:uint8");
  EXPECT_EQ(immediate(DType::I64, ~uint64_t(0)), "-1:int64");
  EXPECT_EQ(immediate(DType::Bool, 1), "true:bool");
}

TEST(ProgramPrint, OfAnyDecodableProgramDoesNotCrash) {
  std::mt19937_64 random(7);
  auto seed = encode(test::everyField());
  unsigned printed = 0;
  for (unsigned round = 0; round < 500; ++round) {
    auto bytes = seed;
    bytes[15 + random() % (bytes.size() - 15)] = static_cast<uint8_t>(random());
    if (auto program = decode(bytes)) {
      EXPECT_FALSE(toString(*program).empty());
      ++printed;
    }
  }
  EXPECT_GT(printed, 20u);
}

} // namespace

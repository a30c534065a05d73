//===- TargetTest.cpp - hardware parameters and costs ---------------------===//
#include "compiler/target/Cost.h"
#include "runtime/program/Builder.h"
#include <gtest/gtest.h>

using namespace neuron;
using namespace neuron::program;

namespace {

const target::Target &trn2() { return **target::find("trn2"); }

TEST(Target, Trn2) {
  EXPECT_EQ(trn2().partitions, 128);
  EXPECT_EQ(trn2().sbufUsableBytes, 212984);
  EXPECT_LT(trn2().sbufUsableBytes, trn2().sbufBytes);
}

TEST(Target, UnknownNameIsAnError) {
  auto found = target::find("inf1");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.message(),
            "unknown target 'inf1': this build knows trn1, trn2, trn3");
}

TEST(Target, OnlyThatOfNoMeasurementIsUnvalidated) {
  for (const target::Target &target : target::all()) {
    bool isTrn3 = target.name == "trn3";
    EXPECT_EQ(target.validated, !isTrn3);
    EXPECT_EQ(target::describe(target).find("unvalidated") != std::string::npos,
              isTrn3);
  }
}

TEST(Target, DescriptionHasValueSourceAndAssumptions) {
  std::string text = target::describe(trn2());
  auto lineOf = [&](const std::string &field) {
    size_t begin = text.find("\n" + field + " ") + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  std::string launch = lineOf("launch");
  EXPECT_NE(launch.find("9403000 ps"), std::string::npos) << launch;
  EXPECT_EQ(launch.find("assumption"), std::string::npos) << launch;
  std::string special = lineOf("gpsimdSpecial");
  EXPECT_NE(special.find("assumption"), std::string::npos) << special;
}

TEST(Target, SelectionAndSimulationShareTheCost) {
  Builder b;
  b.kernel("k");
  const Instruction &it =
      b.tensorTensor(128, tile(DType::F32, 4096, 512), Fn::add,
                     tile(DType::F32, 0, 512), tile(DType::F32, 2048, 512));
  target::Work work;
  work.opcode = Opcode::TensorTensor;
  work.elems = 512;
  EXPECT_EQ(target::costOf(trn2(), work).busy, target::costOf(trn2(), it).busy);
  EXPECT_EQ(target::costOf(trn2(), work).latency,
            target::costOf(trn2(), it).latency);
}

TEST(Target, CostlyClassesCostMore) {
  auto busy = [](FnCost function, bool wide) {
    target::Work work;
    work.opcode = Opcode::GpsimdElementwise;
    work.engine = Unit::GpSimd;
    work.elems = 1000;
    work.function = function;
    work.wide = wide;
    return target::costOf(trn2(), work).busy;
  };
  // 150 cycles to start, then 2, 8 or 16 an element, at 1.2 GHz.
  EXPECT_EQ(busy(FnCost::Simple, false), 2150 * 10000 / 12);
  EXPECT_LT(busy(FnCost::Multiply, false), busy(FnCost::Divide, false));
  EXPECT_LT(busy(FnCost::Divide, false), busy(FnCost::Special, false));
  EXPECT_EQ(busy(FnCost::Simple, true), 4150 * 10000 / 12);
}

} // namespace

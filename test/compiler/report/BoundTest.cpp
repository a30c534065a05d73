//===- BoundTest.cpp - bounds beside values worked out by hand ------------===//
//
// On a target of round numbers, so that a parameter that is corrected changes
// nothing here.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/Bound.h"
#include "compiler/report/Columns.h"
#include <gtest/gtest.h>

using namespace neuron;
using namespace neuron::report;

namespace {

/// 100 partitions at 1 GHz: 100 elements take one nanosecond for each cycle.
target::Target roundTarget() {
  target::Target target;
  target.partitions = {100, "T"};
  target.stationaryColumns = {50, "T"};
  target.hbmBandwidth = {1000000, "T"}; // a byte in a picosecond
  target.dmaEngines = {10, "T"};
  target.dmaBandwidth = {200000, "T"}; // together 2 TB/s
  target.clockTensor = {1000, "T"};
  target.clockVector = {1000, "T"};
  target.clockScalar = {1000, "T"};
  target.clockGpSimd = {500, "T"};
  target.matmulPasses32 = {4, "T"};
  target.copy16 = {250, "T"};
  target.copy32 = {500, "T"};
  target.tensorTensor16 = {500, "T"};
  target.tensorTensor = {1000, "T"};
  target.scalarTensorTensor = {1000, "T"};
  target.tensorReduce = {1000, "T"};
  target.tensorReduce16 = {1000, "T"};
  target.reciprocal = {6000, "T"};
  target.select = {2000, "T"};
  target.activation = {1000, "T"};
  target.gpsimdSimple = {2000, "T"};
  target.gpsimdMultiply = {3000, "T"};
  target.gpsimdDivide = {8000, "T"};
  target.gpsimdSpecial = {16000, "T"};
  target.gpsimdWideFactor = {2, "T"};
  target.iota = {1000, "T"};
  target.gpsimdSortStep = {4000, "T"};
  target.gpsimdRandom = {40000, "T"};
  return target;
}

constexpr double kNanosecond = 1000;

TEST(Bound, BytesGoThroughTheNarrowerOfHbmAndItsEngines) {
  target::Target target = roundTarget();
  Work work;
  work.hbm_bytes = 5000;
  EXPECT_DOUBLE_EQ(boundOf(work, target).hbm, 5 * kNanosecond);
  target.dmaEngines = {1, "T"}; // 200 GB/s
  EXPECT_DOUBLE_EQ(boundOf(work, target).hbm, 25 * kNanosecond);
}

TEST(Bound, ProductsOf32BitsTakeMorePasses) {
  // 100 x 50 multiply-adds in each cycle.
  Work work;
  work.macs16 = 100 * 50 * 7;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).tensor, 7 * kNanosecond);
  work.macs32 = 100 * 50;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).tensor, 11 * kNanosecond);
}

TEST(Bound, ArithmeticIsSplitBetweenVectorAndScalar) {
  // Vector does two operations in half a cycle, Scalar three in one: 4 and 3 in
  // a nanosecond, on 100 elements.
  Work work;
  work.with_scalar = 700;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, kNanosecond);
  // 16-bit elements: 8 and 3.
  work.halves = 1;
  work.with_scalar = 1100;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, kNanosecond);
}

TEST(Bound, EachFunctionNeedsAPassOfScalarAndCarriesTwoOperations) {
  Work work;
  work.special = 400;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 4 * kNanosecond);
  work.with_scalar = 800; // free
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 4 * kNanosecond);
  // With 16 * 100 more to do by Vector in 4 ns, and it can do 4 in each.
  work.with_scalar = 800 + 1600;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 4 * kNanosecond);
  work.with_scalar = 800 + 1600 + 700; // and 7 in each by both
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 5 * kNanosecond);
}

TEST(Bound, WhatOnlyVectorDoesIsNotSplit) {
  Work work;
  work.selects = 100;     // 2 ns
  work.reciprocals = 100; // 6 ns
  work.maxima = 100;      // 1 ns
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 9 * kNanosecond);
  // Scalar has 9 ns for 3 operations in each.
  work.with_scalar = 2700;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 9 * kNanosecond);
  work.with_scalar = 3400;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 10 * kNanosecond);
}

TEST(Bound, ScalarTensorTensorCarriesAnOperation) {
  Work work;
  work.with_tensor = 500;
  work.with_scalar = 500;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar, 5 * kNanosecond);
  // Of 16-bit elements two instructions are faster, and Scalar has time for
  // all of the second: 2.5 ns of Vector, in which it could do 750.
  work.halves = 1;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).vectorScalar,
                   2.5 * kNanosecond);
}

TEST(Bound, GpSimdTakesItsClasses) {
  // 100 elements: 2 ns for each cycle.
  Work work;
  work.gpsimd_simple = 100; // 2 cycles
  work.wide_multiply = 100; // 6
  work.gpsimd_divide = 100; // 8
  work.wide_special = 100;  // 32
  work.counted = 100;       // 1
  work.sort_steps = 100;    // 4
  work.random = 100;        // 40
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).gpsimd, 2 * 93 * kNanosecond);
}

TEST(Bound, IsTheLongestOfWhatRunsAtOnce) {
  Work work;
  EXPECT_EQ(boundOf(work, roundTarget()).time(), 0);
  work.hbm_bytes = 5000;
  work.macs16 = 100 * 50 * 7;
  work.special = 400;
  work.gpsimd_simple = 100;
  EXPECT_DOUBLE_EQ(boundOf(work, roundTarget()).time(), 7 * kNanosecond);
}

TEST(Columns, AlignAtTheSideAskedFor) {
  Columns columns({"a", "number", "b"}, {1});
  columns.add({"long", "7", ""});
  EXPECT_EQ(columns.text(), "a     number  b\n"
                            "long       7\n");
}

} // namespace

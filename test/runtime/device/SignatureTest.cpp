//===- SignatureTest.cpp - what a compiled operation depends on -----------===//
#include "runtime/device/eager/Signature.h"
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

using namespace neuron::device;

namespace {

const int op = 0, otherOp = 0;

Signature of(std::vector<c10::IValue> arguments, const void *which = &op) {
  return *signatureOf(which, arguments);
}

TEST(SignatureTest, ValuesOfTensorsAreNoPartOfIt) {
  EXPECT_EQ(of({at::arange(4)}), of({at::ones({4}, at::kLong)}));
}

TEST(SignatureTest, OperatorShapeStridesAndDtypeAre) {
  at::Tensor x = at::arange(6.f).view({2, 3});
  EXPECT_FALSE(of({x}) == of({x}, &otherOp));
  EXPECT_FALSE(of({x}) == of({x.view({3, 2})}));
  EXPECT_FALSE(of({x}) == of({x.view({3, 2}).t()}));
  EXPECT_FALSE(of({x}) == of({x.to(at::kDouble)}));
  EXPECT_EQ(of({x}), of({at::empty({2, 3})}));
}

TEST(SignatureTest, StaticArgumentsAre) {
  EXPECT_FALSE(of({1}) == of({2}));
  EXPECT_FALSE(of({1}) == of({true}));
  EXPECT_FALSE(of({1.0}) == of({-1.0}));
  EXPECT_FALSE(of({0.0}) == of({-0.0}));
  EXPECT_FALSE(of({"tanh"}) == of({"none"}));
  EXPECT_FALSE(of({c10::IValue()}) == of({0}));
  EXPECT_FALSE(of({std::vector<int64_t>{1, 2}}) ==
               of({std::vector<int64_t>{1}}));
  EXPECT_EQ(of({std::vector<int64_t>{1, 2}}), of({std::vector<int64_t>{1, 2}}));
}

TEST(SignatureTest, SameMemoryIsNotTwoTensors) {
  at::Tensor x = at::arange(4.f), y = at::arange(4.f);
  EXPECT_EQ(of({x, x}), of({y, y}));
  EXPECT_FALSE(of({x, x}) == of({x, y}));
  EXPECT_EQ(of({x, x.view({4})}), of({x, x}));
  EXPECT_FALSE(of({x, x.view({2, 2})}) == of({x, x}));
}

TEST(SignatureTest, TensorsInListsCount) {
  at::Tensor x = at::arange(4.f), y = at::arange(4.f);
  int count = 0;
  c10::IValue list(std::vector<at::Tensor>{x, y});
  forEachTensor({list, x}, [&](const at::Tensor &) { ++count; });
  EXPECT_EQ(count, 3);
}

} // namespace

//===- OperationTest.cpp - overloads without side effects -----------------===//
#include "runtime/device/eager/Operation.h"
#include <gtest/gtest.h>

using namespace neuron::device;

namespace {

const Operation &find(const char *name, const char *overload = "") {
  return operationOf(
      c10::Dispatcher::singleton().findSchemaOrThrow(name, overload));
}

struct Expected {
  const char *name, *overload, *target;
  std::vector<unsigned> written;
  std::vector<unsigned> dropped;
};

class Functional : public testing::TestWithParam<Expected> {};

TEST_P(Functional, IsFoundFromTheSchemas) {
  const Operation &operation = find(GetParam().name, GetParam().overload);
  ASSERT_TRUE(operation.functional);
  EXPECT_EQ(operation.target, GetParam().target);
  EXPECT_EQ(operation.written, GetParam().written);
  std::vector<unsigned> dropped;
  for (unsigned i = 0; i < operation.dropped.size(); ++i)
    if (operation.dropped[i])
      dropped.push_back(i);
  EXPECT_EQ(dropped, GetParam().dropped);
}

INSTANTIATE_TEST_SUITE_P(
    Overloads, Functional,
    testing::Values(
        Expected{"aten::add", "Tensor", "aten.add.Tensor", {}, {}},
        Expected{"aten::add_", "Tensor", "aten.add.Tensor", {0}, {}},
        Expected{"aten::add", "out", "aten.add.Tensor", {3}, {3}},
        Expected{"aten::sum", "IntList_out", "aten.sum.dim_IntList", {4}, {4}},
        Expected{"aten::max", "dim_max", "aten.max.dim", {3, 4}, {3, 4}},
        Expected{"aten::zero_", "", "aten.zero.default", {0}, {}},
        Expected{"aten::fill_", "Scalar", "aten.fill.Scalar", {0}, {}},
        Expected{"aten::index_put_", "", "aten.index_put.default", {0}, {}},
        Expected{
            "aten::normal_", "", "aten.normal_functional.default", {0}, {}},
        Expected{"aten::bernoulli_", "float", "aten.bernoulli.p", {0}, {}},
        Expected{"aten::_native_batch_norm_legit",
                 "",
                 "aten._native_batch_norm_legit_functional.default",
                 {3, 4},
                 {}}),
    [](const auto &info) {
      return std::string(info.param.name).substr(6) + "_" +
             (*info.param.overload ? info.param.overload : "default");
    });

TEST(OperationTest, NewResultsComeFirst) {
  const Operation &norm = find("aten::_native_batch_norm_legit");
  EXPECT_EQ(norm.fresh(), 3u);
  EXPECT_EQ(find("aten::add_", "Tensor").fresh(), 0u);
  EXPECT_EQ(find("aten::add_", "Tensor").returns, std::vector<int>{0});
}

TEST(OperationTest, ViewsAndOtherResultsAreKnown) {
  EXPECT_TRUE(find("aten::transpose", "int").isView);
  EXPECT_FALSE(find("aten::add", "Tensor").isView);
  EXPECT_FALSE(find("aten::_local_scalar_dense").returnsTensors);
  EXPECT_TRUE(find("aten::unsafe_split", "Tensor").returnsList);
}

TEST(OperationTest, EveryOperationHasOneRecord) {
  EXPECT_EQ(&find("aten::mul", "Tensor"), &find("aten::mul", "Tensor"));
}

} // namespace

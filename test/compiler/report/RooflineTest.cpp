//===- RooflineTest.cpp - bounds beside predictions -----------------------===//
//
// No kernel may be predicted to take less than its bound: one that does shows
// work that the bound counts and nobody does, or an instruction that the bound
// does not know. And kernels' times add up to the execution's.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/Bound.h"
#include "compiler/report/Prediction.h"
#include "test/compiler/CompileText.h"
#include <gtest/gtest.h>

using namespace neuron;

namespace {

struct Sample {
  const char *name;
  const char *text;
};

const Sample kSamples[] = {
    {"rms_norm", R"(
func.func @main(%x: tensor<2048x2048xbf16>, %w: tensor<2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = neuron.rms_norm %x weight %w : tensor<2048xbf16> dims [1] eps 1.0e-06 : tensor<2048x2048xbf16> -> tensor<2048x2048xbf16>
  return %0 : tensor<2048x2048xbf16>
})"},
    {"layer_norm", R"(
func.func @main(%x: tensor<2048x2048xf32>, %w: tensor<2048xf32>) -> tensor<2048x2048xf32> {
  %0 = neuron.layer_norm %x weight %w : tensor<2048xf32> bias %w : tensor<2048xf32> dims [1] eps 1.0e-05 : tensor<2048x2048xf32> -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
})"},
    {"softmax", R"(
func.func @main(%x: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
  %0 = neuron.softmax %x dims [1] : tensor<2048x1024xf32>
  return %0 : tensor<2048x1024xf32>
})"},
    {"long_softmax", R"(
func.func @main(%x: tensor<128x100000xf32>) -> tensor<128x100000xf32> {
  %0 = neuron.softmax %x dims [1] : tensor<128x100000xf32>
  return %0 : tensor<128x100000xf32>
})"},
    {"product", R"(
func.func @main(%x: tensor<1024x1024xbf16>, %y: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = neuron.matmul %x, %y batch 0 contract 1 : tensor<1024x1024xbf16>, tensor<1024x1024xbf16> -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
})"},
    {"product32", R"(
func.func @main(%x: tensor<512x768xf32>, %y: tensor<768x512xf32>) -> tensor<512x512xf32> {
  %0 = neuron.matmul %x, %y batch 0 contract 1 : tensor<512x768xf32>, tensor<768x512xf32> -> tensor<512x512xf32>
  %1 = neuron.gelu %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
})"},
    {"causal_attention", R"(
func.func @main(%q: tensor<8x512x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> tensor<8x512x64xbf16> {
  %row = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<512x1xi64>
  %column = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x512xi64>
  %seen = neuron.le %column, %row : (tensor<1x512xi64>, tensor<512x1xi64>) -> tensor<512x512xi1>
  %low = neuron.constant dense<0xFF800000> : tensor<f32>
  %t = neuron.permute %k perm [0, 2, 1] : (tensor<8x512x64xbf16>) -> tensor<8x64x512xbf16>
  %0 = neuron.matmul %q, %t batch 1 contract 1 : tensor<8x512x64xbf16>, tensor<8x64x512xbf16> -> tensor<8x512x512xf32>
  %1 = neuron.select %seen, %0, %low : (tensor<512x512xi1>, tensor<8x512x512xf32>, tensor<f32>) -> tensor<8x512x512xf32>
  %2 = neuron.softmax %1 dims [2] : tensor<8x512x512xf32>
  %3 = neuron.cast %2 : tensor<8x512x512xf32> to tensor<8x512x512xbf16>
  %4 = neuron.matmul %3, %v batch 1 contract 1 : tensor<8x512x512xbf16>, tensor<8x512x64xbf16> -> tensor<8x512x64xbf16>
  return %4 : tensor<8x512x64xbf16>
})"},
    {"elementwise", R"(
func.func @main(%x: tensor<4096x1024xbf16>, %b: tensor<1024xbf16>) -> tensor<4096x1024xbf16> {
  %0 = neuron.mul %x, %x : (tensor<4096x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16>
  %1 = neuron.add %0, %b : (tensor<4096x1024xbf16>, tensor<1024xbf16>) -> tensor<4096x1024xbf16>
  %2 = neuron.tanh %1 : tensor<4096x1024xbf16>
  %3 = neuron.silu %2 : tensor<4096x1024xbf16>
  return %3 : tensor<4096x1024xbf16>
})"},
    {"integers_and_doubles", R"(
func.func @main(%x: tensor<4096x64xi64>, %y: tensor<4096x64xf64>) -> (tensor<4096x64xi64>, tensor<4096x64xf64>) {
  %0 = neuron.mul %x, %x : (tensor<4096x64xi64>, tensor<4096x64xi64>) -> tensor<4096x64xi64>
  %1 = neuron.sqrt %y : tensor<4096x64xf64>
  return %0, %1 : tensor<4096x64xi64>, tensor<4096x64xf64>
})"},
    {"column_sum", R"(
func.func @main(%x: tensor<4096x2048xf32>) -> tensor<2048xf32> {
  %0 = neuron.sum %x dims [0] : (tensor<4096x2048xf32>) -> tensor<2048xf32>
  return %0 : tensor<2048xf32>
})"},
    {"overlapping_windows", R"(
func.func @main(%x: tensor<256x4099xf32>) -> tensor<256x4097xf32> {
  %0 = neuron.window %x dim 1 step 1 dilation 1 : (tensor<256x4099xf32>) -> tensor<256x4097x3xf32>
  %1 = neuron.sum %0 dims [2] : (tensor<256x4097x3xf32>) -> tensor<256x4097xf32>
  return %1 : tensor<256x4097xf32>
})"},
    {"embedding", R"(
func.func @main(%table: tensor<1000x512xf32>, %words: tensor<300x1xi64>) -> tensor<300x512xf32> {
  %0 = neuron.gather %table, %words : tensor<1000x512xf32>, tensor<300x1xi64> -> tensor<300x512xf32>
  return %0 : tensor<300x512xf32>
})"},
    {"sort_and_scan", R"(
func.func @main(%x: tensor<256x512xf32>) -> (tensor<256x512xf32>, tensor<256x512xi64>, tensor<256x512xf32>) {
  %0 = neuron.sort %x dims [1] : tensor<256x512xf32>
  %1 = neuron.argsort %x dims [1] : tensor<256x512xf32> -> tensor<256x512xi64>
  %2 = neuron.scan %x dims [1] kind "sum" : tensor<256x512xf32>
  return %0, %1, %2 : tensor<256x512xf32>, tensor<256x512xi64>, tensor<256x512xf32>
})"},
};

class Roofline
    : public testing::TestWithParam<std::tuple<Sample, const char *>> {};

TEST_P(Roofline, NoKernelIsFasterThanItsBound) {
  auto [sample, targetName] = GetParam();
  Options options;
  ASSERT_TRUE(setOption(options, "target", targetName).ok());
  CompileRequest request;
  request.works = true;
  CompileResult compiled = compileText(sample.text, options, request);
  program::Program program = programOf(compiled);
  const target::Target &target = **target::find(targetName);
  auto prediction = report::predict(program, target);
  ASSERT_TRUE(prediction.ok());

  ASSERT_EQ(compiled.works.size(), program.kernels.size());
  ASSERT_EQ(prediction->kernels.size(), program.kernels.size());
  int64_t sum = target.launch;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const report::KernelWork &kernel = compiled.works[i];
    EXPECT_EQ(kernel.name, program.kernels[i].name);
    ASSERT_TRUE(kernel.known);
    double bound = report::boundOf(kernel.work, target).time();
    EXPECT_GT(bound, 0) << kernel.name;
    EXPECT_LE(bound, double(prediction->kernels[i].time)) << kernel.name;
    EXPECT_LE(prediction->kernels[i].share, 1);
    sum += prediction->kernels[i].time;
    // A program that ends with this kernel ends at its barrier.
    program::Program prefix = program;
    prefix.kernels.resize(i + 1);
    auto upToHere = report::predict(prefix, target);
    ASSERT_TRUE(upToHere.ok());
    EXPECT_EQ(sum, upToHere->total) << kernel.name;
  }
  EXPECT_EQ(sum, prediction->total);
}

INSTANTIATE_TEST_SUITE_P(Samples, Roofline,
                         testing::Combine(testing::ValuesIn(kSamples),
                                          testing::Values("trn1", "trn2",
                                                          "trn3")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  "_" + std::get<1>(info.param);
                         });

} // namespace

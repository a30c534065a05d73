//===- EmitProgramTest.cpp - nisa ops to instructions ---------------------===//
//
// What an op and its attributes say is what the instruction says.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/EmitProgram.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Parser/Parser.h"
#include "runtime/program/Print.h"
#include "runtime/program/Verify.h"
#include <gtest/gtest.h>

using namespace neuron;
using llvm::FailureOr;

namespace {

/// The program of the kernel "k" with this body.
program::Program emit(const std::string &body) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, nisa::NisaDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main() {\n nisa.kernel \"k\" {\n" + body + "}\n return\n}\n",
      &context);
  EXPECT_TRUE(module);
  if (!module)
    return {};
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  auto program = pipeline::emitProgram(function, "trn2");
  EXPECT_TRUE(succeeded(program));
  if (failed(program))
    return {};
  Status status = verify(*program);
  EXPECT_TRUE(status.ok()) << status.message();
  return *program;
}

void expectLine(const program::Program &program, const std::string &line) {
  std::string text = toString(program);
  EXPECT_NE(text.find(line), std::string::npos) << line << "\nnot in\n" << text;
}

TEST(EmitProgram, TensorEngine) {
  auto program = emit(R"(
    %a = nisa.alloc {offset = 64 : i64} : memref<64x128xbf16, #nisa.mem<sbuf>>
    %b = nisa.alloc {offset = 1024 : i64} : memref<64x512xbf16, #nisa.mem<sbuf>>
    %o = nisa.alloc {offset = 4096 : i64} : memref<128x512xf32, #nisa.mem<sbuf>>
    %p = nisa.alloc {offset = 2048 : i64} : memref<128x1024xf32, #nisa.mem<psum>>
    %right = nisa.subtile %p [512, 512] : memref<128x1024xf32, #nisa.mem<psum>> -> memref<128x512xf32, #nisa.mem<psum>>
    %few = nisa.subtile %a [32, 7] : memref<64x128xbf16, #nisa.mem<sbuf>> -> memref<64x7xbf16, #nisa.mem<sbuf>>
    %seven = nisa.subtile %p [0, 512] : memref<128x1024xf32, #nisa.mem<psum>> -> memref<128x512xf32, #nisa.mem<psum>>
    nisa.matmul ins(%a, %b : memref<64x128xbf16, #nisa.mem<sbuf>>, memref<64x512xbf16, #nisa.mem<sbuf>>) outs(%right : memref<128x512xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 64 : i64}
    nisa.matmul ins(%few, %b : memref<64x7xbf16, #nisa.mem<sbuf>>, memref<64x512xbf16, #nisa.mem<sbuf>>) outs(%seven : memref<128x512xf32, #nisa.mem<psum>>) {accumulate, engine = #nisa.engine<tensor>, parts = 60 : i64}
    nisa.tensor_copy ins(%right : memref<128x512xf32, #nisa.mem<psum>>) outs(%o : memref<128x512xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
    %t = nisa.alloc {offset = 8192 : i64} : memref<128x64xbf16, #nisa.mem<psum>>
    nisa.transpose ins(%a : memref<64x128xbf16, #nisa.mem<sbuf>>) outs(%t : memref<128x64xbf16, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 64 : i64}
  )");
  expectLine(program, "tensor.matmul parts=64 psum[4096:512 x float32] <- "
                      "sbuf[64:128 x bfloat16], sbuf[1024:512 x bfloat16] @");
  expectLine(program,
             "tensor.matmul parts=60 psum[2048:512 x float32] <- "
             "sbuf[128:7 x bfloat16], sbuf[1024:512 x bfloat16] accumulate");
  expectLine(program, "vector.tensor_copy parts=128 sbuf[4096:512 x float32] "
                      "<- psum[4096:512 x float32]");
  expectLine(program, "tensor.transpose parts=64 psum[8192:64 x bfloat16] <- "
                      "sbuf[64:128 x bfloat16]");
}

TEST(EmitProgram, TensorTensorScan) {
  auto program = emit(R"(
    %a = nisa.alloc {offset = 0 : i64} : memref<4x8xbf16, #nisa.mem<sbuf>>
    %one = nisa.alloc {offset = 64 : i64} : memref<4x1xf32, #nisa.mem<sbuf>>
    %r = nisa.alloc {offset = 128 : i64} : memref<4x8xf32, #nisa.mem<sbuf>>
    %last = nisa.subtile %r [7, 1] : memref<4x8xf32, #nisa.mem<sbuf>> -> memref<4x1xf32, #nisa.mem<sbuf>>
    %s = nisa.alloc {offset = 256 : i64} : memref<4x8xf32, #nisa.mem<sbuf>>
    %zero = nisa.immediate 0.0 : f32
    nisa.tensor_tensor_scan fn ["mul", "add"] ins(%one, %a, %zero : memref<4x1xf32, #nisa.mem<sbuf>>, memref<4x8xbf16, #nisa.mem<sbuf>>, f32) outs(%r : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    nisa.tensor_tensor_scan fn ["sub", "lt"] ins(%a, %r, %last : memref<4x8xbf16, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x1xf32, #nisa.mem<sbuf>>) outs(%s : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64, reverse = array<i1: true, false>}
  )");
  // A source of one element is repeated, the initial value is not.
  expectLine(
      program,
      "vector.tensor_tensor_scan<mul, add> parts=4 sbuf[128:8 x float32] "
      "<- sbuf[64:8 x float32, stride 0], sbuf[0:8 x bfloat16], "
      "0:float32");
  expectLine(program, "vector.tensor_tensor_scan<sub reversed, lt> parts=4 "
                      "sbuf[256:8 x float32] <- sbuf[0:8 x bfloat16], "
                      "sbuf[128:8 x float32], sbuf[156:1 x float32]");
}

/// One element of a part is repeated like one of a tile.
TEST(EmitProgram, SubtilesOfRotatingTiles) {
  auto program = emit(R"(
    %t = nisa.alloc {offset = 256 : i64, buffers = 2 : i64, pitch = 64 : i64} : memref<4x16xf32, #nisa.mem<sbuf>>
    %o = nisa.alloc {offset = 0 : i64} : memref<4x8xf32, #nisa.mem<sbuf>>
    nisa.loop 3 {
      %half = nisa.subtile %t [8, 8] : memref<4x16xf32, #nisa.mem<sbuf>> -> memref<4x8xf32, #nisa.mem<sbuf>>
      %one = nisa.subtile %t [3, 1] : memref<4x16xf32, #nisa.mem<sbuf>> -> memref<4x1xf32, #nisa.mem<sbuf>>
      nisa.tensor_tensor fn ["add"] ins(%half, %one : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x1xf32, #nisa.mem<sbuf>>) outs(%o : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    }
  )");
  expectLine(program,
             "sbuf[0:8 x float32] <- sbuf[288:8 x float32, 2 buffers by 64], "
             "sbuf[268:8 x float32, stride 0, 2 buffers by 64]");
}

/// A program of a kernel that loads %x, and whatever else the text says.
FailureOr<program::Program> emitFunction(const std::string &rest) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, nisa::NisaDialect>();
  mlir::MLIRContext context(registry);
  context.getDiagEngine().registerHandler(
      [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(func.func @main(%x: memref<4x8xf32, #nisa.mem<hbm>> {neuron.kind = "input"}, %y: memref<4x8xf32, #nisa.mem<hbm>> {neuron.kind = "input"}) {
        nisa.kernel "load" {
          %t = nisa.alloc {offset = 0 : i64} : memref<4x8xf32, #nisa.mem<sbuf>>
          nisa.loop 2 {
            nisa.dma_load ins(%x : memref<4x8xf32, #nisa.mem<hbm>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<sync>, queue = 0 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 4>, row_strides = array<i64: 8>, col_sizes = array<i64: 8>, col_strides = array<i64: 1>, row = array<i64: 0>, column = array<i64: 0>, parts = 4 : i64} loc(fused["L1", "L12"])
          }
        } loc(fused<[loc("L1"), loc("L12")]>["L1", "L12"])
      )" + rest +
          "return\n}",
      &context);
  EXPECT_TRUE(module);
  if (!module)
    return mlir::failure();
  return pipeline::emitProgram(*module->getOps<mlir::func::FuncOp>().begin(),
                               "trn2");
}

/// A repeated kernel has variables and locations of its own.
TEST(EmitProgram, Repeat) {
  auto program = emitFunction(
      R"(nisa.repeat "again" of "load" from(%x) to(%y) : memref<4x8xf32, #nisa.mem<hbm>> loc(fused<[loc("L2"), loc("L3")]>["L2", "L3"]))");
  ASSERT_TRUE(succeeded(program));
  ASSERT_EQ(program->kernels.size(), 2u);
  EXPECT_EQ(program->kernels[1].name, "again");
  auto load = [&](size_t kernel) {
    auto &loop = std::get<program::Loop>(program->kernels[kernel].body.at(0));
    return std::get<program::Instruction>(loop.body.at(0));
  };
  EXPECT_EQ(program->tensors[load(0).hbm.tensor].name, "input0");
  EXPECT_EQ(program->tensors[load(1).hbm.tensor].name, "input1");
  EXPECT_EQ(program->locations[load(0).location], "L1+L12");
  EXPECT_EQ(program->locations[load(1).location], "L2+L3");
}

/// X4: only a kernel that comes before can be repeated.
TEST(EmitProgram, RepeatOfNothing) {
  EXPECT_TRUE(failed(emitFunction(R"(nisa.repeat "a" of "b" from() to())")));
}

/// X4: the name says which one.
TEST(EmitProgram, RepeatOfOneOfTwo) {
  std::string one = R"(nisa.kernel "b" { nisa.barrier } )";
  std::string repeat = R"(nisa.repeat "a" of "b" from() to())";
  EXPECT_TRUE(succeeded(emitFunction((one + repeat).c_str())));
  EXPECT_TRUE(failed(emitFunction((one + one + repeat).c_str())));
}

} // namespace

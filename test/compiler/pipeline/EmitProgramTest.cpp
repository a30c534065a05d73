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

} // namespace

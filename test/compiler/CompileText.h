//===- CompileText.h - IR in a test to a program ----------------*- C++ -*-===//
#pragma once
#include "compiler/neff/Neff.h"
#include "compiler/pipeline/Compile.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

namespace neuron {

inline CompileResult compileText(const char *text, const Options &options = {},
                                 CompileRequest request = {}) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::func::FuncDialect, ir::NeuronDialect, nisa::NisaDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  std::string error;
  auto result = compileModule(*module, options, error, std::move(request));
  EXPECT_TRUE(mlir::succeeded(result)) << error;
  return std::move(*result);
}

inline program::Program programOf(const CompileResult &compiled) {
  auto file = neff::readNeff(compiled.neff);
  EXPECT_TRUE(file.ok()) << file.message();
  auto program = neff::programOf(*file);
  EXPECT_TRUE(program.ok()) << program.message();
  return std::move(*program);
}

} // namespace neuron

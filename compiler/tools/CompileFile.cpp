//===- CompileFile.cpp - a file of IR to a NEFF ---------------------------===//
#include "compiler/tools/CompileFile.h"
#include "dialects/neuron/Neuron.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

using namespace neuron;

Result<CompileResult> tools::compileFile(const std::string &path,
                                         const Options &options,
                                         CompileRequest request) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::func::FuncDialect, ir::NeuronDialect, nisa::NisaDialect>();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // a kernel is a long text
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!module)
    return Error{"cannot read '" + path + "' as IR"};
  std::string error;
  llvm::FailureOr<CompileResult> result =
      compileModule(*module, options, error, std::move(request));
  if (failed(result))
    return Error{error};
  return std::move(*result);
}

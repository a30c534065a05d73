//===- neuron-opt.cpp - runs passes on neuron IR --------------------------===//
#include "dialects/neuron/Neuron.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, neuron::ir::NeuronDialect,
                  neuron::nisa::NisaDialect>();
  mlir::registerTransformsPasses();
  neuron::registerNeuronPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "neuron-mlir optimizer driver\n", registry));
}

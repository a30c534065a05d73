//===- Passes.cpp - all passes of the compiler ----------------------------===//
#include "passes/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lowering/Passes.h"
#include "passes/memory/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/verify/Passes.h"

void neuron::registerNeuronPasses() {
  graph::registerGraphPasses();
  fusion::registerFusionPasses();
  lowering::registerLoweringPasses();
  memory::registerMemoryPasses();
  schedule::registerSchedulePasses();
  verify::registerVerifyPasses();
}

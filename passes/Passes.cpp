//===- Passes.cpp - all passes of the compiler ----------------------------===//
#include "passes/Passes.h"
#include "passes/fusion/Passes.h"

void neuron::registerNeuronPasses() { fusion::registerFusionPasses(); }

//===- NeuronDialect.cpp - registration -----------------------------------===//
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace neuron::ir;

#include "dialects/neuron/NeuronDialect.cpp.inc"
#include "dialects/neuron/NeuronInterfaces.cpp.inc"

void NeuronDialect::initialize() { registerNeuronDialectOperations(this); }

Operation *NeuronDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value);
      elements && elements.getType() == type)
    return ConstantOp::create(builder, loc, elements);
  return nullptr;
}

//===- TextOrder.h - is the order of the text allowed? ----------*- C++ -*-===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"

namespace neuron::simulator::compiled {

/// Whether an engine that ran everything in the order of the text would never
/// be held back: every wait is satisfied by the signals before it.
Status checkTextOrder(const program::Program &program);

} // namespace neuron::simulator::compiled

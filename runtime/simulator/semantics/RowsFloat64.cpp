//===- RowsFloat64.cpp - every function in float64 ------------------------===//
#include "runtime/simulator/semantics/Rows.h"

namespace neuron::simulator::semantics {
const RowTable kRowsF64 = makeRowTable<DType::F64>();
} // namespace neuron::simulator::semantics

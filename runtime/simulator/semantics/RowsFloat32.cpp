//===- RowsFloat32.cpp - every function in float32 ------------------------===//
#include "runtime/simulator/semantics/Rows.h"

namespace neuron::simulator::semantics {
const RowTable kRowsF32 = makeRowTable<DType::F32>();
} // namespace neuron::simulator::semantics

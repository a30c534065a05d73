//===- RowsInteger.cpp - every function in 32 and 64 bits -----------------===//
#include "runtime/simulator/semantics/Rows.h"

namespace neuron::simulator::semantics {
const RowTable kRowsU32 = makeRowTable<DType::U32>();
const RowTable kRowsI32 = makeRowTable<DType::I32>();
const RowTable kRowsU64 = makeRowTable<DType::U64>();
const RowTable kRowsI64 = makeRowTable<DType::I64>();
} // namespace neuron::simulator::semantics

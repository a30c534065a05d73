//===- RowsSmallInteger.cpp - every function in bool, 8 and 16 bits -------===//
#include "runtime/simulator/semantics/Rows.h"

namespace neuron::simulator::semantics {
const RowTable kRowsBool = makeRowTable<DType::Bool>();
const RowTable kRowsU8 = makeRowTable<DType::U8>();
const RowTable kRowsI8 = makeRowTable<DType::I8>();
const RowTable kRowsU16 = makeRowTable<DType::U16>();
const RowTable kRowsI16 = makeRowTable<DType::I16>();
} // namespace neuron::simulator::semantics

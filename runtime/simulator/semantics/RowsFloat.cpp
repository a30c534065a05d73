//===- RowsFloat.cpp - every function in float32 and float64 --------------===//
//
// RowsFloatFma.cpp compiles this file again for CPUs with AVX2 and FMA. The
// results are the same.
//
//===----------------------------------------------------------------------===//
#include "runtime/simulator/semantics/Rows.h"

namespace neuron::simulator::semantics {
#ifdef __FMA__
const RowTable kRowsF32Fma = makeRowTable<DType::F32>();
const RowTable kRowsF64Fma = makeRowTable<DType::F64>();
#else
const RowTable kRowsF32 = makeRowTable<DType::F32>();
const RowTable kRowsF64 = makeRowTable<DType::F64>();
#endif
} // namespace neuron::simulator::semantics

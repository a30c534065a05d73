//===- RowsFloatFma.cpp - float rows for CPUs with AVX2 and FMA -----------===//
#include "runtime/simulator/semantics/RowsFloat.cpp"

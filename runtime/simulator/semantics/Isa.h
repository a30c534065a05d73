//===- Isa.h - one instantiation for each instruction set -------*- C++ -*-===//
//
// The templates multiply and add in one rounding (multiplyAdd), which a CPU
// without FMA does in software, slowly. So the float rows are compiled twice,
// and the functions of the two live in namespaces of their own: the linker must
// not take one for the other.
//
//===----------------------------------------------------------------------===//
#pragma once

#ifdef __FMA__
#define NEURON_ISA fma
#else
#define NEURON_ISA portable
#endif

//===- NisaDialect.td - engine instructions ------------------*- tablegen -*-===//
//
// Instruction level: what the engines of a NeuronCore execute, on tiles of SBUF
// and PSUM and windows of HBM. Names follow the public nki.isa.
//
//===----------------------------------------------------------------------===//
#ifndef NISA_DIALECT_TD
#define NISA_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nisa_Dialect : Dialect {
  let name = "nisa";
  let cppNamespace = "::neuron::nisa";
  let summary = "engine instructions of a NeuronCore";
  let description = [{
    A tile is a `memref<PxNxT, #nisa.mem<sbuf>>` or `#nisa.mem<psum>`: the same N
    elements in each of the first P of 128 partitions. PSUM is what the Tensor
    engine writes to. HBM variables are memrefs in `#nisa.mem<hbm>`
    and are only touched by DMA. Instructions write to their `outs`. A scalar
    operand is an immediate (`nisa.immediate`) or a tile of one element a
    partition.

    The program is structured: kernels, loops, barriers, instructions. Placement
    (`offset`) and schedule (`queue`, `wait`, `signal`) are attributes on the same
    ops; the streams of the engines are derived from them. Emission makes
    runtime/program/Program.h of it, op by op.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Nisa_MemorySpace : I32EnumAttr<"MemorySpace", "where a memref lives", [
  I32EnumAttrCase<"HBM", 0, "hbm">, I32EnumAttrCase<"SBUF", 1, "sbuf">,
  I32EnumAttrCase<"PSUM", 2, "psum">]> {
  let cppNamespace = "::neuron::nisa";
  let genSpecializedAttr = 0;
}
def Nisa_MemAttr : EnumAttr<Nisa_Dialect, Nisa_MemorySpace, "mem"> {
  let assemblyFormat = "`<` $value `>`";
}

def Nisa_Engine : I32EnumAttr<"Engine", "an engine of the core", [
  I32EnumAttrCase<"Tensor", 0, "tensor">, I32EnumAttrCase<"Vector", 1, "vector">,
  I32EnumAttrCase<"Scalar", 2, "scalar">, I32EnumAttrCase<"GpSimd", 3, "gpsimd">,
  I32EnumAttrCase<"Sync", 4, "sync">]> {
  let cppNamespace = "::neuron::nisa";
  let genSpecializedAttr = 0;
}
def Nisa_EngineAttr : EnumAttr<Nisa_Dialect, Nisa_Engine, "engine"> {
  let assemblyFormat = "`<` $value `>`";
}

// The same numbers as runtime/program/Program.h's Unit.
def Nisa_Unit : I32EnumAttr<"Unit", "an engine or a DMA queue; each has a semaphore", [
  I32EnumAttrCase<"Tensor", 0, "tensor">,
  I32EnumAttrCase<"Vector", 1, "vector">,
  I32EnumAttrCase<"Scalar", 2, "scalar">,
  I32EnumAttrCase<"GpSimd", 3, "gpsimd">,
  I32EnumAttrCase<"Sync", 4, "sync">,
  I32EnumAttrCase<"Q0", 5, "q0">,
  I32EnumAttrCase<"Q1", 6, "q1">,
  I32EnumAttrCase<"Q2", 7, "q2">,
  I32EnumAttrCase<"Q3", 8, "q3">,
  I32EnumAttrCase<"Q4", 9, "q4">,
  I32EnumAttrCase<"Q5", 10, "q5">,
  I32EnumAttrCase<"Q6", 11, "q6">,
  I32EnumAttrCase<"Q7", 12, "q7">,
  I32EnumAttrCase<"Q8", 13, "q8">,
  I32EnumAttrCase<"Q9", 14, "q9">,
  I32EnumAttrCase<"Q10", 15, "q10">,
  I32EnumAttrCase<"Q11", 16, "q11">,
  I32EnumAttrCase<"Q12", 17, "q12">,
  I32EnumAttrCase<"Q13", 18, "q13">,
  I32EnumAttrCase<"Q14", 19, "q14">,
  I32EnumAttrCase<"Q15", 20, "q15">]> {
  let cppNamespace = "::neuron::nisa";
  let genSpecializedAttr = 0;
}

def Nisa_WaitAttr : AttrDef<Nisa_Dialect, "Wait"> {
  let mnemonic = "wait";
  let summary = "held back until a unit's semaphore reaches a value";
  let description = [{
    The value is `base` plus, for each enclosing loop from the outermost,
    coefficient times counter. A value that is not positive never holds.
  }];
  let parameters = (ins EnumParameter<Nisa_Unit>:$unit,
                        "int64_t":$base,
                        OptionalArrayRefParameter<"int64_t">:$coefficients);
  let assemblyFormat = "`<` $unit `,` $base (`+` `[` $coefficients^ `]`)? `>`";
}

#endif // NISA_DIALECT_TD

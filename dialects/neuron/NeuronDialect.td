//===- NeuronDialect.td - the neuron dialect ----------------*- tablegen -*-===//
//
// Tensor-level operations with value semantics: what a user reads in the `graph` and `fused` dumps.
//
//===----------------------------------------------------------------------===//
#ifndef NEURON_DIALECT_TD
#define NEURON_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Neuron_Dialect : Dialect {
  let name = "neuron";
  let cppNamespace = "::neuron::ir";
  let summary = "PyTorch's tensor operations, as the neuron compiler sees them";
  let description = [{
    Operations have PyTorch's semantics on CPU. Type promotion is resolved before: the operands of an
    arithmetic operation have one element type. Element types are `i1` (bool), `i8` to `i64` (signed),
    `ui8` to `ui64`, `f16`, `bf16`, `f32` and `f64`; shapes are static, rank 0 to 8. Elementwise operations
    broadcast as PyTorch does: shapes are aligned at the right, and a size of 1 is repeated.
  }];
  let hasConstantMaterializer = 1;
}

def Neuron_Element : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, F16, BF16, F32, F64],
                               "element type of PyTorch's CPU">;
def Neuron_Tensor : StaticShapeTensorOf<[Neuron_Element]>;
def Neuron_FloatTensor : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
def Neuron_IntTensor : StaticShapeTensorOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Neuron_IntOrBoolTensor : StaticShapeTensorOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Neuron_NumberTensor : StaticShapeTensorOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64, F16, BF16, F32, F64]>;
def Neuron_BoolTensor : StaticShapeTensorOf<[I1]>;

class Neuron_Op<string mnemonic, list<Trait> traits = []> : Op<Neuron_Dialect, mnemonic, traits>;

#endif // NEURON_DIALECT_TD

//===- StructureOps.td - constants and kernels ---------------*- tablegen -*-===//
#ifndef NEURON_STRUCTURE_OPS_TD
#define NEURON_STRUCTURE_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Neuron_StructureGroup : OpDocGroup {
  let summary = "Constants and kernels";
  let description = "Where values come from, and what runs together.";
}

def Neuron_ConstantOp : Neuron_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor of known elements";
  let opDocGroup = Neuron_StructureGroup;
  let description = [{
    The attribute's type is the result's.

    ```mlir
    %0 = neuron.constant dense<1.0> : tensor<f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Neuron_IotaOp : Neuron_Op<"iota", [Pure]> {
  let summary = "`start + step * index` along a dimension (torch.arange is rank 1)";
  let opDocGroup = Neuron_StructureGroup;
  let description = [{
    Computed as PyTorch's arange does: in i64 for integer types, in f64 rounded once for floating ones.
    `start` and `step` have that type (I2); `dim` is a dimension of the result (I1).

    ```mlir
    %0 = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<4x512xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim, TypedAttrInterface:$start, TypedAttrInterface:$step);
  let results = (outs Neuron_NumberTensor:$result);
  let assemblyFormat = "`dim` $dim `start` $start `step` $step attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Neuron_KernelOp : Neuron_Op<"kernel", [IsolatedFromAbove, SingleBlock, Pure]> {
  let summary = "operations that run as one kernel: read HBM, compute in SBUF, write HBM";
  let opDocGroup = Neuron_StructureGroup;
  let description = [{
    The operands are the values it reads from HBM (the region's arguments stand for them, K1), the results are
    what it writes (K2). Everything between stays on chip. Made by the fusion pass. Only operations of this
    dialect stand inside, and no other kernel (K3); a kernel has a name and a result (K4).

    A row kernel states its iteration space: `shape`, and its dimensions as `row_dims` and `column_dims`
    (disjoint, sorted, together all of them; K5). Aligned with `shape` at the right, every value of the body but
    an input and the views of an input has size 1 or shape[d] in each dimension d, and reductions reduce
    exactly the column dimensions.

    ```mlir
    %0 = neuron.kernel "rms_norm" (%x = %arg0) : (tensor<4x512xbf16>) -> tensor<4x512xbf16> {
      %1 = neuron.rms_norm %x dims [1] eps 1.0e-06 : tensor<4x512xbf16> -> tensor<4x512xbf16>
      neuron.yield %1 : tensor<4x512xbf16>
    } {column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 4, 512>}
    ```
  }];
  let arguments = (ins Variadic<Neuron_AnyTensor>:$inputs, StrAttr:$sym, OptionalAttr<DenseI64ArrayAttr>:$shape,
                       OptionalAttr<DenseI64ArrayAttr>:$row_dims, OptionalAttr<DenseI64ArrayAttr>:$column_dims);
  let results = (outs Variadic<Neuron_AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Neuron_YieldOp : Neuron_Op<"yield", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "what a kernel writes";
  let opDocGroup = Neuron_StructureGroup;
  let description = "Ends the region of a `neuron.kernel` (K2).";
  let arguments = (ins Variadic<Neuron_AnyTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // NEURON_STRUCTURE_OPS_TD

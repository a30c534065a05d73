//===- StructureOps.td - constants and kernels ---------------*- tablegen -*-===//
#ifndef NEURON_STRUCTURE_OPS_TD
#define NEURON_STRUCTURE_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Neuron_ConstantOp : Neuron_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor of known elements";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Neuron_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Neuron_IotaOp : Neuron_Op<"iota", [Pure]> {
  let summary = "start + step * index along a dimension (torch.arange is rank 1)";
  let description = "Computed as PyTorch's arange does: in i64 for integer types, in f64 rounded once for floating ones.";
  let arguments = (ins I64Attr:$dim, TypedAttrInterface:$start, TypedAttrInterface:$step);
  let results = (outs Neuron_NumberTensor:$result);
  let assemblyFormat = "`dim` $dim `start` $start `step` $step attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Neuron_KernelOp : Neuron_Op<"kernel", [IsolatedFromAbove, SingleBlock, Pure]> {
  let summary = "operations that run as one kernel: read HBM, compute in SBUF, write HBM";
  let description = [{
    The operands are the values it reads from HBM (the region's arguments stand for them), the results are what
    it writes. Everything between stays on chip. Made by the fusion pass.

    ```mlir
    %0 = neuron.kernel "rms_norm" (%x = %arg0) : (tensor<4x512xbf16>) -> tensor<4x512xbf16> {
      %1 = neuron.rms_norm %x dims [1] eps 1.0e-06 : tensor<4x512xbf16> -> tensor<4x512xbf16>
      neuron.yield %1 : tensor<4x512xbf16>
    }
    ```
  }];
  let arguments = (ins Variadic<Neuron_Tensor>:$inputs, StrAttr:$sym);
  let results = (outs Variadic<Neuron_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Neuron_YieldOp : Neuron_Op<"yield", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "what a kernel writes";
  let arguments = (ins Variadic<Neuron_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // NEURON_STRUCTURE_OPS_TD

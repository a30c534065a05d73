//===- SequenceOps.td - scans, sorts, random numbers ---------*- tablegen -*-===//
#ifndef NEURON_SEQUENCE_OPS_TD
#define NEURON_SEQUENCE_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

def Neuron_SequenceGroup : OpDocGroup {
  let summary = "Scans, sorts and random numbers";
  let description = "Operations of whole rows, that one processor does element by element.";
}

class Neuron_SequenceOp<string mnemonic, list<Trait> traits = []>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<NamedOpInterface>] # traits> {
  let opDocGroup = Neuron_SequenceGroup;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Neuron_ScanOp : Neuron_SequenceOp<"scan", [SameOperandsAndResultType]> {
  let summary = "the reduction of all elements up to each one along dims (cumsum, cumprod, ...)";
  let description = [{
    The result has the operand's type (N2). `dims` are sorted and unique, and gone through in their flattened order
    (N3). `kind` is `sum`, `prod`, `max`, `min` or `logaddexp`, one that is defined for the element type (Q1).
    As in eager, `f32` is accumulated in `f64`, `f16` and `bf16` in `f32`.

    ```mlir
    %1 = neuron.scan %0 dims [1] kind "sum" : tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_Tensor:$input, DenseI64ArrayAttr:$dims, StrAttr:$kind);
  let results = (outs Neuron_Tensor:$result);
  let assemblyFormat = "$input `dims` $dims `kind` $kind attr-dict `:` type($result)";
}

def Neuron_SortOp : Neuron_SequenceOp<"sort", [SameOperandsAndResultType]> {
  let summary = "the elements along dims in ascending or descending order";
  let description = [{
    The result has the operand's type (N2); `dims` are sorted and unique, and taken in their flattened order (N3).
    A NaN is larger than all else; equal elements keep their order.

    ```mlir
    %1 = neuron.sort %0 dims [1] descending : tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_Tensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$descending);
  let results = (outs Neuron_Tensor:$result);
  let assemblyFormat = "$input `dims` $dims (`descending` $descending^)? attr-dict `:` type($result)";
}

def Neuron_ArgsortOp : Neuron_SequenceOp<"argsort", [SameOperandsAndResultShape]> {
  let summary = "where the elements of neuron.sort stood, along dims";
  let description = [{
    The result has the operand's shape (N2), and counts in the flattened order of `dims` (N3). Beside a `sort` of the
    same operand it costs nothing.

    ```mlir
    %1 = neuron.argsort %0 dims [1] descending : tensor<4x512xf32> -> tensor<4x512xi64>
    ```
  }];
  let arguments = (ins Neuron_Tensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$descending);
  let results = (outs Neuron_IndexTensor:$result);
  let assemblyFormat = [{
    $input `dims` $dims (`descending` $descending^)? attr-dict `:` type($input) `->` type($result)
  }];
}

def Neuron_RandomOp : Neuron_Op<"random", [Pure]> {
  let summary = "random numbers that follow from a key";
  let opDocGroup = Neuron_SequenceGroup;
  let description = [{
    Floats are uniform in [0, 1), in as many steps as torch.rand makes; `i64` has 64 random bits. Each element comes
    from the key and a counter of its own (Philox 4x32-10): equal keys give equal numbers, and different keys
    unrelated ones. The key is one `i64` (U1).

    ```mlir
    %1 = neuron.random %key : tensor<i64> -> tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_IndexTensor:$key);
  let results = (outs Neuron_TensorOf<Neuron_Floats # [I64], "floats or 64-bit integers">:$result);
  let assemblyFormat = "$key attr-dict `:` type($key) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NEURON_SEQUENCE_OPS_TD

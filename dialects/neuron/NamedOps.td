//===- NamedOps.td - composites that reduce ------------------*- tablegen -*-===//
#ifndef NEURON_NAMED_OPS_TD
#define NEURON_NAMED_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

def Neuron_NamedGroup : OpDocGroup {
  let summary = "Named operations";
  let description = [{
    Composites that readers and instruction selection know by name. They compute in `f32` (`f64` for `f64`)
    inside and round once, to the result's type.
  }];
}

// Computed in f32 (f64 for f64) inside, rounded once to the result's type. A cast that stands between the
// normalisation and the weight in the user's program is not part of the op: it stays a neuron.cast beside it.
class Neuron_NamedOp<string mnemonic, list<Trait> traits = []>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<NamedOpInterface>] # traits> {
  let opDocGroup = Neuron_NamedGroup;
  let hasVerifier = 1;
}

def Neuron_SoftmaxOp : Neuron_NamedOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "`exp(x - max) / sum(exp(x - max))` along dims";
  let description = [{
    The result has the operand's type (N2); `dims` are sorted and unique (N3).

    ```mlir
    %1 = neuron.softmax %0 dims [1] : tensor<4x512xbf16>
    ```
  }];
  let arguments = (ins Neuron_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($result)";
}

def Neuron_LogSoftmaxOp : Neuron_NamedOp<"log_softmax", [SameOperandsAndResultType]> {
  let summary = "`x - max - log(sum(exp(x - max)))` along dims";
  let description = [{
    The result has the operand's type (N2); `dims` are sorted and unique (N3).

    ```mlir
    %1 = neuron.log_softmax %0 dims [1] : tensor<4x512xbf16>
    ```
  }];
  let arguments = (ins Neuron_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($result)";
}

def Neuron_RmsNormOp : Neuron_NamedOp<"rms_norm"> {
  let summary = "`x * rsqrt(mean(x*x, dims) + eps) * weight`";
  let description = [{
    `weight` has the operand's element type and broadcasts to its shape (N1); the result has the
    operand's type (N2); `dims` are sorted and unique (N3); `eps` is finite and not negative (N4). A cast
    between the normalisation and the weight in the user's program is not part of the operation: it stays a
    `neuron.cast` beside it.

    ```mlir
    %2 = neuron.rms_norm %0 weight %1 : tensor<512xf32> dims [1] eps 1.0e-06
           : tensor<4x512xf32> -> tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_FloatTensor:$input, Optional<Neuron_FloatTensor>:$weight,
                       DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^ `:` type($weight))? `dims` $dims `eps` $eps attr-dict `:` type($input) `->` type($result)
  }];
}

def Neuron_LayerNormOp : Neuron_NamedOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "`(x - mean) * rsqrt(var + eps) * weight + bias`; the variance has no correction";
  let description = [{
    `weight` and `bias` have the operand's element type and broadcast to its shape (N1); the result has the
    operand's type (N2); `dims` are sorted and unique (N3); `eps` is finite and not negative (N4). A cast
    between the normalisation and the weight in the user's program is not part of the operation: it stays a
    `neuron.cast` beside it.

    ```mlir
    %3 = neuron.layer_norm %0 weight %1 : tensor<512xf32> bias %2 : tensor<512xf32> dims [1] eps 1.0e-05
           : tensor<4x512xf32> -> tensor<4x512xf32>
    ```
  }];
  let arguments = (ins Neuron_FloatTensor:$input, Optional<Neuron_FloatTensor>:$weight,
                       Optional<Neuron_FloatTensor>:$bias, DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^ `:` type($weight))? (`bias` $bias^ `:` type($bias))? `dims` $dims `eps` $eps
    attr-dict `:` type($input) `->` type($result)
  }];
}

#endif // NEURON_NAMED_OPS_TD

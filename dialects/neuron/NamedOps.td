//===- NamedOps.td - composites that reduce ------------------*- tablegen -*-===//
#ifndef NEURON_NAMED_OPS_TD
#define NEURON_NAMED_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

// Computed in f32 (f64 for f64) inside, rounded once to the result's type. A cast that stands between the
// normalisation and the weight in the user's program is not part of the op: it stays a neuron.cast beside it.
class Neuron_NamedOp<string mnemonic, list<Trait> traits = []>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<NamedOpInterface>] # traits> {
  let hasVerifier = 1;
}

def Neuron_SoftmaxOp : Neuron_NamedOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "exp(x - max) / sum(exp(x - max)) along dims";
  let arguments = (ins Neuron_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($result)";
}

def Neuron_LogSoftmaxOp : Neuron_NamedOp<"log_softmax", [SameOperandsAndResultType]> {
  let summary = "x - max - log(sum(exp(x - max))) along dims";
  let arguments = (ins Neuron_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($result)";
}

// weight and bias have the input's element type and broadcast to its shape (rule N1); the result has the
// input's type (rule N2); dims as in reductions (rule N3).
def Neuron_RmsNormOp : Neuron_NamedOp<"rms_norm"> {
  let summary = "x * rsqrt(mean(x*x, dims) + eps) * weight";
  let arguments = (ins Neuron_FloatTensor:$input, Optional<Neuron_FloatTensor>:$weight,
                       DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^ `:` type($weight))? `dims` $dims `eps` $eps attr-dict `:` type($input) `->` type($result)
  }];
}

def Neuron_LayerNormOp : Neuron_NamedOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "(x - mean) * rsqrt(var + eps) * weight + bias; the variance has no correction";
  let arguments = (ins Neuron_FloatTensor:$input, Optional<Neuron_FloatTensor>:$weight,
                       Optional<Neuron_FloatTensor>:$bias, DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs Neuron_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^ `:` type($weight))? (`bias` $bias^ `:` type($bias))? `dims` $dims `eps` $eps
    attr-dict `:` type($input) `->` type($result)
  }];
}

#endif // NEURON_NAMED_OPS_TD

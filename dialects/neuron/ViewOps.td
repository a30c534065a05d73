//===- ViewOps.td - reinterpretations ------------------------*- tablegen -*-===//
#ifndef NEURON_VIEW_OPS_TD
#define NEURON_VIEW_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

class Neuron_ViewOp<string mnemonic, string what, dag extra, string format>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = what;
  let arguments = !con((ins Neuron_Tensor:$input), extra);
  let results = (outs Neuron_Tensor:$result);
  let assemblyFormat = "$input " # format # " attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

// Element types are equal (rule V1).
def Neuron_ReshapeOp : Neuron_ViewOp<"reshape", "same elements in row-major order (rule V2: same count)", (ins), "">;
def Neuron_ExpandOp : Neuron_ViewOp<"expand", "broadcast to a larger shape (rule V3)", (ins), "">;
def Neuron_PermuteOp : Neuron_ViewOp<"permute", "result dim i is input dim permutation[i] (rule V4)",
    (ins DenseI64ArrayAttr:$permutation), "`perm` $permutation">;
def Neuron_SliceOp : Neuron_ViewOp<"slice", "elements starts[d] + i*steps[d], i < result size (rule V5: in range)",
    (ins DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps), "`starts` $starts `steps` $steps">;

#endif // NEURON_VIEW_OPS_TD

//===- MovementOps.td - elements to other places -------------*- tablegen -*-===//
#ifndef NEURON_MOVEMENT_OPS_TD
#define NEURON_MOVEMENT_OPS_TD

include "dialects/neuron/NeuronDialect.td"

def Neuron_MovementGroup : OpDocGroup {
  let summary = "Movement";
  let description = "Put elements somewhere else in HBM, unchanged.";
}

def Neuron_ConcatOp : Neuron_Op<"concat", [Pure]> {
  let summary = "the elements of all operands, one behind the other along a dimension";
  let opDocGroup = Neuron_MovementGroup;
  let description = [{
    There is an operand at least, and all have the result's element type and rank (C1); `dim` is one of its
    dimensions (C2). Along the others the sizes are equal; along `dim` the result's is the sum (C3).

    It stands between kernels, and moves nothing by itself: the result is one variable of HBM, and the kernels
    that make the operands write into it.

    ```mlir
    %2 = neuron.concat %0, %1 dim 1 : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
    ```
  }];
  let arguments = (ins Variadic<Neuron_AnyTensor>:$inputs, I64Attr:$dim);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // NEURON_MOVEMENT_OPS_TD

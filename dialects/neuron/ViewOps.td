//===- ViewOps.td - reinterpretations ------------------------*- tablegen -*-===//
#ifndef NEURON_VIEW_OPS_TD
#define NEURON_VIEW_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

def Neuron_ViewGroup : OpDocGroup {
  let summary = "Views";
  let description = "Name the elements of a value by other indices. No element is computed or moved.";
}

// The result has the input's element type (rule V1).
class Neuron_ViewOp<string mnemonic, string what, dag extra, string format>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = what;
  let opDocGroup = Neuron_ViewGroup;
  let arguments = !con((ins Neuron_AnyTensor:$input), extra);
  let results = (outs Neuron_AnyTensor:$result);
  let assemblyFormat = "$input " # format # " attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Neuron_ReshapeOp : Neuron_ViewOp<"reshape", "the same elements, in row-major order", (ins), ""> {
  let description = [{
    The result has the operand's element type (V1) and as many elements (V2).

    ```mlir
    %1 = neuron.reshape %0 : (tensor<4x512xf32>) -> tensor<4x8x64xf32>
    ```
  }];
}

def Neuron_ExpandOp : Neuron_ViewOp<"expand", "repetition along dimensions of size 1, and new ones at the left", (ins), ""> {
  let description = [{
    Sizes are aligned at the right; each is equal, or the operand's is 1 (V3). The element type stays (V1).

    ```mlir
    %1 = neuron.expand %0 : (tensor<4x1xf32>) -> tensor<2x4x512xf32>
    ```
  }];
}

def Neuron_PermuteOp : Neuron_ViewOp<"permute", "dimensions in another order",
    (ins DenseI64ArrayAttr:$permutation), "`perm` $permutation"> {
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand; each stands once (V4). The element
    type stays (V1).

    ```mlir
    %1 = neuron.permute %0 perm [1, 0] : (tensor<4x512xf32>) -> tensor<512x4xf32>
    ```
  }];
}

def Neuron_SliceOp : Neuron_ViewOp<"slice", "every steps[d]-th element from starts[d] on",
    (ins DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps), "`starts` $starts `steps` $steps"> {
  let description = [{
    Element i of the result along dimension d is element `starts[d] + i * steps[d]` of the operand. Steps are
    not 0 (a negative one reverses the order), and the elements are within the operand (V5). The element type
    stays (V1).

    ```mlir
    %1 = neuron.slice %0 starts [3, 256] steps [-1, 2] : (tensor<4x512xf32>) -> tensor<4x128xf32>
    ```
  }];
}

def Neuron_WindowOp : Neuron_ViewOp<"window", "overlapping windows along a dimension",
    (ins I64Attr:$dim, I64Attr:$step, I64Attr:$dilation),
    "`dim` $dim `step` $step `dilation` $dilation"> {
  let description = [{
    Dimension `dim` becomes two, the windows and the elements of each: element (o, i) of the result is element
    `o * step + i * dilation` of the operand. Both are at least 1, `dim` is a dimension of the operand, and
    the elements are within it (V6). The element type stays (V1).

    ```mlir
    %1 = neuron.window %0 dim 1 step 2 dilation 1 : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
    ```
  }];
}

#endif // NEURON_VIEW_OPS_TD

//===- Passes.td - passes on tensors -------------------------*- tablegen -*-===//
#ifndef NEURON_GRAPH_PASSES_TD
#define NEURON_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

class RoundingOption<string name, string what>
    : Option<"rounding", name, "::neuron::graph::RoundingMode",
             "::neuron::graph::RoundingMode::Fused", what,
             [{::llvm::cl::values(
               clEnumValN(::neuron::graph::RoundingMode::Fused, "default",
                          "intermediates of a kernel may stay in f32"),
               clEnumValN(::neuron::graph::RoundingMode::Eager, "eager",
                          "every op rounds to its own type"))}]>;

def ExpandMatmul : Pass<"neuron-expand-matmul", "::mlir::func::FuncOp"> {
  let summary = "products that the Tensor engine does not compute as multiplications and sums";
  let description = [{
    Stage: graph. The Tensor engine multiplies f32, bf16 and f16. Integers and f64 are multiplied elementwise and
    summed along the contracted dimensions, as a row kernel can; so are products of one term each (outer
    products), in any type.

    ```mlir
    %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xi64>, tensor<8x3xi64> -> tensor<4x3xi64>
    ```
    becomes
    ```mlir
    %1 = neuron.reshape %a : (tensor<4x8xi64>) -> tensor<4x1x8xi64>
    %2 = neuron.permute %b perm [1, 0] : (tensor<8x3xi64>) -> tensor<3x8xi64>
    %3 = neuron.mul %1, %2 : (tensor<4x1x8xi64>, tensor<3x8xi64>) -> tensor<4x3x8xi64>
    %0 = neuron.sum %3 dims [2] : (tensor<4x3x8xi64>) -> tensor<4x3xi64>
    ```
  }];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def RaiseNamedOps : Pass<"neuron-raise-named-ops", "::mlir::func::FuncOp"> {
  let summary = "recognise rms_norm, layer_norm, softmax, log_softmax, gelu, gelu_tanh and silu";
  let description = [{
    Stage: graph, after canonicalize and cse (equal values have to be one value). Composites are recognised from
    their dataflow in any spelling: order and association of factors and terms, powers and squares, mean or sum
    and division, var or mean of squares, root and division or reciprocal or rsqrt, statistics with or without
    their dimension.

    An op is raised in the type in which its arithmetic happens; casts of the user's are not seen through: a cast
    between a norm and its weight stays beside the op. Nothing is raised if an intermediate value has another use,
    if softmax does not subtract the maximum, if eps is added outside of the root, or if constants differ by
    more than the roundings of their type. With `rounding=eager`, composites in f16 and bf16 are not raised,
    because a named op rounds once.

    ```mlir
    %0 = neuron.square %x : tensor<4x8xf32>
    %1 = neuron.mean %0 dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %2 = neuron.add %1, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
    %3 = neuron.rsqrt %2 : tensor<4x1xf32>
    %4 = neuron.mul %x, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = neuron.rms_norm %x dims [1] eps 1.0e-06 : tensor<4x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let options = [RoundingOption<"rounding", "whether a raising may skip roundings">];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def Rounding : Pass<"neuron-rounding", "::mlir::func::FuncOp"> {
  let summary = "make the roundings of f16 and bf16 arithmetic explicit";
  let description = [{
    Stage: after fusion. Arithmetic of f16 and bf16 means f32 arithmetic with one rounding. Before: ops of kernels
    on f16 and bf16. After: only casts, views, constants and iotas have these types; everything else
    computes in f32 between casts that widen its operands and round its result.

    A rounding whose value never leaves f32 arithmetic of the same kernel is then left out, if every use of
    the rounded value is such arithmetic. It stays if any use stores the value, compares or tests it, takes
    its index, converts it (the user's own casts are conversions, and stay) or is a step function such as
    floor: no value exists in two roundings. With `mode=eager` all stay.

    ```mlir
    %1 = neuron.mul %x, %x : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
    %2 = neuron.exp %1 : tensor<4xbf16>
    neuron.yield %2 : tensor<4xbf16>
    ```
    becomes
    ```mlir
    %0 = neuron.cast %x : tensor<4xbf16> to tensor<4xf32>
    %1 = neuron.mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = neuron.exp %1 : tensor<4xf32>
    %3 = neuron.cast %2 : tensor<4xf32> to tensor<4xbf16>
    neuron.yield %3 : tensor<4xbf16>
    ```
  }];
  let options = [RoundingOption<"mode", "which roundings stay">];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

#endif // NEURON_GRAPH_PASSES_TD

// Rules G1 and G2 of --neuron-verify-graph.
// RUN: neuron-opt %s --neuron-verify-graph --verify-diagnostics --split-input-file --mlir-print-debuginfo | FileCheck %s

// A graph that obeys passes unchanged. A constant needs no location: equal ones of several lines are one.
// CHECK-LABEL: @good(
func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: neuron.constant
  %c = neuron.constant dense<1.0> : tensor<f32> loc(unknown)
  // CHECK: neuron.add
  %0 = neuron.add %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> loc(fused[unknown, "node"])
  return %0 : tensor<4xf32>
}

// -----

// G1: no operation of another dialect.
func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{G1: only operations of the neuron dialect, except kernels}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// G1: no kernel before fusion.
func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{G1: only operations of the neuron dialect, except kernels}}
  %0 = neuron.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    neuron.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// G1: no call.
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{G1: only operations of the neuron dialect, except kernels}}
  %0 = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// G2: a body.
// expected-error @below {{G2: function must have one block, got 0}}
func.func private @declaration(tensor<4xf32>)

// -----

// G2: tensors, whatever reads them.
// expected-error @below {{G2: argument #1 must be a static tensor of rank 0 to 16 of an element type of the neuron dialect, got 'i32'}}
func.func @argument(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// G2: results too, which no neuron op may have made.
// expected-error @below {{G2: result #0 must be a static tensor of rank 0 to 16 of an element type of the neuron dialect, got 'tensor<?xf32>'}}
func.func @result(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

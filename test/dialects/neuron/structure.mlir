// Constants and kernels print what they parse.
// RUN: neuron-opt %s --split-input-file | neuron-opt --split-input-file | FileCheck %s
// RUN: neuron-opt %s --split-input-file --mlir-print-op-generic | neuron-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @constant(
func.func @constant() -> (tensor<f32>, tensor<2xui8>, tensor<0x4xi1>) {
  // CHECK: neuron.constant dense<1.500000e+00> : tensor<f32>
  %0 = neuron.constant dense<1.5> : tensor<f32>
  // CHECK: neuron.constant dense<[1, 255]> : tensor<2xui8>
  %1 = neuron.constant dense<[1, 255]> : tensor<2xui8>
  // CHECK: neuron.constant dense<> : tensor<0x4xi1>
  %2 = neuron.constant dense<> : tensor<0x4xi1>
  return %0, %1, %2 : tensor<f32>, tensor<2xui8>, tensor<0x4xi1>
}

// -----

// CHECK-LABEL: @iota(
func.func @iota() -> (tensor<4x512xi32>, tensor<8xbf16>) {
  // CHECK: neuron.iota dim 1 start 3 : i64 step -1 : i64 : tensor<4x512xi32>
  %0 = neuron.iota dim 1 start 3 : i64 step -1 : i64 : tensor<4x512xi32>
  // CHECK: neuron.iota dim 0 start 0.000000e+00 : f64 step 5.000000e-01 : f64 : tensor<8xbf16>
  %1 = neuron.iota dim 0 start 0.0 : f64 step 0.5 : f64 : tensor<8xbf16>
  return %0, %1 : tensor<4x512xi32>, tensor<8xbf16>
}

// -----

// A kernel with two inputs and two results; attributes come last.
// CHECK-LABEL: @kernel(
func.func @kernel(%a: tensor<4x512xf32>, %b: tensor<512xf32>) -> (tensor<4x512xf32>, tensor<4x512xf32>) {
  // CHECK: neuron.kernel "add_norm" (%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) : (tensor<4x512xf32>, tensor<512xf32>) -> (tensor<4x512xf32>, tensor<4x512xf32>) {
  // CHECK-NEXT: %[[H:.*]] = neuron.add %[[X]], %[[Y]]
  // CHECK-NEXT: %[[R:.*]] = neuron.rms_norm %[[H]]
  // CHECK-NEXT: neuron.yield %[[H]], %[[R]] : tensor<4x512xf32>, tensor<4x512xf32>
  // CHECK-NEXT: } {note = "kept"}
  %r:2 = neuron.kernel "add_norm" (%x = %a, %y = %b) : (tensor<4x512xf32>, tensor<512xf32>)
      -> (tensor<4x512xf32>, tensor<4x512xf32>) {
    %h = neuron.add %x, %y : (tensor<4x512xf32>, tensor<512xf32>) -> tensor<4x512xf32>
    %n = neuron.rms_norm %h dims [1] eps 1.0e-06 : tensor<4x512xf32> -> tensor<4x512xf32>
    neuron.yield %h, %n : tensor<4x512xf32>, tensor<4x512xf32>
  } {note = "kept"}
  return %r#0, %r#1 : tensor<4x512xf32>, tensor<4x512xf32>
}

// -----

// A kernel may read nothing.
// CHECK-LABEL: @kernel_without_inputs(
func.func @kernel_without_inputs() -> tensor<8xi32> {
  // CHECK: neuron.kernel "iota" () : () -> tensor<8xi32> {
  %r = neuron.kernel "iota" () : () -> tensor<8xi32> {
    %0 = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<8xi32>
    neuron.yield %0 : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

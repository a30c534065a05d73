// Every named operation prints what it parses, whichever operands are there.
// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// RUN: neuron-opt %s --mlir-print-op-generic | neuron-opt | FileCheck %s

// CHECK-LABEL: @softmax(
func.func @softmax(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.softmax %{{.*}} dims [1] : tensor<4x512xbf16>
  %r = neuron.softmax %x dims [1] : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @log_softmax(
func.func @log_softmax(%x: tensor<4x8x16xf64>) -> tensor<4x8x16xf64> {
  // CHECK: neuron.log_softmax %{{.*}} dims [0, 2] : tensor<4x8x16xf64>
  %r = neuron.log_softmax %x dims [0, 2] : tensor<4x8x16xf64>
  return %r : tensor<4x8x16xf64>
}

// CHECK-LABEL: @rms_norm(
func.func @rms_norm(%x: tensor<4x512xf32>, %w: tensor<512xf32>) -> (tensor<4x512xf32>, tensor<4x512xf32>) {
  // CHECK: neuron.rms_norm %{{.*}} dims [1] eps {{.*}} : tensor<4x512xf32> -> tensor<4x512xf32>
  %0 = neuron.rms_norm %x dims [1] eps 1.0e-06 : tensor<4x512xf32> -> tensor<4x512xf32>
  // CHECK: neuron.rms_norm %{{.*}} weight %{{.*}} : tensor<512xf32> dims [1] eps 0.000000e+00 : tensor<4x512xf32> -> tensor<4x512xf32>
  %1 = neuron.rms_norm %x weight %w : tensor<512xf32> dims [1] eps 0.0 : tensor<4x512xf32> -> tensor<4x512xf32>
  return %0, %1 : tensor<4x512xf32>, tensor<4x512xf32>
}

// CHECK-LABEL: @layer_norm(
func.func @layer_norm(%x: tensor<4x512xf32>, %w: tensor<512xf32>, %b: tensor<4x1xf32>)
    -> (tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512xf32>) {
  // CHECK: neuron.layer_norm %{{.*}} dims [0, 1] eps 1.000000e-05 : tensor<4x512xf32> -> tensor<4x512xf32>
  %0 = neuron.layer_norm %x dims [0, 1] eps 1.0e-05 : tensor<4x512xf32> -> tensor<4x512xf32>
  // CHECK: neuron.layer_norm %{{.*}} bias %{{.*}} : tensor<4x1xf32> dims [1]
  %1 = neuron.layer_norm %x bias %b : tensor<4x1xf32> dims [1] eps 1.0e-05 : tensor<4x512xf32> -> tensor<4x512xf32>
  // CHECK: neuron.layer_norm %{{.*}} weight %{{.*}} : tensor<512xf32> bias %{{.*}} : tensor<4x1xf32> dims [1]
  %2 = neuron.layer_norm %x weight %w : tensor<512xf32> bias %b : tensor<4x1xf32> dims [1] eps 1.0e-05
      : tensor<4x512xf32> -> tensor<4x512xf32>
  return %0, %1, %2 : tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512xf32>
}

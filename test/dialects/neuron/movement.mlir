// What moves elements prints what it parses.
// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// RUN: neuron-opt %s --mlir-print-op-generic | neuron-opt | FileCheck %s

// CHECK-LABEL: @concat(
func.func @concat(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<4x11xf32> {
  // CHECK: neuron.concat %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %r = neuron.concat %a, %b dim 1 : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  return %r : tensor<4x11xf32>
}

// One operand is a concat too.
// CHECK-LABEL: @concat_of_one(
func.func @concat_of_one(%a: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: neuron.concat %{{.*}} dim 0 : (tensor<4xi1>) -> tensor<4xi1>
  %r = neuron.concat %a dim 0 : (tensor<4xi1>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: @window(
func.func @window(%x: tensor<4x9xf32>) -> tensor<4x4x3xf32> {
  // CHECK: neuron.window %{{.*}} dim 1 step 2 dilation 1 : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  %r = neuron.window %x dim 1 step 2 dilation 1 : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  return %r : tensor<4x4x3xf32>
}

// A reversed dimension starts at its last element.
// CHECK-LABEL: @flip(
func.func @flip(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  // CHECK: neuron.slice %{{.*}} starts [0, 8] steps [1, -1] : (tensor<4x9xf32>) -> tensor<4x9xf32>
  %r = neuron.slice %x starts [0, 8] steps [1, -1] : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

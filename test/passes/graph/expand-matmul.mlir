// Products that the Tensor engine does not compute.
// RUN: neuron-opt %s --neuron-expand-matmul | FileCheck %s

// CHECK-LABEL: @integers(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xi64>, %[[B:.*]]: tensor<8x3xi64>
func.func @integers(%a: tensor<4x8xi64>, %b: tensor<8x3xi64>) -> tensor<4x3xi64> {
  // CHECK-DAG: %[[L:.*]] = neuron.reshape %[[A]] : (tensor<4x8xi64>) -> tensor<4x1x8xi64>
  // CHECK-DAG: %[[P:.*]] = neuron.permute %[[B]] perm [1, 0]
  // CHECK-DAG: %[[R:.*]] = neuron.reshape %[[P]] : (tensor<3x8xi64>) -> tensor<1x3x8xi64>
  // CHECK: %[[M:.*]] = neuron.mul %[[L]], %[[R]]
  // CHECK: neuron.sum %[[M]] dims [2]
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xi64>, tensor<8x3xi64> -> tensor<4x3xi64>
  return %0 : tensor<4x3xi64>
}

// One term each: no sum, and one rounding.
// CHECK-LABEL: @outer(
func.func @outer(%a: tensor<4xbf16>, %b: tensor<3xbf16>) -> tensor<4x3xbf16> {
  // CHECK: neuron.mul {{.*}} -> tensor<4x3xbf16>
  // CHECK-NOT: neuron.sum
  %0 = neuron.matmul %a, %b batch 0 contract 0 : tensor<4xbf16>, tensor<3xbf16> -> tensor<4x3xbf16>
  return %0 : tensor<4x3xbf16>
}

// What the Tensor engine computes stays.
// CHECK-LABEL: @stays(
func.func @stays(%a: tensor<4x8xf16>, %b: tensor<8x3xf16>) -> tensor<4x3xf16> {
  // CHECK: neuron.matmul
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xf16>, tensor<8x3xf16> -> tensor<4x3xf16>
  return %0 : tensor<4x3xf16>
}

// Beyond sixteen dimensions they are merged by kind.
// CHECK-LABEL: @many_dimensions(
func.func @many_dimensions(%w: tensor<2x5x3x2x2xi32>, %x: tensor<2x3x2x2x7x1x1x1x1x1x1x1x1x6x4x3xi32>) -> tensor<2x5x7x1x1x1x1x1x1x1x1x6x4x3xi32> {
  // CHECK: neuron.mul {{.*}} -> tensor<2x5x504x12xi32>
  // CHECK: neuron.sum {{.*}} dims [3]
  %0 = neuron.matmul %w, %x batch 1 contract 3
      : tensor<2x5x3x2x2xi32>, tensor<2x3x2x2x7x1x1x1x1x1x1x1x1x6x4x3xi32> -> tensor<2x5x7x1x1x1x1x1x1x1x1x6x4x3xi32>
  return %0 : tensor<2x5x7x1x1x1x1x1x1x1x1x6x4x3xi32>
}

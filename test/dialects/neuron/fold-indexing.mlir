// What gathers, scans and sorts fold to.
// RUN: neuron-opt %s --canonicalize | FileCheck %s

// A known index is a view,
// CHECK-LABEL: @known_index(
// CHECK: neuron.slice %arg0 starts [2, 0] steps [1, 1]
// CHECK-NOT: neuron.gather
func.func @known_index(%x: tensor<4x8xf32>) -> tensor<3x8xf32> {
  %i = neuron.constant dense<2> : tensor<3x1xi64>
  %r = neuron.gather %x, %i : tensor<4x8xf32>, tensor<3x1xi64> -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// but one out of bounds is an error when the graph runs.
// CHECK-LABEL: @bad_index(
// CHECK: neuron.gather
func.func @bad_index(%x: tensor<4x8xf32>) -> tensor<3x8xf32> {
  %i = neuron.constant dense<4> : tensor<3x1xi64>
  %r = neuron.gather %x, %i : tensor<4x8xf32>, tensor<3x1xi64> -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// Without elements there is nothing to do.
// CHECK-LABEL: @nothing(
// CHECK-NOT: neuron.gather
// CHECK: neuron.constant dense<> : tensor<0x8xf32>
func.func @nothing(%x: tensor<4x8xf32>, %i: tensor<0x1xi64>) -> tensor<0x8xf32> {
  %r = neuron.gather %x, %i : tensor<4x8xf32>, tensor<0x1xi64> -> tensor<0x8xf32>
  return %r : tensor<0x8xf32>
}

// Sequences of one element,
// CHECK-LABEL: @of_one(
// CHECK-DAG: %[[Z:.*]] = neuron.constant dense<0> : tensor<4x1xi64>
// CHECK: return %arg0, %arg0, %[[Z]] : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi64>
func.func @of_one(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi64>) {
  %0 = neuron.scan %x dims [1] kind "max" : tensor<4x1xf32>
  %1 = neuron.sort %x dims [1] : tensor<4x1xf32>
  %2 = neuron.argsort %x dims [1] : tensor<4x1xf32> -> tensor<4x1xi64>
  return %0, %1, %2 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi64>
}

// but for a sum, which makes 0.0 of -0.0.
// CHECK-LABEL: @sum_of_one(
// CHECK: neuron.scan
func.func @sum_of_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = neuron.scan %x dims [1] kind "sum" : tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

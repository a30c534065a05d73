// Every view prints what it parses.
// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// RUN: neuron-opt %s --mlir-print-op-generic | neuron-opt | FileCheck %s

// CHECK-LABEL: @reshape(
func.func @reshape(%x: tensor<4x512xf32>) -> tensor<4x8x64xf32> {
  // CHECK: neuron.reshape %{{.*}} : (tensor<4x512xf32>) -> tensor<4x8x64xf32>
  %r = neuron.reshape %x : (tensor<4x512xf32>) -> tensor<4x8x64xf32>
  return %r : tensor<4x8x64xf32>
}

// CHECK-LABEL: @expand(
func.func @expand(%x: tensor<4x1xi1>) -> tensor<2x4x512xi1> {
  // CHECK: neuron.expand %{{.*}} : (tensor<4x1xi1>) -> tensor<2x4x512xi1>
  %r = neuron.expand %x : (tensor<4x1xi1>) -> tensor<2x4x512xi1>
  return %r : tensor<2x4x512xi1>
}

// A size of 1 may be repeated no times.
// CHECK-LABEL: @expand_to_nothing(
func.func @expand_to_nothing(%x: tensor<4x1xf32>) -> tensor<4x0xf32> {
  // CHECK: neuron.expand
  %r = neuron.expand %x : (tensor<4x1xf32>) -> tensor<4x0xf32>
  return %r : tensor<4x0xf32>
}

// CHECK-LABEL: @permute(
func.func @permute(%x: tensor<2x3x5xbf16>) -> tensor<5x2x3xbf16> {
  // CHECK: neuron.permute %{{.*}} perm [2, 0, 1] : (tensor<2x3x5xbf16>) -> tensor<5x2x3xbf16>
  %r = neuron.permute %x perm [2, 0, 1] : (tensor<2x3x5xbf16>) -> tensor<5x2x3xbf16>
  return %r : tensor<5x2x3xbf16>
}

// CHECK-LABEL: @permute_rank_0(
func.func @permute_rank_0(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: neuron.permute %{{.*}} perm [] : (tensor<f32>) -> tensor<f32>
  %r = neuron.permute %x perm [] : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// The last element taken is the last of its dimension.
// CHECK-LABEL: @slice(
func.func @slice(%x: tensor<4x512xi64>) -> tensor<4x128xi64> {
  // CHECK: neuron.slice %{{.*}} starts [0, 257] steps [1, 2] : (tensor<4x512xi64>) -> tensor<4x128xi64>
  %r = neuron.slice %x starts [0, 257] steps [1, 2] : (tensor<4x512xi64>) -> tensor<4x128xi64>
  return %r : tensor<4x128xi64>
}

// No element from the end on is a slice.
// CHECK-LABEL: @slice_of_nothing(
func.func @slice_of_nothing(%x: tensor<4xi64>) -> tensor<0xi64> {
  // CHECK: neuron.slice %{{.*}} starts [4] steps [1]
  %r = neuron.slice %x starts [4] steps [1] : (tensor<4xi64>) -> tensor<0xi64>
  return %r : tensor<0xi64>
}

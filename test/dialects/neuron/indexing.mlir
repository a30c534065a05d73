// Gathers, scatters, scans, sorts and random numbers print what they parse.
// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// RUN: neuron-opt %s --mlir-print-op-generic | neuron-opt | FileCheck %s

// CHECK-LABEL: @gather(
func.func @gather(%x: tensor<1000x64xbf16>, %i: tensor<6x1xi64>) -> tensor<6x64xbf16> {
  // CHECK: neuron.gather %{{.*}}, %{{.*}} : tensor<1000x64xbf16>, tensor<6x1xi64> -> tensor<6x64xbf16>
  %r = neuron.gather %x, %i : tensor<1000x64xbf16>, tensor<6x1xi64> -> tensor<6x64xbf16>
  return %r : tensor<6x64xbf16>
}

// CHECK-LABEL: @scatter(
func.func @scatter(%x: tensor<9x4xf32>, %i: tensor<6x1xi64>, %u: tensor<f32>) -> tensor<9x4xf32> {
  // CHECK: neuron.scatter %{{.*}}, %{{.*}}, %{{.*}} reduce "none" : tensor<9x1xf32>, tensor<6x1xi64>, tensor<f32> -> tensor<9x1xf32>
  %0 = neuron.slice %x starts [0, 0] steps [1, 1] : (tensor<9x4xf32>) -> tensor<9x1xf32>
  %1 = neuron.scatter %0, %i, %u reduce "none" : tensor<9x1xf32>, tensor<6x1xi64>, tensor<f32> -> tensor<9x1xf32>
  // CHECK: neuron.scatter %{{.*}} reduce "sum" : tensor<9x4xf32>, tensor<6x1xi64>, tensor<6x4xf32> -> tensor<9x4xf32>
  %2 = neuron.expand %u : (tensor<f32>) -> tensor<6x4xf32>
  %3 = neuron.scatter %x, %i, %2 reduce "sum" : tensor<9x4xf32>, tensor<6x1xi64>, tensor<6x4xf32> -> tensor<9x4xf32>
  return %3 : tensor<9x4xf32>
}

// CHECK-LABEL: @scan(
func.func @scan(%x: tensor<4x8x16xi64>) -> tensor<4x8x16xi64> {
  // CHECK: neuron.scan %{{.*}} dims [1, 2] kind "prod" : tensor<4x8x16xi64>
  %r = neuron.scan %x dims [1, 2] kind "prod" : tensor<4x8x16xi64>
  return %r : tensor<4x8x16xi64>
}

// CHECK-LABEL: @sort(
func.func @sort(%x: tensor<4x512xf16>) -> (tensor<4x512xf16>, tensor<4x512xi64>) {
  // CHECK: neuron.sort %{{.*}} dims [1] : tensor<4x512xf16>
  %0 = neuron.sort %x dims [1] : tensor<4x512xf16>
  // CHECK: neuron.sort %{{.*}} dims [0] descending : tensor<4x512xf16>
  %1 = neuron.sort %0 dims [0] descending : tensor<4x512xf16>
  // CHECK: neuron.argsort %{{.*}} dims [1] descending : tensor<4x512xf16> -> tensor<4x512xi64>
  %2 = neuron.argsort %x dims [1] descending : tensor<4x512xf16> -> tensor<4x512xi64>
  return %1, %2 : tensor<4x512xf16>, tensor<4x512xi64>
}

// CHECK-LABEL: @random(
func.func @random(%key: tensor<i64>) -> tensor<4x512xf32> {
  // CHECK: neuron.random %{{.*}} : tensor<i64> -> tensor<4x512xf32>
  %r = neuron.random %key : tensor<i64> -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

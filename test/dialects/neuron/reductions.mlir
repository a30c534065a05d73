// Every reduction prints what it parses, with and without keepdim.
// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// RUN: neuron-opt %s --mlir-print-op-generic | neuron-opt | FileCheck %s

// CHECK-LABEL: @sum(
func.func @sum(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.sum %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.sum %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.sum %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.sum %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.sum %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.sum %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}

// CHECK-LABEL: @prod(
func.func @prod(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.prod %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.prod %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.prod %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.prod %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.prod %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.prod %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}

// CHECK-LABEL: @mean(
func.func @mean(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.mean %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.mean %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.mean %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.mean %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.mean %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.mean %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}

// CHECK-LABEL: @max(
func.func @max(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.max %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.max %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.max %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.max %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.max %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.max %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}

// CHECK-LABEL: @min(
func.func @min(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.min %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.min %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.min %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.min %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.min %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.min %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}

// CHECK-LABEL: @any(
func.func @any(%x: tensor<4x8x16xf32>) -> (tensor<8xi1>, tensor<4x1x16xi1>, tensor<i1>) {
  // CHECK: neuron.any %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi1>
  %0 = neuron.any %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi1>
  // CHECK: neuron.any %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi1>
  %1 = neuron.any %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi1>
  // CHECK: neuron.any %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i1>
  %2 = neuron.any %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i1>
  return %0, %1, %2 : tensor<8xi1>, tensor<4x1x16xi1>, tensor<i1>
}

// CHECK-LABEL: @all(
func.func @all(%x: tensor<4x8x16xf32>) -> (tensor<8xi1>, tensor<4x1x16xi1>, tensor<i1>) {
  // CHECK: neuron.all %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi1>
  %0 = neuron.all %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi1>
  // CHECK: neuron.all %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi1>
  %1 = neuron.all %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi1>
  // CHECK: neuron.all %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i1>
  %2 = neuron.all %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i1>
  return %0, %1, %2 : tensor<8xi1>, tensor<4x1x16xi1>, tensor<i1>
}

// CHECK-LABEL: @argmax(
func.func @argmax(%x: tensor<4x8x16xf32>) -> (tensor<8xi64>, tensor<4x1x16xi64>, tensor<i64>) {
  // CHECK: neuron.argmax %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi64>
  %0 = neuron.argmax %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi64>
  // CHECK: neuron.argmax %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi64>
  %1 = neuron.argmax %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi64>
  // CHECK: neuron.argmax %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i64>
  %2 = neuron.argmax %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i64>
  return %0, %1, %2 : tensor<8xi64>, tensor<4x1x16xi64>, tensor<i64>
}

// CHECK-LABEL: @argmin(
func.func @argmin(%x: tensor<4x8x16xf32>) -> (tensor<8xi64>, tensor<4x1x16xi64>, tensor<i64>) {
  // CHECK: neuron.argmin %{{.*}} dims {{\[}}0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi64>
  %0 = neuron.argmin %x dims [0, 2] : (tensor<4x8x16xf32>) -> tensor<8xi64>
  // CHECK: neuron.argmin %{{.*}} dims {{\[}}1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi64>
  %1 = neuron.argmin %x dims [1] keepdim : (tensor<4x8x16xf32>) -> tensor<4x1x16xi64>
  // CHECK: neuron.argmin %{{.*}} dims {{\[}}0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i64>
  %2 = neuron.argmin %x dims [0, 1, 2] : (tensor<4x8x16xf32>) -> tensor<i64>
  return %0, %1, %2 : tensor<8xi64>, tensor<4x1x16xi64>, tensor<i64>
}

// CHECK-LABEL: @var(
func.func @var(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.var %{{.*}} dims {{\[}}0, 2] correction 1.000000e+00 : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.var %x dims [0, 2] correction 1.000000e+00 : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.var %{{.*}} dims {{\[}}1] keepdim correction 1.000000e+00 : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.var %x dims [1] keepdim correction 1.000000e+00 : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.var %{{.*}} dims {{\[}}0, 1, 2] correction 1.000000e+00 : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.var %x dims [0, 1, 2] correction 1.000000e+00 : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}

// CHECK-LABEL: @norm(
func.func @norm(%x: tensor<4x8x16xf32>) -> (tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>) {
  // CHECK: neuron.norm %{{.*}} dims {{\[}}0, 2] ord 2.000000e+00 : (tensor<4x8x16xf32>) -> tensor<8xf32>
  %0 = neuron.norm %x dims [0, 2] ord 2.000000e+00 : (tensor<4x8x16xf32>) -> tensor<8xf32>
  // CHECK: neuron.norm %{{.*}} dims {{\[}}1] keepdim ord 2.000000e+00 : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  %1 = neuron.norm %x dims [1] keepdim ord 2.000000e+00 : (tensor<4x8x16xf32>) -> tensor<4x1x16xf32>
  // CHECK: neuron.norm %{{.*}} dims {{\[}}0, 1, 2] ord 2.000000e+00 : (tensor<4x8x16xf32>) -> tensor<f32>
  %2 = neuron.norm %x dims [0, 1, 2] ord 2.000000e+00 : (tensor<4x8x16xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x1x16xf32>, tensor<f32>
}


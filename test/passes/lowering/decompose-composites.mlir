// RUN: neuron-opt %s --neuron-decompose-composites | FileCheck %s

// One division a row: the reciprocal of the sum multiplies.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[M:.*]] = neuron.max %[[X:.*]] dims [1] keepdim {ignore_nan}
// CHECK: %[[S:.*]] = neuron.sub %[[X]], %[[M]]
// CHECK: %[[E:.*]] = neuron.exp %[[S]]
// CHECK: %[[SUM:.*]] = neuron.sum %[[E]] dims [1] keepdim
// CHECK: %[[R:.*]] = neuron.reciprocal %[[SUM]]
// CHECK: neuron.mul %[[E]], %[[R]]
func.func @softmax(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = neuron.kernel "softmax" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.softmax %x dims [1] : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x8xf32>
}

// The variance is taken of centered values, with PyTorch's divisor.
// CHECK-LABEL: func.func @var
// CHECK-DAG: %[[N:.*]] = neuron.constant dense<1.250000e-01>
// CHECK-DAG: %[[C:.*]] = neuron.constant dense<0.142857149>
// CHECK: %[[S:.*]] = neuron.sum %[[X:.*]] dims [1] keepdim
// CHECK: %[[MEAN:.*]] = neuron.mul %[[S]], %[[N]]
// CHECK: %[[D:.*]] = neuron.sub %[[X]], %[[MEAN]]
// CHECK: %[[Q:.*]] = neuron.square %[[D]]
// CHECK: %[[SQ:.*]] = neuron.sum %[[Q]] dims [1] keepdim
// CHECK: neuron.mul %[[SQ]], %[[C]]
func.func @var(%arg0: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = neuron.kernel "var" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x1xf32> {
    %1 = neuron.var %x dims [1] keepdim correction 1.0 : (tensor<4x8xf32>) -> tensor<4x1xf32>
    neuron.yield %1 : tensor<4x1xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x1xf32>
}

// Half precision waits for the rounding pass; outside of kernels nothing changes.
// CHECK-LABEL: func.func @not_yet
// CHECK: neuron.softmax %{{.*}} dims [1] : tensor<4x8xbf16>
// CHECK: neuron.softmax %{{.*}} dims [1] : tensor<4x8xf32>
func.func @not_yet(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xbf16>, tensor<4x8xf32>) {
  %0 = neuron.kernel "softmax" (%x = %arg0) : (tensor<4x8xbf16>) -> tensor<4x8xbf16> {
    %1 = neuron.softmax %x dims [1] : tensor<4x8xbf16>
    neuron.yield %1 : tensor<4x8xbf16>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %2 = neuron.softmax %arg1 dims [1] : tensor<4x8xf32>
  return %0, %2 : tensor<4x8xbf16>, tensor<4x8xf32>
}

// A floating arange counts in integers and is rounded once.
// CHECK-LABEL: func.func @arange
// CHECK: %[[I:.*]] = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<4xi64>
// CHECK: %[[F:.*]] = neuron.cast %[[I]] : tensor<4xi64> to tensor<4xf64>
// CHECK: %[[P:.*]] = neuron.mul %[[F]]
// CHECK: %[[Q:.*]] = neuron.add %[[P]]
// CHECK: neuron.cast %[[Q]] : tensor<4xf64> to tensor<4xf32>
func.func @arange() -> tensor<4xf32> {
  %0 = neuron.iota dim 0 start 5.0e-01 : f64 step 1.0e-01 : f64 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

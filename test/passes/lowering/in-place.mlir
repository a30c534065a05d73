// RUN: neuron-opt %s --neuron-materialize-outputs | FileCheck %s

// Elementwise, and nobody reads the input later: the kernel overwrites it.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[K:.*]] = neuron.kernel "neg"
// CHECK-NOT: "copy"
// CHECK: return %[[K]]
func.func @overwritten(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {neuron.aliases_input = 0 : i64}) {
  %0 = neuron.kernel "neg" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.neg %x : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x8xf32>
}

// A later kernel still reads the input: it is overwritten behind that.
// CHECK-LABEL: func.func @read_later
// CHECK: %[[N:.*]] = neuron.kernel "neg"
// CHECK: %[[E:.*]] = neuron.kernel "exp"
// CHECK: %[[C:.*]] = neuron.kernel "copy" (%{{.*}} = %[[N]])
// CHECK: return %[[C]], %[[E]]
func.func @read_later(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {neuron.aliases_input = 0 : i64}, tensor<4x8xf32>) {
  %0 = neuron.kernel "neg" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.neg %x : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %2 = neuron.kernel "exp" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.exp %x : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// The kernel reads other elements than it writes, or a row more than once.
// CHECK-LABEL: func.func @other_elements
// CHECK: neuron.kernel "transposed"
// CHECK: neuron.kernel "copy"
func.func @other_elements(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32> {neuron.aliases_input = 0 : i64}) {
  %0 = neuron.kernel "transposed" (%x = %arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %t = neuron.permute %x perm [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = neuron.neg %t : tensor<4x4xf32>
    neuron.yield %1 : tensor<4x4xf32>
  } {shape = array<i64: 4, 4>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @statistic
// CHECK: neuron.kernel "center"
// CHECK: neuron.kernel "copy"
func.func @statistic(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {neuron.aliases_input = 0 : i64}) {
  %0 = neuron.kernel "center" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %s = neuron.sum %x dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %1 = neuron.sub %x, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x8xf32>
}

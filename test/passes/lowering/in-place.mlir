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

// A scatter into an input that nothing else reads writes it there.
// CHECK-LABEL: func.func @scattered
// CHECK-NOT: "copy"
// CHECK: neuron.kernel "scatter" (%{{.*}} = %arg0
// CHECK-NOT: "copy"
func.func @scattered(%arg0: tensor<9x4xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<2x4xf32>) -> (tensor<9x4xf32> {neuron.aliases_input = 0 : i64}) {
  %0 = neuron.kernel "scatter" (%x = %arg0, %i = %arg1, %u = %arg2) : (tensor<9x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<9x1x4xf32> {
    %1 = neuron.reshape %x : (tensor<9x4xf32>) -> tensor<9x1x4xf32>
    %2 = neuron.scatter %1, %i, %u reduce "none" : tensor<9x1x4xf32>, tensor<2x1xi64>, tensor<2x4xf32> -> tensor<9x1x4xf32>
    neuron.yield %2 : tensor<9x1x4xf32>
  } {shape = array<i64: 2, 4>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %3 = neuron.reshape %0 : (tensor<9x1x4xf32>) -> tensor<9x4xf32>
  return %3 : tensor<9x4xf32>
}

// One that reads what it changes changes a copy.
// CHECK-LABEL: func.func @scattered_into_what_it_reads
// CHECK: neuron.kernel "copy"
// CHECK: neuron.kernel "scatter"
// CHECK: neuron.kernel "copy"
func.func @scattered_into_what_it_reads(%arg0: tensor<2x4xf32>, %arg1: tensor<2x1xi64>) -> (tensor<2x4xf32> {neuron.aliases_input = 0 : i64}) {
  %0 = neuron.kernel "scatter" (%x = %arg0, %i = %arg1) : (tensor<2x4xf32>, tensor<2x1xi64>) -> tensor<2x1x4xf32> {
    %1 = neuron.reshape %x : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    %2 = neuron.scatter %1, %i, %x reduce "none" : tensor<2x1x4xf32>, tensor<2x1xi64>, tensor<2x4xf32> -> tensor<2x1x4xf32>
    neuron.yield %2 : tensor<2x1x4xf32>
  } {shape = array<i64: 2, 4>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %3 = neuron.reshape %0 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

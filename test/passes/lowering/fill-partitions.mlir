// RUN: neuron-opt %s --neuron-fill-partitions | FileCheck %s

// One row of many columns becomes 125 rows, the most that one tile holds of it.
// CHECK-LABEL: func.func @one_row
// CHECK: %[[K:.*]] = neuron.kernel "exp"
// CHECK-SAME: -> tensor<125x8000xf32>
// CHECK: %[[X:.*]] = neuron.reshape %{{.*}} : (tensor<1000000xf32>) -> tensor<125x8000xf32>
// CHECK: neuron.exp %[[X]] : tensor<125x8000xf32>
// CHECK: column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 125, 8000>
// CHECK: neuron.reshape %[[K]] : (tensor<125x8000xf32>) -> tensor<1000000xf32>
func.func @one_row(%arg0: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %0 = neuron.kernel "exp" (%x = %arg0) : (tensor<1000000xf32>) -> tensor<1000000xf32> {
    %1 = neuron.exp %x : tensor<1000000xf32>
    neuron.yield %1 : tensor<1000000xf32>
  } {shape = array<i64: 1000000>, row_dims = array<i64>, column_dims = array<i64: 0>}
  return %0 : tensor<1000000xf32>
}

// Operands that are broadcast along the cut dimension, or do not have it, follow.
// CHECK-LABEL: func.func @broadcast
// CHECK-DAG: neuron.reshape %{{.*}} : (tensor<4x16384xf32>) -> tensor<4x32x512xf32>
// CHECK-DAG: neuron.reshape %{{.*}} : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
// CHECK-DAG: neuron.reshape %{{.*}} : (tensor<16384xf32>) -> tensor<32x512xf32>
// CHECK: row_dims = array<i64: 0, 1>, shape = array<i64: 4, 32, 512>
func.func @broadcast(%arg0: tensor<4x16384xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<16384xf32>) -> tensor<4x16384xf32> {
  %0 = neuron.kernel "k" (%x = %arg0, %s = %arg1, %b = %arg2) : (tensor<4x16384xf32>, tensor<4x1xf32>, tensor<16384xf32>) -> tensor<4x16384xf32> {
    %c = neuron.constant dense<2.0> : tensor<f32>
    %1 = neuron.mul %x, %s : (tensor<4x16384xf32>, tensor<4x1xf32>) -> tensor<4x16384xf32>
    %2 = neuron.add %1, %b : (tensor<4x16384xf32>, tensor<16384xf32>) -> tensor<4x16384xf32>
    %3 = neuron.mul %2, %c : (tensor<4x16384xf32>, tensor<f32>) -> tensor<4x16384xf32>
    neuron.yield %3 : tensor<4x16384xf32>
  } {shape = array<i64: 4, 16384>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x16384xf32>
}

// Reductions, short rows and kernels with rows enough stay.
// CHECK-LABEL: func.func @stay
// CHECK: shape = array<i64: 65536>
// CHECK: shape = array<i64: 4, 512>
// CHECK: shape = array<i64: 128, 65536>
func.func @stay(%arg0: tensor<65536xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<128x65536xf32>) -> (tensor<1xf32>, tensor<4x512xf32>, tensor<128x65536xf32>) {
  %0 = neuron.kernel "sum" (%x = %arg0) : (tensor<65536xf32>) -> tensor<1xf32> {
    %1 = neuron.sum %x dims [0] keepdim : (tensor<65536xf32>) -> tensor<1xf32>
    neuron.yield %1 : tensor<1xf32>
  } {shape = array<i64: 65536>, row_dims = array<i64>, column_dims = array<i64: 0>}
  %2 = neuron.kernel "exp" (%x = %arg1) : (tensor<4x512xf32>) -> tensor<4x512xf32> {
    %1 = neuron.exp %x : tensor<4x512xf32>
    neuron.yield %1 : tensor<4x512xf32>
  } {shape = array<i64: 4, 512>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %3 = neuron.kernel "exp_1" (%x = %arg2) : (tensor<128x65536xf32>) -> tensor<128x65536xf32> {
    %1 = neuron.exp %x : tensor<128x65536xf32>
    neuron.yield %1 : tensor<128x65536xf32>
  } {shape = array<i64: 128, 65536>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0, %2, %3 : tensor<1xf32>, tensor<4x512xf32>, tensor<128x65536xf32>
}

// A computed value without rows would run along the new rows only: not cut.
// CHECK-LABEL: func.func @without_rows
// CHECK: row_dims = array<i64: 0>, shape = array<i64: 2, 16384>
func.func @without_rows(%arg0: tensor<16384xf32>, %arg1: tensor<2x16384xf32>) -> (tensor<2x16384xf32>, tensor<16384xf32>) {
  %0:2 = neuron.kernel "k" (%x = %arg0, %y = %arg1) : (tensor<16384xf32>, tensor<2x16384xf32>) -> (tensor<2x16384xf32>, tensor<16384xf32>) {
    %1 = neuron.ceil %x : tensor<16384xf32>
    %2 = neuron.add %y, %1 : (tensor<2x16384xf32>, tensor<16384xf32>) -> tensor<2x16384xf32>
    neuron.yield %2, %1 : tensor<2x16384xf32>, tensor<16384xf32>
  } {shape = array<i64: 2, 16384>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0#0, %0#1 : tensor<2x16384xf32>, tensor<16384xf32>
}

// So would what is read and handed on.
// CHECK-LABEL: func.func @handed_on
// CHECK: row_dims = array<i64: 0>, shape = array<i64: 2, 16384>
func.func @handed_on(%arg0: tensor<128x128xf32>) -> (tensor<2x16384xf32>, tensor<16384xf32>) {
  %0:2 = neuron.kernel "k" (%x = %arg0) : (tensor<128x128xf32>) -> (tensor<2x16384xf32>, tensor<16384xf32>) {
    %1 = neuron.permute %x perm [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %2 = neuron.reshape %1 : (tensor<128x128xf32>) -> tensor<16384xf32>
    %3 = neuron.expand %2 : (tensor<16384xf32>) -> tensor<2x16384xf32>
    %4 = neuron.exp %3 : tensor<2x16384xf32>
    neuron.yield %4, %2 : tensor<2x16384xf32>, tensor<16384xf32>
  } {shape = array<i64: 2, 16384>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0#0, %0#1 : tensor<2x16384xf32>, tensor<16384xf32>
}

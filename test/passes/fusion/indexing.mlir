// RUN: neuron-opt %s --neuron-form-kernels --neuron-verify-kernels --split-input-file | FileCheck %s
// What indexes, scans and sorts, in kernels.

// The index is computed, and the rows that it names used, in one kernel. The
// table keeps its shape.
// CHECK-LABEL: @embedding
// CHECK: neuron.kernel "fused_add_gather_exp" (%[[I:.*]] = %arg1, %[[T:.*]] = %arg0)
// CHECK: %[[A:.*]] = neuron.add
// CHECK: %[[X:.*]] = neuron.reshape %[[T]] : (tensor<1000x64xf32>) -> tensor<1000x1x64xf32>
// CHECK: %[[G:.*]] = neuron.gather %[[X]], %[[A]]
// CHECK: neuron.exp %[[G]]
// CHECK-NOT: neuron.kernel
func.func @embedding(%table: tensor<1000x64xf32>, %i: tensor<6x1xi64>) -> tensor<6x64xf32> {
  %one = neuron.constant dense<1> : tensor<i64>
  %0 = neuron.add %i, %one : (tensor<6x1xi64>, tensor<i64>) -> tensor<6x1xi64>
  %1 = neuron.gather %table, %0 : tensor<1000x64xf32>, tensor<6x1xi64> -> tensor<6x64xf32>
  %2 = neuron.exp %1 : tensor<6x64xf32>
  return %2 : tensor<6x64xf32>
}

// -----

// What is indexed must lie in HBM first.
// CHECK-LABEL: @computed_table
// CHECK: %[[E:.*]] = neuron.kernel "exp"
// CHECK: neuron.kernel "gather" ({{.*}} = %[[E]]
func.func @computed_table(%x: tensor<9x64xf32>, %i: tensor<6x1xi64>) -> tensor<6x64xf32> {
  %0 = neuron.exp %x : tensor<9x64xf32>
  %1 = neuron.gather %0, %i : tensor<9x64xf32>, tensor<6x1xi64> -> tensor<6x64xf32>
  return %1 : tensor<6x64xf32>
}

// -----

// A scatter goes over rows and columns in its own order: it stands alone, and
// what reads its result waits for all of it.
// CHECK-LABEL: @scatter
// CHECK: neuron.kernel "exp"
// CHECK: %[[S:.*]] = neuron.kernel "scatter"
// CHECK: neuron.kernel "neg" (%{{.*}} = %[[S]])
func.func @scatter(%x: tensor<9x64xf32>, %i: tensor<6x1xi64>, %u: tensor<6x64xf32>) -> tensor<9x64xf32> {
  %0 = neuron.exp %u : tensor<6x64xf32>
  %1 = neuron.scatter %x, %i, %0 reduce "sum" : tensor<9x64xf32>, tensor<6x1xi64>, tensor<6x64xf32> -> tensor<9x64xf32>
  %2 = neuron.neg %1 : tensor<9x64xf32>
  return %2 : tensor<9x64xf32>
}

// -----

// A scan runs along the columns, as a reduction does, and its result is full.
// CHECK-LABEL: @scan
// CHECK: neuron.kernel "fused_mul_scan_add"
// CHECK: } {column_dims = array<i64: 0>, row_dims = array<i64: 1>
// CHECK-NOT: neuron.kernel
func.func @scan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = neuron.mul %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = neuron.scan %0 dims [0] kind "sum" : tensor<4x8xf32>
  %2 = neuron.add %1, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Values and indices of one sort are made together.
// CHECK-LABEL: @sort
// CHECK: neuron.kernel "fused_sort_argsort"
// CHECK-NOT: neuron.kernel
func.func @sort(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  %0 = neuron.sort %x dims [1] : tensor<4x8xf32>
  %1 = neuron.argsort %x dims [1] : tensor<4x8xf32> -> tensor<4x8xi64>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xi64>
}

// -----

// Random numbers are made where they are used.
// CHECK-LABEL: @random
// CHECK: neuron.kernel "fused_random_mul"
// CHECK-NOT: neuron.kernel
func.func @random(%x: tensor<4x8xf32>, %key: tensor<i64>) -> tensor<4x8xf32> {
  %0 = neuron.random %key : tensor<i64> -> tensor<4x8xf32>
  %1 = neuron.mul %0, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Which engine takes an op that several can do. All for a reason that one can state.
// RUN: neuron-opt %s --neuron-lower-kernels='target=trn2' --split-input-file | FileCheck %s
// RUN: not neuron-opt %s --neuron-lower-kernels='target=abacus' --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Alone, a product with a number is Vector's, which takes a quarter of a cycle for
// a bf16 element and starts sooner.
// CHECK-LABEL: func.func @vector
// CHECK: nisa.tensor_scalar fn ["mul"]
// CHECK-NOT: nisa.activation
// CHECK: return
// UNKNOWN: error: unknown target 'abacus': this build knows trn1, trn2, trn3
func.func @vector(%arg0: tensor<4096x2048xbf16>) -> tensor<4096x2048xbf16> {
  %0 = neuron.kernel "mul" (%x = %arg0) : (tensor<4096x2048xbf16>) -> tensor<4096x2048xbf16> {
    %c = neuron.constant dense<3.0> : tensor<f32>
    %xf = neuron.cast %x : tensor<4096x2048xbf16> to tensor<4096x2048xf32>
    %1 = neuron.mul %xf, %c : (tensor<4096x2048xf32>, tensor<f32>) -> tensor<4096x2048xf32>
    %2 = neuron.cast %1 : tensor<4096x2048xf32> to tensor<4096x2048xbf16>
    neuron.yield %2 : tensor<4096x2048xbf16>
  } {shape = array<i64: 4096, 2048>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4096x2048xbf16>
}

// -----

// Two products of tensors are Vector's, and it has no time for the product with a
// number behind them, which nobody else waits for: that is Scalar's, on another tile.
// CHECK-LABEL: func.func @scalar
// CHECK: nisa.tensor_tensor fn ["mul"]
// CHECK: nisa.tensor_tensor fn ["mul"]
// CHECK: nisa.activation fn ["identity"]
// CHECK-SAME: engine = #nisa.engine<scalar>
func.func @scalar(%arg0: tensor<4096x2048xbf16>, %arg1: tensor<4096x1xf32>) -> tensor<4096x2048xbf16> {
  %0 = neuron.kernel "cube" (%x = %arg0, %s = %arg1) : (tensor<4096x2048xbf16>, tensor<4096x1xf32>) -> tensor<4096x2048xbf16> {
    %xf = neuron.cast %x : tensor<4096x2048xbf16> to tensor<4096x2048xf32>
    %1 = neuron.mul %xf, %xf : (tensor<4096x2048xf32>, tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %2 = neuron.mul %1, %xf : (tensor<4096x2048xf32>, tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %3 = neuron.mul %2, %s : (tensor<4096x2048xf32>, tensor<4096x1xf32>) -> tensor<4096x2048xf32>
    %4 = neuron.cast %3 : tensor<4096x2048xf32> to tensor<4096x2048xbf16>
    neuron.yield %4 : tensor<4096x2048xbf16>
  } {shape = array<i64: 4096, 2048>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4096x2048xbf16>
}

// -----

// A function of a statistic would make Scalar load its table, and that of exp
// again, in every tile; GpSimd computes one element a partition sooner.
// CHECK-LABEL: func.func @gpsimd
// CHECK: nisa.activation fn ["exp"]
// CHECK-SAME: has_acc
// CHECK: nisa.gpsimd_elementwise fn ["tanh"]
func.func @gpsimd(%arg0: tensor<4096x2048xf32>) -> tensor<4096x1xf32> {
  %0 = neuron.kernel "tanh_of_sum" (%x = %arg0) : (tensor<4096x2048xf32>) -> tensor<4096x1xf32> {
    %1 = neuron.exp %x : tensor<4096x2048xf32>
    %2 = neuron.sum %1 dims [1] keepdim : (tensor<4096x2048xf32>) -> tensor<4096x1xf32>
    %3 = neuron.tanh %2 : tensor<4096x1xf32>
    neuron.yield %3 : tensor<4096x1xf32>
  } {shape = array<i64: 4096, 2048>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4096x1xf32>
}

// -----

// A row that Vector has nothing else to do with is summed by Scalar, whose clock
// is faster; where Scalar has a function to compute, Vector sums.
// CHECK-LABEL: func.func @sums
// CHECK: nisa.kernel "sum"
// CHECK: nisa.activation fn ["identity"]
// CHECK-SAME: has_acc
// CHECK: nisa.kernel "tanh_and_sum"
// CHECK: nisa.activation fn ["tanh"]
// CHECK: nisa.tensor_reduce fn ["add"]
func.func @sums(%arg0: tensor<4096x8192xbf16>) -> (tensor<4096x1xf32>, tensor<4096x8192xbf16>, tensor<4096x1xf32>) {
  %0 = neuron.kernel "sum" (%x = %arg0) : (tensor<4096x8192xbf16>) -> tensor<4096x1xf32> {
    %xf = neuron.cast %x : tensor<4096x8192xbf16> to tensor<4096x8192xf32>
    %1 = neuron.sum %xf dims [1] keepdim : (tensor<4096x8192xf32>) -> tensor<4096x1xf32>
    neuron.yield %1 : tensor<4096x1xf32>
  } {shape = array<i64: 4096, 8192>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %2:2 = neuron.kernel "tanh_and_sum" (%x = %arg0) : (tensor<4096x8192xbf16>) -> (tensor<4096x8192xbf16>, tensor<4096x1xf32>) {
    %xf = neuron.cast %x : tensor<4096x8192xbf16> to tensor<4096x8192xf32>
    %1 = neuron.tanh %xf : tensor<4096x8192xf32>
    %3 = neuron.sum %xf dims [1] keepdim : (tensor<4096x8192xf32>) -> tensor<4096x1xf32>
    %4 = neuron.cast %1 : tensor<4096x8192xf32> to tensor<4096x8192xbf16>
    neuron.yield %4, %3 : tensor<4096x8192xbf16>, tensor<4096x1xf32>
  } {shape = array<i64: 4096, 8192>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0, %2#0, %2#1 : tensor<4096x1xf32>, tensor<4096x8192xbf16>, tensor<4096x1xf32>
}

// RUN: neuron-opt %s --neuron-materialize-outputs | FileCheck %s

// What a kernel makes is written where it goes, twice if it goes to two places;
// an argument is copied.
// CHECK-LABEL: func.func @main
// CHECK: %[[K:.*]]:2 = neuron.kernel "exp"
// CHECK: neuron.yield %[[V:.*]], %[[V]]
// CHECK: %[[R:.*]] = neuron.reshape %[[K]]#0
// CHECK: %[[A:.*]] = neuron.kernel "copy" (%{{.*}} = %arg0)
// CHECK: return %[[R]], %[[K]]#1, %[[A]]
func.func @main(%arg0: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = neuron.kernel "exp" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.exp %x : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %2 = neuron.reshape %0 : (tensor<4x8xf32>) -> tensor<32xf32>
  return %2, %0, %arg0 : tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

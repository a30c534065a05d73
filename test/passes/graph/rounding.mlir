// RUN: neuron-opt %s --neuron-rounding --split-input-file | FileCheck %s
// RUN: neuron-opt %s --neuron-rounding="mode=eager" --split-input-file | FileCheck %s --check-prefix=EAGER
// Arithmetic of bf16 is that of f32 with roundings; those that nothing but
// arithmetic of the same kernel sees are left out.

// CHECK-LABEL: @chain
// CHECK: %[[X:.*]] = neuron.cast %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: %[[M:.*]] = neuron.mul %[[X]], %[[X]] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[E:.*]] = neuron.exp %[[M]] : tensor<4x8xf32>
// CHECK-NEXT: %[[R:.*]] = neuron.cast %[[E]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NEXT: neuron.yield %[[R]]
// EAGER-LABEL: @chain
// EAGER: %[[M:.*]] = neuron.mul
// EAGER-NEXT: %[[R:.*]] = neuron.cast %[[M]] : tensor<4x8xf32> to tensor<4x8xbf16>
// EAGER-NEXT: %[[W:.*]] = neuron.cast %[[R]] : tensor<4x8xbf16> to tensor<4x8xf32>
// EAGER-NEXT: neuron.exp %[[W]]
func.func @chain(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<4x8xbf16>) -> tensor<4x8xbf16> {
    %1 = neuron.mul %a, %a : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
    %2 = neuron.exp %1 : tensor<4x8xbf16>
    neuron.yield %2 : tensor<4x8xbf16>
  }
  return %0 : tensor<4x8xbf16>
}

// -----

// A stored value is rounded for all its uses: h exists in one rounding.
// CHECK-LABEL: @stored
// CHECK: %[[H:.*]] = neuron.add
// CHECK-NEXT: %[[R:.*]] = neuron.cast %[[H]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NEXT: %[[W:.*]] = neuron.cast %[[R]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: neuron.rms_norm %[[W]]
func.func @stored(%x: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %0:2 = neuron.kernel "k" (%a = %x) : (tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
    %1 = neuron.add %a, %a : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
    %2 = neuron.rms_norm %1 dims [1] eps 1.0e-6 : tensor<4x8xbf16> -> tensor<4x8xbf16>
    neuron.yield %1, %2 : tensor<4x8xbf16>, tensor<4x8xbf16>
  }
  return %0#0, %0#1 : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// -----

// Compared, arg-reduced, converted, and a step function: the rounding stays.
// CHECK-LABEL: @seen
// CHECK-COUNT-4: neuron.cast %{{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: neuron.yield
func.func @seen(%x: tensor<4x8xbf16>) -> (tensor<4x8xi1>, tensor<4x1xi64>, tensor<4x8xi32>, tensor<4x8xbf16>) {
  %0:4 = neuron.kernel "k" (%a = %x) : (tensor<4x8xbf16>) -> (tensor<4x8xi1>, tensor<4x1xi64>, tensor<4x8xi32>, tensor<4x8xbf16>) {
    %1 = neuron.exp %a : tensor<4x8xbf16>
    %2 = neuron.gt %1, %a : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xi1>
    %3 = neuron.sin %a : tensor<4x8xbf16>
    %4 = neuron.argmax %3 dims [1] keepdim : (tensor<4x8xbf16>) -> tensor<4x1xi64>
    %5 = neuron.cos %a : tensor<4x8xbf16>
    %6 = neuron.cast %5 : tensor<4x8xbf16> to tensor<4x8xi32>
    %7 = neuron.floor %a : tensor<4x8xbf16>
    neuron.yield %2, %4, %6, %7 : tensor<4x8xi1>, tensor<4x1xi64>, tensor<4x8xi32>, tensor<4x8xbf16>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4x8xi1>, tensor<4x1xi64>, tensor<4x8xi32>, tensor<4x8xbf16>
}

// -----

// The user's casts stay, though they look like a rounding of ours.
// CHECK-LABEL: @user_cast
// CHECK: %[[E:.*]] = neuron.exp %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT: %[[R:.*]] = neuron.cast %[[E]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NEXT: %[[W:.*]] = neuron.cast %[[R]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: neuron.sin %[[W]]
func.func @user_cast(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.exp %a : tensor<4x8xf32>
    %2 = neuron.cast %1 : tensor<4x8xf32> to tensor<4x8xbf16>
    %3 = neuron.cast %2 : tensor<4x8xbf16> to tensor<4x8xf32>
    %4 = neuron.sin %3 : tensor<4x8xf32>
    neuron.yield %4 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// A view of a statistic passes its elements on.
// CHECK-LABEL: @view
// CHECK: %[[M:.*]] = neuron.mean
// CHECK-NEXT: %[[V:.*]] = neuron.expand %[[M]] : (tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: neuron.sum %[[V]]
func.func @view(%x: tensor<4x8xf16>) -> tensor<4x1xf16> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<4x8xf16>) -> tensor<4x1xf16> {
    %1 = neuron.mean %a dims [1] keepdim : (tensor<4x8xf16>) -> tensor<4x1xf16>
    %2 = neuron.expand %1 : (tensor<4x1xf16>) -> tensor<4x8xf16>
    %3 = neuron.sum %2 dims [1] keepdim : (tensor<4x8xf16>) -> tensor<4x1xf16>
    neuron.yield %3 : tensor<4x1xf16>
  }
  return %0 : tensor<4x1xf16>
}

// -----

// An input along some of the rows is expanded before it is widened, because the
// widened value is computed.
// CHECK-LABEL: @partial_input
// CHECK-DAG: %[[E:.*]] = neuron.expand %{{.*}} : (tensor<2x1x8xbf16>) -> tensor<2x4x8xbf16>
// CHECK-DAG: %[[W:.*]] = neuron.cast %[[E]] : tensor<2x4x8xbf16> to tensor<2x4x8xf32>
// CHECK: neuron.add %{{.*}}, %[[W]]
func.func @partial_input(%x: tensor<2x4x8xbf16>, %y: tensor<2x1x8xbf16>) -> tensor<2x4x8xbf16> {
  %0 = neuron.kernel "k" (%a = %x, %b = %y) : (tensor<2x4x8xbf16>, tensor<2x1x8xbf16>) -> tensor<2x4x8xbf16> {
    %1 = neuron.add %a, %b : (tensor<2x4x8xbf16>, tensor<2x1x8xbf16>) -> tensor<2x4x8xbf16>
    neuron.yield %1 : tensor<2x4x8xbf16>
  } {shape = array<i64: 2, 4, 8>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 2>}
  return %0 : tensor<2x4x8xbf16>
}

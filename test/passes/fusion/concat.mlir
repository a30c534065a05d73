// A concat stands between kernels.
// RUN: neuron-opt %s --neuron-form-kernels --neuron-verify-kernels --split-input-file | FileCheck %s

// What is computed for it, and from it, are kernels of their own.
// CHECK-LABEL: @computed(
func.func @computed(%x: tensor<4x8xf32>, %y: tensor<4x3xf32>) -> tensor<4x11xf32> {
  // CHECK-DAG: %[[A:.*]] = neuron.kernel "exp" (%{{.*}} = %arg0)
  // CHECK-DAG: %[[B:.*]] = neuron.kernel "log" (%{{.*}} = %arg1)
  // CHECK: %[[C:.*]] = neuron.concat %[[A]], %[[B]] dim 1
  // CHECK: %[[D:.*]] = neuron.kernel "sin" (%{{.*}} = %[[C]])
  // CHECK: return %[[D]]
  %a = neuron.exp %x : tensor<4x8xf32>
  %b = neuron.log %y : tensor<4x3xf32>
  %c = neuron.concat %a, %b dim 1 : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %d = neuron.sin %c : tensor<4x11xf32>
  return %d : tensor<4x11xf32>
}

// -----

// A reader of the concat cannot be fused with a maker of its operands, not even
// where both use one value.
// CHECK-LABEL: @cycle(
func.func @cycle(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.*]] = neuron.kernel "exp"
  // CHECK: neuron.concat %[[A]], %arg0
  // CHECK: neuron.kernel "add"
  %a = neuron.exp %x : tensor<8xf32>
  %c = neuron.concat %a, %x dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %s = neuron.slice %c starts [4] steps [1] : (tensor<16xf32>) -> tensor<8xf32>
  %d = neuron.add %s, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

// Views of its operands stand before it, views of its result at the readers'
// inputs.
// CHECK-LABEL: @views(
func.func @views(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[A:.*]] = neuron.kernel "exp"
  // CHECK-DAG: %[[P:.*]] = neuron.permute %[[A]] perm [1, 0]
  // CHECK-DAG: %[[S:.*]] = neuron.slice %arg0 starts [3, 0] steps [-1, 1]
  // CHECK-DAG: %[[R:.*]] = neuron.permute %[[S]] perm [1, 0]
  // CHECK: %[[C:.*]] = neuron.concat %[[P]], %[[R]] dim 1
  // CHECK: neuron.kernel "neg" (%[[IN:.*]] = %[[C]])
  // CHECK: neuron.permute %[[IN]]
  %a = neuron.exp %x : tensor<4x8xf32>
  %p = neuron.permute %a perm [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %s = neuron.slice %x starts [3, 0] steps [-1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = neuron.permute %s perm [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %c = neuron.concat %p, %r dim 1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = neuron.permute %c perm [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %n = neuron.neg %t : tensor<8x8xf32>
  return %n : tensor<8x8xf32>
}

// -----

// Overlapping windows are read from memory.
// CHECK-LABEL: @window(
func.func @window(%x: tensor<4x9xf32>) -> tensor<4x4xf32> {
  // CHECK: neuron.kernel "sum" (%[[X:.*]] = %arg0)
  // CHECK: %[[W:.*]] = neuron.window %[[X]] dim 1 step 2 dilation 1
  // CHECK: neuron.sum %[[W]] dims [2]
  %w = neuron.window %x dim 1 step 2 dilation 1 : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  %s = neuron.sum %w dims [2] : (tensor<4x4x3xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// What the windows show is computed first.
// CHECK-LABEL: @window_of_computed(
func.func @window_of_computed(%x: tensor<4x9xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[E:.*]] = neuron.kernel "exp"
  // CHECK: neuron.kernel "max" (%{{.*}} = %[[E]])
  // CHECK: neuron.window
  %e = neuron.exp %x : tensor<4x9xf32>
  %w = neuron.window %e dim 1 step 2 dilation 1 : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  %s = neuron.max %w dims [2] : (tensor<4x4x3xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// A returned concat needs no kernel behind it, a returned window does.
// CHECK-LABEL: @returned(
func.func @returned(%x: tensor<9xf32>, %y: tensor<2xf32>) -> (tensor<11xf32>, tensor<4x3xf32>) {
  // CHECK-DAG: %[[C:.*]] = neuron.concat %arg0, %arg1 dim 0
  // CHECK-DAG: %[[W:.*]] = neuron.kernel "window"
  // CHECK: return %[[C]], %[[W]]
  %c = neuron.concat %x, %y dim 0 : (tensor<9xf32>, tensor<2xf32>) -> tensor<11xf32>
  %w = neuron.window %x dim 0 step 2 dilation 1 : (tensor<9xf32>) -> tensor<4x3xf32>
  return %c, %w : tensor<11xf32>, tensor<4x3xf32>
}

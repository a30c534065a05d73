// The kernels that make the operands of a concat write into its variable.
// RUN: neuron-opt %s --split-input-file --neuron-materialize-outputs | FileCheck %s --check-prefix=COPY
// RUN: neuron-opt %s --split-input-file --neuron-materialize-outputs --neuron-lower-kernels | FileCheck %s

// An argument and a splat constant are copied and filled in, a value that goes
// elsewhere too is written twice.
// COPY-LABEL: @parts(
// COPY: %[[E:.*]]:2 = neuron.kernel "exp"
// COPY: neuron.yield %[[V:.*]], %[[V]]
// COPY: %[[A:.*]] = neuron.kernel "copy" (%{{.*}} = %arg0)
// COPY: %[[F:.*]] = neuron.kernel "fill" () : () -> tensor<4x3xf32>
// COPY: %[[C:.*]] = neuron.concat %[[E]]#1, %[[A]], %[[F]] dim 1
// COPY: return %[[C]], %[[E]]#0
// CHECK-LABEL: @parts(
// CHECK-SAME: %arg1: memref<4x19xf32
// CHECK-NOT: nisa.scratch
// CHECK: nisa.kernel "exp"
// CHECK: nisa.dma_store {{.*}} outs(%arg2
// CHECK: nisa.dma_store {{.*}} outs(%arg1 {{.*}}hbm_offset = 0 : i64{{.*}}row_strides = array<i64: 19>
// CHECK: nisa.kernel "copy"
// CHECK: nisa.dma_store {{.*}} outs(%arg1 {{.*}}hbm_offset = 8 : i64{{.*}}row_strides = array<i64: 19>
// CHECK: nisa.kernel "fill"
// CHECK-NOT: nisa.dma_load
// CHECK: nisa.memset
// CHECK: nisa.dma_store {{.*}} outs(%arg1 {{.*}}hbm_offset = 16 : i64{{.*}}row_strides = array<i64: 19>
func.func @parts(%x: tensor<4x8xf32>) -> (tensor<4x19xf32>, tensor<4x8xf32>) {
  %e = neuron.kernel "exp" (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = neuron.exp %a : tensor<4x8xf32>
    neuron.yield %0 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %f = neuron.constant dense<1.0> : tensor<4x3xf32>
  %c = neuron.concat %e, %x, %f dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x19xf32>
  return %c, %e : tensor<4x19xf32>, tensor<4x8xf32>
}

// -----

// A concat in a concat lies in that, through reshapes and permutations; what
// only kernels read is a scratch variable.
// COPY-LABEL: @nested(
// COPY-NOT: "copy"
// CHECK-LABEL: @nested(
// CHECK: %[[S:.*]] = nisa.scratch : memref<3x8xf32
// CHECK-NOT: nisa.scratch
// CHECK: nisa.kernel "exp"
// CHECK: nisa.dma_store {{.*}} outs(%[[S]] {{.*}}hbm_offset = 8 : i64
// CHECK: nisa.kernel "log"
// CHECK: nisa.dma_store {{.*}} outs(%[[S]] {{.*}}hbm_offset = 12 : i64
// CHECK: nisa.kernel "neg"
// CHECK: nisa.dma_load ins(%[[S]]
func.func @nested(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>, %z: tensor<1x8xf32>) -> tensor<3x8xf32> {
  %s = neuron.kernel "sin" (%a = %z) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
    %0 = neuron.sin %a : tensor<1x8xf32>
    neuron.yield %0 : tensor<1x8xf32>
  } {shape = array<i64: 1, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %e = neuron.kernel "exp" (%a = %x) : (tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = neuron.exp %a : tensor<4x2xf32>
    neuron.yield %0 : tensor<4x2xf32>
  } {shape = array<i64: 4, 2>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %l = neuron.kernel "log" (%a = %y) : (tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = neuron.log %a : tensor<4x2xf32>
    neuron.yield %0 : tensor<4x2xf32>
  } {shape = array<i64: 4, 2>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %c = neuron.concat %e, %l dim 0 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %p = neuron.permute %c perm [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %o = neuron.concat %s, %p dim 0 : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %n = neuron.kernel "neg" (%a = %o) : (tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = neuron.neg %a : tensor<3x8xf32>
    neuron.yield %0 : tensor<3x8xf32>
  } {shape = array<i64: 3, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %n : tensor<3x8xf32>
}

// -----

// A part that strides cannot say is copied, and so is a concat that two others
// take, for the one in which it would not be dense.
// COPY-LABEL: @copied(
// COPY: %[[E:.*]] = neuron.kernel "exp"
// COPY: %[[R:.*]] = neuron.reshape %[[E]]
// COPY: %[[K:.*]] = neuron.kernel "copy" (%{{.*}} = %[[R]])
// COPY: %[[C:.*]] = neuron.concat
// COPY: neuron.concat %[[C]], %{{.*}} dim 0
// COPY: %[[D:.*]] = neuron.kernel "copy" (%{{.*}} = %[[C]])
// COPY: neuron.concat %[[D]], %{{.*}} dim 1
func.func @copied(%x: tensor<32xf32>, %y: tensor<4x3xf32>) -> (tensor<8x11xf32>, tensor<4x22xf32>) {
  %e = neuron.kernel "exp" (%a = %x) : (tensor<32xf32>) -> tensor<32xf32> {
    %0 = neuron.exp %a : tensor<32xf32>
    neuron.yield %0 : tensor<32xf32>
  } {shape = array<i64: 32>, row_dims = array<i64>, column_dims = array<i64: 0>}
  %r = neuron.reshape %e : (tensor<32xf32>) -> tensor<4x8xf32>
  %c = neuron.concat %r, %y dim 1 : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %z = neuron.constant dense<0.0> : tensor<4x11xf32>
  %0 = neuron.concat %c, %z dim 0 : (tensor<4x11xf32>, tensor<4x11xf32>) -> tensor<8x11xf32>
  %1 = neuron.concat %c, %z dim 1 : (tensor<4x11xf32>, tensor<4x11xf32>) -> tensor<4x22xf32>
  return %0, %1 : tensor<8x11xf32>, tensor<4x22xf32>
}

// -----

// Backwards and in overlapping windows, memory is read with such strides.
// CHECK-LABEL: @strides(
// CHECK: nisa.dma_load {{.*}}col_sizes = array<i64: 4, 3>, col_strides = array<i64: -2, 1>{{.*}}hbm_offset = 6 : i64
func.func @strides(%x: tensor<2x9xf32>) -> tensor<2x4x3xf32> {
  %n = neuron.kernel "neg" (%a = %x) : (tensor<2x9xf32>) -> tensor<2x4x3xf32> {
    %w = neuron.window %a dim 1 step 2 dilation 1 : (tensor<2x9xf32>) -> tensor<2x4x3xf32>
    %f = neuron.slice %w starts [0, 3, 0] steps [1, -1, 1] : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %0 = neuron.neg %f : tensor<2x4x3xf32>
    neuron.yield %0 : tensor<2x4x3xf32>
  } {shape = array<i64: 2, 4, 3>, row_dims = array<i64: 0>, column_dims = array<i64: 1, 2>}
  return %n : tensor<2x4x3xf32>
}

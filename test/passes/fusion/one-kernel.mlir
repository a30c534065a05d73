// RUN: neuron-opt %s --neuron-form-kernels --split-input-file | FileCheck %s
// What a row kernel can hold becomes one kernel that reads each input once.

// The naive RMSNorm, kept in bf16.
// CHECK-LABEL: @rms_norm
// CHECK: %[[R:.*]] = neuron.kernel "fused_mul_mean_add_rsqrt" (%[[X:.*]] = %arg0, %[[W:.*]] = %arg1)
// CHECK: neuron.mean {{.*}} dims [1] keepdim
// CHECK: neuron.yield %{{.*}} : tensor<4x512xbf16>
// CHECK: } {column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 4, 512>}
// CHECK-NEXT: return %[[R]]
func.func @rms_norm(%x: tensor<4x512xbf16>, %w: tensor<512xbf16>) -> tensor<4x512xbf16> {
  %eps = neuron.constant dense<1.0e-6> : tensor<bf16>
  %0 = neuron.mul %x, %x : (tensor<4x512xbf16>, tensor<4x512xbf16>) -> tensor<4x512xbf16>
  %1 = neuron.mean %0 dims [1] keepdim : (tensor<4x512xbf16>) -> tensor<4x1xbf16>
  %2 = neuron.add %1, %eps : (tensor<4x1xbf16>, tensor<bf16>) -> tensor<4x1xbf16>
  %3 = neuron.rsqrt %2 : tensor<4x1xbf16>
  %4 = neuron.mul %x, %3 : (tensor<4x512xbf16>, tensor<4x1xbf16>) -> tensor<4x512xbf16>
  %5 = neuron.mul %4, %w : (tensor<4x512xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  return %5 : tensor<4x512xbf16>
}

// -----

// The residual is an output as well: one kernel with two outputs.
// CHECK-LABEL: @add_norm
// CHECK: %[[R:.*]]:2 = neuron.kernel "fused_add_rms_norm"
// CHECK: %[[H:.*]] = neuron.add
// CHECK: %[[N:.*]] = neuron.rms_norm %[[H]]
// CHECK: neuron.yield %[[H]], %[[N]]
// CHECK-NOT: neuron.kernel
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @add_norm(%x: tensor<4x512xbf16>, %r: tensor<4x512xbf16>) -> (tensor<4x512xbf16>, tensor<4x512xbf16>) {
  %h = neuron.add %x, %r : (tensor<4x512xbf16>, tensor<4x512xbf16>) -> tensor<4x512xbf16>
  %n = neuron.rms_norm %h dims [1] eps 1.0e-6 : tensor<4x512xbf16> -> tensor<4x512xbf16>
  return %h, %n : tensor<4x512xbf16>, tensor<4x512xbf16>
}

// -----

// Statistics of the same rows stay in the kernel whatever their shape is: a
// dropped dimension is kept inside and dropped behind the kernel.
// CHECK-LABEL: @digits
// CHECK: %[[R:.*]]:3 = neuron.kernel "fused_layer_norm_softmax_max_sum"
// CHECK-DAG: neuron.max {{.*}} dims [1] keepdim
// CHECK-DAG: neuron.sum {{.*}} dims [1] keepdim
// CHECK: } {column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 1797, 64>}
// CHECK-NOT: neuron.kernel
// CHECK: neuron.reshape %[[R]]#{{[12]}} : (tensor<1797x1xf32>) -> tensor<1797xf32>
func.func @digits(%x: tensor<1797x64xf32>, %s: tensor<64xf32>) -> (tensor<1797x64xf32>, tensor<1797xf32>, tensor<1797xf32>) {
  %0 = neuron.layer_norm %x weight %s : tensor<64xf32> dims [1] eps 1.0e-5 : tensor<1797x64xf32> -> tensor<1797x64xf32>
  %p = neuron.softmax %0 dims [1] : tensor<1797x64xf32>
  %m = neuron.max %p dims [1] : (tensor<1797x64xf32>) -> tensor<1797xf32>
  %l = neuron.log %p : tensor<1797x64xf32>
  %pl = neuron.mul %p, %l : (tensor<1797x64xf32>, tensor<1797x64xf32>) -> tensor<1797x64xf32>
  %sum = neuron.sum %pl dims [1] : (tensor<1797x64xf32>) -> tensor<1797xf32>
  %n = neuron.neg %sum : tensor<1797xf32>
  return %p, %m, %n : tensor<1797x64xf32>, tensor<1797xf32>, tensor<1797xf32>
}

// -----

// Reshape and expand spellings of a statistic vanish.
// CHECK-LABEL: @spelled
// CHECK: neuron.kernel
// CHECK: %[[M:.*]] = neuron.mean %{{.*}} dims [2] keepdim : (tensor<2x4x512xf32>) -> tensor<2x4x1xf32>
// CHECK: neuron.sub %{{.*}}, %[[M]]
// CHECK: } {column_dims = array<i64: 2>, row_dims = array<i64: 0, 1>
// CHECK-NEXT: return
func.func @spelled(%x: tensor<2x4x512xf32>) -> tensor<2x4x512xf32> {
  %m = neuron.mean %x dims [2] : (tensor<2x4x512xf32>) -> tensor<2x4xf32>
  %r = neuron.reshape %m : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
  %e = neuron.expand %r : (tensor<2x4x1xf32>) -> tensor<2x4x512xf32>
  %d = neuron.sub %x, %e : (tensor<2x4x512xf32>, tensor<2x4x512xf32>) -> tensor<2x4x512xf32>
  return %d : tensor<2x4x512xf32>
}

// -----

// A reshape of rows in the middle splits the dimension everywhere.
// CHECK-LABEL: @rows_merge
// CHECK: neuron.kernel "fused_exp_mul_softmax" (%[[X:.*]] = %arg0, %[[Y:.*]] = %arg1)
// CHECK: neuron.exp %[[X]] : tensor<2x4x16xf32>
// CHECK: %[[V:.*]] = neuron.reshape %[[Y]] : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
// CHECK: neuron.mul {{.*}}, %[[V]]
// CHECK: neuron.softmax {{.*}} dims [2]
func.func @rows_merge(%x: tensor<2x4x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = neuron.exp %x : tensor<2x4x16xf32>
  %1 = neuron.reshape %0 : (tensor<2x4x16xf32>) -> tensor<8x16xf32>
  %2 = neuron.mul %1, %y : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = neuron.softmax %2 dims [1] : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----

// Readers of one input are joined though no value passes between them.
// CHECK-LABEL: @siblings
// CHECK: neuron.kernel {{.*}} (%{{.*}} = %arg0) :
// CHECK-NOT: neuron.kernel
func.func @siblings(%x: tensor<4x512xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x512xf32>) {
  %0 = neuron.max %x dims [1] : (tensor<4x512xf32>) -> tensor<4xf32>
  %1 = neuron.sum %x dims [1] : (tensor<4x512xf32>) -> tensor<4xf32>
  %2 = neuron.exp %x : tensor<4x512xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4x512xf32>
}

// -----

// What the user expanded along a part of the rows or columns is expanded along
// all of them, or not at all.
// CHECK-LABEL: @expanded_iota
// CHECK: neuron.kernel "fused_iota_mul"
// CHECK: %[[I:.*]] = neuron.iota dim 1 {{.*}} : tensor<1x8x1xf32>
// CHECK: %[[E:.*]] = neuron.expand %[[I]] : (tensor<1x8x1xf32>) -> tensor<2x8x8xf32>
// CHECK: neuron.mul %{{.*}}, %[[E]]
// CHECK: column_dims = array<i64: 0, 2>, row_dims = array<i64: 1>
func.func @expanded_iota(%scale: tensor<2xf32>) -> tensor<2x8x8xf32> {
  %0 = neuron.reshape %scale : (tensor<2xf32>) -> tensor<2x1x1xf32>
  %1 = neuron.iota dim 0 start 0.000000e+00 : f64 step 1.000000e+00 : f64 : tensor<8xf32>
  %2 = neuron.reshape %1 : (tensor<8xf32>) -> tensor<1x8x1xf32>
  %3 = neuron.expand %2 : (tensor<1x8x1xf32>) -> tensor<1x8x8xf32>
  %4 = neuron.mul %0, %3 : (tensor<2x1x1xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  return %4 : tensor<2x8x8xf32>
}

// RUN: neuron-opt %s --pass-pipeline="builtin.module(func.func(canonicalize,cse,neuron-raise-named-ops,canonicalize,cse,neuron-form-kernels{sbuf-bytes=196608},neuron-verify-kernels,neuron-rounding,canonicalize,cse,neuron-verify-kernels))" --split-input-file | FileCheck %s
// RUN: neuron-opt %s --pass-pipeline="builtin.module(func.func(canonicalize,cse,neuron-raise-named-ops{rounding=eager},canonicalize,cse,neuron-form-kernels{sbuf-bytes=196608},neuron-verify-kernels,neuron-rounding{mode=eager},canonicalize,cse,neuron-verify-kernels))" --split-input-file | FileCheck %s --check-prefix=EAGER
// The graph and fusion phases together, on what users write.

// The naive RMSNorm in bf16: one op in f32, one rounding. With eager rounding
// every op rounds: six roundings, and still one kernel.
// CHECK-LABEL: @rms_norm
// CHECK: neuron.kernel "rms_norm" (%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK: neuron.rms_norm {{.*}} : tensor<4x512xf32> -> tensor<4x512xf32>
// CHECK-NEXT: neuron.cast {{.*}} : tensor<4x512xf32> to tensor<4x512xbf16>
// CHECK-NEXT: neuron.yield
// CHECK-NOT: neuron.kernel
// EAGER-LABEL: @rms_norm
// EAGER: neuron.kernel "fused_mul_mean_add_rsqrt"
// EAGER-COUNT-6: neuron.cast {{.*}} to tensor<{{[0-9x]+}}xbf16>
// EAGER-NOT: neuron.kernel
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

// CHECK-LABEL: @layer_norm
// EAGER-LABEL: @layer_norm
// CHECK: neuron.kernel "layer_norm"
// CHECK-NOT: neuron.kernel
func.func @layer_norm(%x: tensor<4x512xf32>, %w: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<4x512xf32> {
  %eps = neuron.constant dense<1.0e-5> : tensor<f32>
  %m = neuron.mean %x dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %d = neuron.sub %x, %m : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %q = neuron.square %d : tensor<4x512xf32>
  %v = neuron.mean %q dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %0 = neuron.add %v, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %1 = neuron.sqrt %0 : tensor<4x1xf32>
  %2 = neuron.div %d, %1 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %3 = neuron.mul %w, %2 : (tensor<512xf32>, tensor<4x512xf32>) -> tensor<4x512xf32>
  %4 = neuron.add %3, %b : (tensor<4x512xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  return %4 : tensor<4x512xf32>
}

// -----

// CHECK-LABEL: @bias_gelu
// CHECK: neuron.kernel "fused_add_gelu" (%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK: neuron.add
// CHECK-NEXT: neuron.gelu
// CHECK: } {column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 4096, 3072>}
// CHECK-NOT: neuron.kernel
func.func @bias_gelu(%x: tensor<4096x3072xbf16>, %b: tensor<3072xbf16>) -> tensor<4096x3072xbf16> {
  %0 = neuron.add %x, %b : (tensor<4096x3072xbf16>, tensor<3072xbf16>) -> tensor<4096x3072xbf16>
  %1 = neuron.gelu %0 : tensor<4096x3072xbf16>
  return %1 : tensor<4096x3072xbf16>
}

// -----

// h is stored: it is rounded, and the norm reads the rounded value.
// CHECK-LABEL: @add_norm
// CHECK: neuron.kernel "fused_add_rms_norm"
// CHECK: %[[H:.*]] = neuron.add
// CHECK: %[[R:.*]] = neuron.cast %[[H]] : tensor<4x512xf32> to tensor<4x512xbf16>
// CHECK: %[[W:.*]] = neuron.cast %[[R]] : tensor<4x512xbf16> to tensor<4x512xf32>
// CHECK: neuron.rms_norm %[[W]]
// CHECK-NOT: neuron.kernel
func.func @add_norm(%x: tensor<4x512xbf16>, %r: tensor<4x512xbf16>) -> (tensor<4x512xbf16>, tensor<4x512xbf16>) {
  %h = neuron.add %x, %r : (tensor<4x512xbf16>, tensor<4x512xbf16>) -> tensor<4x512xbf16>
  %n = neuron.rms_norm %h dims [1] eps 1.0e-6 : tensor<4x512xbf16> -> tensor<4x512xbf16>
  return %h, %n : tensor<4x512xbf16>, tensor<4x512xbf16>
}

// -----

// No element: constants, and no kernel.
// CHECK-LABEL: @empty
// CHECK-NOT: neuron.kernel
func.func @empty(%x: tensor<0x4xf32>, %y: tensor<4x0xbf16>) -> (tensor<0x4xf32>, tensor<4xbf16>) {
  %0 = neuron.exp %x : tensor<0x4xf32>
  %1 = neuron.mean %y dims [1] : (tensor<4x0xbf16>) -> tensor<4xbf16>
  return %0, %1 : tensor<0x4xf32>, tensor<4xbf16>
}

// -----

// Arguments that are returned as they are, or reshaped, need no kernel; a
// transposed one is written by a kernel.
// CHECK-LABEL: @returned
// CHECK: %[[R:.*]] = neuron.reshape %arg0
// CHECK-NEXT: %[[K:.*]] = neuron.kernel "permute" (%[[X:.*]] = %arg0)
// CHECK-NEXT: %[[P:.*]] = neuron.permute %[[X]]
// CHECK-NEXT: neuron.yield %[[P]]
// CHECK: return %arg0, %[[R]], %[[K]]
func.func @returned(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>) {
  %0 = neuron.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %1 = neuron.permute %x perm [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %x, %0, %1 : tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>
}

// RUN: neuron-opt %s --cse --neuron-raise-named-ops --split-input-file | FileCheck %s
// RUN: neuron-opt %s --cse --neuron-raise-named-ops="rounding=eager" --split-input-file | FileCheck %s --check-prefix=EAGER
// rms_norm and layer_norm in their spellings, and what only looks like them.

// The naive RMSNorm in bf16. Eager rounding forbids it: a named op rounds once.
// CHECK-LABEL: @naive_bf16
// CHECK-NEXT: neuron.rms_norm %arg0 weight %arg1 : tensor<512xbf16> dims [1] eps 9.983
// CHECK-NEXT: return
// EAGER-LABEL: @naive_bf16
// EAGER-NOT: neuron.rms_norm
func.func @naive_bf16(%x: tensor<4x512xbf16>, %w: tensor<512xbf16>) -> tensor<4x512xbf16> {
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

// The statistics in f32 and the weight behind the cast: the cast stays, and the
// f32 part is raised with eager rounding too.
// CHECK-LABEL: @llama
// CHECK: %[[X:.*]] = neuron.cast %arg0 : tensor<4x512xbf16> to tensor<4x512xf32>
// CHECK-NEXT: %[[N:.*]] = neuron.rms_norm %[[X]] dims [1] eps {{.*}} : tensor<4x512xf32> -> tensor<4x512xf32>
// CHECK-NEXT: %[[C:.*]] = neuron.cast %[[N]] : tensor<4x512xf32> to tensor<4x512xbf16>
// CHECK-NEXT: neuron.mul %arg1, %[[C]]
// EAGER-LABEL: @llama
// EAGER: neuron.rms_norm
func.func @llama(%x: tensor<4x512xbf16>, %w: tensor<512xbf16>) -> tensor<4x512xbf16> {
  %eps = neuron.constant dense<1.0e-6> : tensor<f32>
  %two = neuron.constant dense<2.0> : tensor<f32>
  %xf = neuron.cast %x : tensor<4x512xbf16> to tensor<4x512xf32>
  %0 = neuron.pow %xf, %two : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xf32>
  %1 = neuron.mean %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %2 = neuron.add %1, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %3 = neuron.rsqrt %2 : tensor<4x1xf32>
  %4 = neuron.mul %xf, %3 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %5 = neuron.cast %4 : tensor<4x512xf32> to tensor<4x512xbf16>
  %6 = neuron.mul %w, %5 : (tensor<512xbf16>, tensor<4x512xbf16>) -> tensor<4x512xbf16>
  return %6 : tensor<4x512xbf16>
}

// -----

// x / sqrt(sum(square(x)) / n + eps), the statistic without its dimension.
// CHECK-LABEL: @sum_sqrt_div
// CHECK-NEXT: neuron.rms_norm %arg0 dims [1] eps
func.func @sum_sqrt_div(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %eps = neuron.constant dense<1.0e-6> : tensor<f32>
  %n = neuron.constant dense<512.0> : tensor<f32>
  %0 = neuron.square %x : tensor<4x512xf32>
  %1 = neuron.sum %0 dims [1] : (tensor<4x512xf32>) -> tensor<4xf32>
  %2 = neuron.div %1, %n : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = neuron.add %eps, %2 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = neuron.sqrt %3 : tensor<4xf32>
  %5 = neuron.reshape %4 : (tensor<4xf32>) -> tensor<4x1xf32>
  %6 = neuron.div %x, %5 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  return %6 : tensor<4x512xf32>
}

// -----

// x * (w * (mean + eps)^-0.5), the mean as sum times 1/n, all expanded.
// CHECK-LABEL: @power_and_association
// CHECK-NEXT: neuron.rms_norm %arg0 weight %arg1 : tensor<768xf32> dims [2] eps
func.func @power_and_association(%x: tensor<2x4x768xf32>, %w: tensor<768xf32>) -> tensor<2x4x768xf32> {
  %eps = neuron.constant dense<1.0e-6> : tensor<f32>
  %i = neuron.constant dense<0.00130208333> : tensor<f32>
  %p = neuron.constant dense<-0.5> : tensor<f32>
  %0 = neuron.mul %x, %x : (tensor<2x4x768xf32>, tensor<2x4x768xf32>) -> tensor<2x4x768xf32>
  %1 = neuron.sum %0 dims [2] keepdim : (tensor<2x4x768xf32>) -> tensor<2x4x1xf32>
  %2 = neuron.mul %i, %1 : (tensor<f32>, tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
  %3 = neuron.add %2, %eps : (tensor<2x4x1xf32>, tensor<f32>) -> tensor<2x4x1xf32>
  %4 = neuron.pow %3, %p : (tensor<2x4x1xf32>, tensor<f32>) -> tensor<2x4x1xf32>
  %5 = neuron.expand %4 : (tensor<2x4x1xf32>) -> tensor<2x4x768xf32>
  %6 = neuron.mul %w, %5 : (tensor<768xf32>, tensor<2x4x768xf32>) -> tensor<2x4x768xf32>
  %7 = neuron.mul %x, %6 : (tensor<2x4x768xf32>, tensor<2x4x768xf32>) -> tensor<2x4x768xf32>
  return %7 : tensor<2x4x768xf32>
}

// -----

// Wrong axis: the mean of each column of a square input meets its rows.
// CHECK-LABEL: @not_aligned
// CHECK-NOT: neuron.rms_norm
func.func @not_aligned(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %eps = neuron.constant dense<1.0e-6> : tensor<f32>
  %0 = neuron.square %x : tensor<8x8xf32>
  %1 = neuron.mean %0 dims [0] : (tensor<8x8xf32>) -> tensor<8xf32>
  %2 = neuron.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
  %3 = neuron.add %2, %eps : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %4 = neuron.rsqrt %3 : tensor<8x1xf32>
  %5 = neuron.mul %x, %4 : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// -----

// Another divisor (511), eps outside of the root, a power of 3, sqrt for rsqrt.
// CHECK-LABEL: @not_rms_norm
// CHECK-NOT: neuron.rms_norm
func.func @not_rms_norm(%x: tensor<4x512xf32>) -> (tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512xf32>) {
  %eps = neuron.constant dense<1.0e-6> : tensor<f32>
  %n = neuron.constant dense<511.0> : tensor<f32>
  %three = neuron.constant dense<3.0> : tensor<f32>
  %0 = neuron.square %x : tensor<4x512xf32>
  %1 = neuron.sum %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %2 = neuron.div %1, %n : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %3 = neuron.add %2, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %4 = neuron.rsqrt %3 : tensor<4x1xf32>
  %5 = neuron.mul %x, %4 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %6 = neuron.mean %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %7 = neuron.sqrt %6 : tensor<4x1xf32>
  %8 = neuron.add %7, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %9 = neuron.div %x, %8 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %10 = neuron.pow %x, %three : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xf32>
  %11 = neuron.mean %10 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %12 = neuron.rsqrt %11 : tensor<4x1xf32>
  %13 = neuron.mul %x, %12 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  return %5, %9, %13 : tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512xf32>
}

// -----

// The inverse root is returned as well (saved for backward): not raised.
// CHECK-LABEL: @root_returned
// CHECK-NOT: neuron.rms_norm
func.func @root_returned(%x: tensor<4x512xf32>) -> (tensor<4x512xf32>, tensor<4x1xf32>) {
  %eps = neuron.constant dense<1.0e-6> : tensor<f32>
  %0 = neuron.square %x : tensor<4x512xf32>
  %1 = neuron.mean %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %2 = neuron.add %1, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %3 = neuron.rsqrt %2 : tensor<4x1xf32>
  %4 = neuron.mul %x, %3 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  return %4, %3 : tensor<4x512xf32>, tensor<4x1xf32>
}

// -----

// A gate of the full shape is no weight.
// CHECK-LABEL: @gate
// CHECK-NEXT: %[[N:.*]] = neuron.rms_norm %arg0 dims [1] eps
// CHECK-NEXT: neuron.mul %[[N]], %arg1
func.func @gate(%x: tensor<4x512xf32>, %g: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %0 = neuron.square %x : tensor<4x512xf32>
  %1 = neuron.mean %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %3 = neuron.rsqrt %1 : tensor<4x1xf32>
  %4 = neuron.mul %x, %3 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %5 = neuron.mul %4, %g : (tensor<4x512xf32>, tensor<4x512xf32>) -> tensor<4x512xf32>
  return %5 : tensor<4x512xf32>
}

// -----

// CHECK-LABEL: @layer_norm_var
// CHECK-NEXT: neuron.layer_norm %arg0 weight %arg1 : tensor<512xf32> bias %arg2 : tensor<512xf32> dims [1] eps
// CHECK-NEXT: return
func.func @layer_norm_var(%x: tensor<4x512xf32>, %w: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<4x512xf32> {
  %eps = neuron.constant dense<1.0e-5> : tensor<f32>
  %m = neuron.mean %x dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %v = neuron.var %x dims [1] keepdim correction 0.0 : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %d = neuron.sub %x, %m : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %0 = neuron.add %v, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %1 = neuron.rsqrt %0 : tensor<4x1xf32>
  %2 = neuron.mul %d, %1 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  %3 = neuron.mul %2, %w : (tensor<4x512xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  %4 = neuron.add %3, %b : (tensor<4x512xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  return %4 : tensor<4x512xf32>
}

// -----

// The variance as mean of squares of the difference, sqrt and division.
// CHECK-LABEL: @layer_norm_squares
// CHECK-NEXT: neuron.layer_norm %arg0 dims [1, 2] eps
// CHECK-NEXT: return
func.func @layer_norm_squares(%x: tensor<4x16x32xf32>) -> tensor<4x16x32xf32> {
  %eps = neuron.constant dense<1.0e-5> : tensor<f32>
  %two = neuron.constant dense<2.0> : tensor<f32>
  %m = neuron.mean %x dims [1, 2] keepdim : (tensor<4x16x32xf32>) -> tensor<4x1x1xf32>
  %d = neuron.sub %x, %m : (tensor<4x16x32xf32>, tensor<4x1x1xf32>) -> tensor<4x16x32xf32>
  %q = neuron.pow %d, %two : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16x32xf32>
  %v = neuron.mean %q dims [1, 2] keepdim : (tensor<4x16x32xf32>) -> tensor<4x1x1xf32>
  %0 = neuron.add %v, %eps : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4x1x1xf32>
  %1 = neuron.sqrt %0 : tensor<4x1x1xf32>
  %2 = neuron.div %d, %1 : (tensor<4x16x32xf32>, tensor<4x1x1xf32>) -> tensor<4x16x32xf32>
  return %2 : tensor<4x16x32xf32>
}

// -----

// A correction of 1; a mean along another dimension.
// CHECK-LABEL: @not_layer_norm
// CHECK-NOT: neuron.layer_norm
func.func @not_layer_norm(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %m = neuron.mean %x dims [1] keepdim : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %v = neuron.var %x dims [1] keepdim correction 1.0 : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %d = neuron.sub %x, %m : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %1 = neuron.rsqrt %v : tensor<8x1xf32>
  %2 = neuron.mul %d, %1 : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %m0 = neuron.mean %x dims [0] keepdim : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %v0 = neuron.var %x dims [1] keepdim correction 0.0 : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %d0 = neuron.sub %x, %m0 : (tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %3 = neuron.rsqrt %v0 : tensor<8x1xf32>
  %4 = neuron.mul %d0, %3 : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  return %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A negative eps is not the named op's (N4).
// CHECK-LABEL: @negative_eps
// CHECK-NOT: neuron.rms_norm
func.func @negative_eps(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %eps = neuron.constant dense<-5.000000e-01> : tensor<f32>
  %0 = neuron.mul %x, %x : (tensor<4x512xf32>, tensor<4x512xf32>) -> tensor<4x512xf32>
  %1 = neuron.mean %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1xf32>
  %2 = neuron.add %1, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %3 = neuron.rsqrt %2 : tensor<4x1xf32>
  %4 = neuron.mul %x, %3 : (tensor<4x512xf32>, tensor<4x1xf32>) -> tensor<4x512xf32>
  return %4 : tensor<4x512xf32>
}

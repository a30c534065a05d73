// What kernels have to do, counted by hand.
// RUN: neuron-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(neuron-form-kernels,canonicalize,cse,neuron-chain-kernels,neuron-decompose-composites,canonicalize,cse,neuron-materialize-outputs,neuron-fill-partitions,neuron-lower-kernels{work=true}))' | FileCheck %s
// RUN: neuron-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(neuron-form-kernels,canonicalize,cse,neuron-chain-kernels,neuron-decompose-composites,canonicalize,cse,neuron-materialize-outputs,neuron-fill-partitions,neuron-lower-kernels))' | FileCheck %s --check-prefix=UNASKED
// UNASKED-NOT: work =

// A function of Scalar, and arithmetic with a number of which it can do the half by the way. An operand that is
// read twice counts once.
// CHECK-LABEL: @pointwise
// CHECK: work = {flops = 393216 : i64, hbm_bytes = 1048576 : i64, special = 131072 : i64, with_scalar = 131072 : i64, with_tensor = 131072 : i64}
func.func @pointwise(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %two = neuron.constant dense<2.0> : tensor<f32>
  %0 = neuron.mul %x, %two : (tensor<256x512xf32>, tensor<f32>) -> tensor<256x512xf32>
  %1 = neuron.exp %0 : tensor<256x512xf32>
  %2 = neuron.add %1, %x : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
  return %2 : tensor<256x512xf32>
}

// -----

// Statistics of a row count as flops, and take no time; a sum rides on the square.
// CHECK-LABEL: @statistics
// CHECK: work = {flops = 262656 : i64, hbm_bytes = 525312 : i64, with_scalar = 131072 : i64}
func.func @statistics(%x: tensor<256x512xf32>) -> tensor<256x1xf32> {
  %0 = neuron.square %x : tensor<256x512xf32>
  %1 = neuron.sum %0 dims [1] keepdim : (tensor<256x512xf32>) -> tensor<256x1xf32>
  %2 = neuron.sqrt %1 : tensor<256x1xf32>
  %3 = neuron.abs %2 : tensor<256x1xf32>
  return %3 : tensor<256x1xf32>
}

// -----

// GpSimd's classes, wide ones apart.
// CHECK-LABEL: @integers
// CHECK: work = {flops = 131072 : i64, hbm_bytes = 1048576 : i64, wide_divide = 65536 : i64, wide_simple = 65536 : i64}
func.func @integers(%x: tensor<128x512xi64>) -> tensor<128x512xi64> {
  %0 = neuron.add %x, %x : (tensor<128x512xi64>, tensor<128x512xi64>) -> tensor<128x512xi64>
  %1 = neuron.trunc_div %0, %x : (tensor<128x512xi64>, tensor<128x512xi64>) -> tensor<128x512xi64>
  return %1 : tensor<128x512xi64>
}

// -----

// What is left on chip between two kernels is no byte of HBM: 128 * 256 + 256 * 512 + 512 * 64 elements are read,
// 128 * 64 written.
// CHECK-LABEL: @on_chip
// CHECK: work = {flops = 41943040 : i64, halves = 1 : i64, hbm_bytes = 409600 : i64, macs16 = 20971520 : i64}
func.func @on_chip(%x: tensor<128x256xbf16>, %y: tensor<256x512xbf16>, %z: tensor<512x64xbf16>) -> tensor<128x64xbf16> {
  %0 = neuron.matmul %x, %y batch 0 contract 1 : tensor<128x256xbf16>, tensor<256x512xbf16> -> tensor<128x512xbf16>
  %1 = neuron.matmul %0, %z batch 0 contract 1 : tensor<128x512xbf16>, tensor<512x64xbf16> -> tensor<128x64xbf16>
  return %1 : tensor<128x64xbf16>
}

// -----

// Of a slice, what it sees: every second column. Overlapping windows see each element once.
// CHECK-LABEL: @views
// CHECK: hbm_bytes = 524288 : i64
// CHECK: hbm_bytes = 1047552 : i64
func.func @views(%x: tensor<256x512xf32>, %y: tensor<128x1024xf32>) -> (tensor<256x256xf32>, tensor<128x1022xf32>) {
  %0 = neuron.slice %x starts [0, 1] steps [1, 2] : (tensor<256x512xf32>) -> tensor<256x256xf32>
  %1 = neuron.exp %0 : tensor<256x256xf32>
  %2 = neuron.window %y dim 1 step 1 dilation 1 : (tensor<128x1024xf32>) -> tensor<128x1022x3xf32>
  %3 = neuron.sum %2 dims [2] : (tensor<128x1022x3xf32>) -> tensor<128x1022xf32>
  return %1, %3 : tensor<256x256xf32>, tensor<128x1022xf32>
}

// -----

// 128 rows of a table of 1000, and 128 indices.
// CHECK-LABEL: @embedding
// CHECK: work = {hbm_bytes = 132096 : i64}
func.func @embedding(%table: tensor<1000x128xf32>, %words: tensor<128x1xi64>) -> tensor<128x128xf32> {
  %0 = neuron.gather %table, %words : tensor<1000x128xf32>, tensor<128x1xi64> -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

// Of causal attention, what the mask leaves: 512 * 513 / 2 of 512 * 512 scores in each of 2 matrices, with 64
// multiply-adds before the softmax and 64 behind it.
// CHECK-LABEL: @causal
// CHECK: macs16 = 33619968 : i64
func.func @causal(%q: tensor<2x512x64xbf16>, %k: tensor<2x512x64xbf16>, %v: tensor<2x512x64xbf16>) -> tensor<2x512x64xbf16> {
  %row = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<512x1xi64>
  %column = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x512xi64>
  %seen = neuron.le %column, %row : (tensor<1x512xi64>, tensor<512x1xi64>) -> tensor<512x512xi1>
  %low = neuron.constant dense<0xFF800000> : tensor<f32>
  %t = neuron.permute %k perm [0, 2, 1] : (tensor<2x512x64xbf16>) -> tensor<2x64x512xbf16>
  %0 = neuron.matmul %q, %t batch 1 contract 1 : tensor<2x512x64xbf16>, tensor<2x64x512xbf16> -> tensor<2x512x512xf32>
  %1 = neuron.select %seen, %0, %low : (tensor<512x512xi1>, tensor<2x512x512xf32>, tensor<f32>) -> tensor<2x512x512xf32>
  %2 = neuron.softmax %1 dims [2] : tensor<2x512x512xf32>
  %3 = neuron.cast %2 : tensor<2x512x512xf32> to tensor<2x512x512xbf16>
  %4 = neuron.matmul %3, %v batch 1 contract 1 : tensor<2x512x512xbf16>, tensor<2x512x64xbf16> -> tensor<2x512x64xbf16>
  return %4 : tensor<2x512x64xbf16>
}

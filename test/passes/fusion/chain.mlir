// Kernels that run on the rows of the kernel before them.
// RUN: neuron-opt %s --neuron-form-kernels --neuron-chain-kernels | FileCheck %s

// Attention written out: the scores stay on chip.
// CHECK-LABEL: @attention(
// CHECK: %[[W:.*]] = neuron.kernel "{{.*}}softmax"
// CHECK: neuron.kernel "matmul" (%{{.*}} = %[[W]],
// CHECK: } {chained,
func.func @attention(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x12x8xf32>, %v: tensor<2x4x12x8xf32>)
    -> tensor<2x4x16x8xf32> {
  %0 = neuron.permute %k perm [0, 1, 3, 2] : (tensor<2x4x12x8xf32>) -> tensor<2x4x8x12xf32>
  %1 = neuron.matmul %q, %0 batch 2 contract 1 : tensor<2x4x16x8xf32>, tensor<2x4x8x12xf32> -> tensor<2x4x16x12xf32>
  %2 = neuron.softmax %1 dims [3] : tensor<2x4x16x12xf32>
  %3 = neuron.matmul %2, %v batch 2 contract 1 : tensor<2x4x16x12xf32>, tensor<2x4x12x8xf32> -> tensor<2x4x16x8xf32>
  return %3 : tensor<2x4x16x8xf32>
}

// Three kernels; a reshape between does not matter.
// CHECK-LABEL: @norm_mlp(
// CHECK: neuron.kernel "{{.*}}rms_norm"
// CHECK: neuron.kernel "{{.*}}gelu"
// CHECK: } {chained,
// CHECK: neuron.kernel
// CHECK: } {chained,
func.func @norm_mlp(%x: tensor<2x32x16xf32>, %a: tensor<16x64xf32>, %b: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = neuron.rms_norm %x dims [2] eps 1.0e-06 : tensor<2x32x16xf32> -> tensor<2x32x16xf32>
  %1 = neuron.reshape %0 : (tensor<2x32x16xf32>) -> tensor<64x16xf32>
  %2 = neuron.matmul %1, %a batch 0 contract 1 : tensor<64x16xf32>, tensor<16x64xf32> -> tensor<64x64xf32>
  %3 = neuron.gelu %2 : tensor<64x64xf32>
  %4 = neuron.matmul %3, %b batch 0 contract 1 : tensor<64x64xf32>, tensor<64x16xf32> -> tensor<64x16xf32>
  return %4 : tensor<64x16xf32>
}

// The right matrix is needed whole before the first row.
// CHECK-LABEL: @right(
// CHECK-NOT: chained
func.func @right(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = neuron.exp %x : tensor<16x16xf32>
  %1 = neuron.matmul %a, %0 batch 0 contract 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// Neither can it be both.
// CHECK-LABEL: @both(
// CHECK-NOT: chained
func.func @both(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = neuron.exp %x : tensor<16x16xf32>
  %1 = neuron.matmul %0, %0 batch 0 contract 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// Columns are no rows.
// CHECK-LABEL: @turned(
// CHECK-NOT: chained
func.func @turned(%x: tensor<16x32xf32>, %a: tensor<16x8xf32>) -> tensor<32x8xf32> {
  %0 = neuron.exp %x : tensor<16x32xf32>
  %1 = neuron.permute %0 perm [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  %2 = neuron.matmul %1, %a batch 0 contract 1 : tensor<32x16xf32>, tensor<16x8xf32> -> tensor<32x8xf32>
  return %2 : tensor<32x8xf32>
}

// A kernel between that reads the rows keeps them apart.
// CHECK-LABEL: @between(
// CHECK-NOT: chained
func.func @between(%x: tensor<16x32xf32>, %a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = neuron.exp %x : tensor<16x32xf32>
  %1 = neuron.permute %0 perm [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  %2 = neuron.matmul %1, %a batch 0 contract 1 : tensor<32x16xf32>, tensor<16x8xf32> -> tensor<32x8xf32>
  %3 = neuron.matmul %0, %2 batch 0 contract 1 : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// One that does not is passed: the producer moves down to its reader.
// CHECK-LABEL: @passed(
// CHECK: neuron.kernel "matmul"
// CHECK: neuron.kernel "exp"
// CHECK: neuron.kernel "matmul
// CHECK: } {chained,
func.func @passed(%x: tensor<16x32xf32>, %a: tensor<32x8xf32>, %b: tensor<8x4xf32>) -> tensor<16x4xf32> {
  %0 = neuron.exp %x : tensor<16x32xf32>
  %1 = neuron.matmul %a, %b batch 0 contract 1 : tensor<32x8xf32>, tensor<8x4xf32> -> tensor<32x4xf32>
  %2 = neuron.matmul %0, %1 batch 0 contract 1 : tensor<16x32xf32>, tensor<32x4xf32> -> tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}

// RUN: neuron-opt %s --neuron-form-kernels="sbuf-bytes=4096" --split-input-file | FileCheck %s
// RUN: neuron-opt %s --neuron-form-kernels="sbuf-bytes=4096" --split-input-file --remarks-filter=fusion 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// What a row kernel cannot hold is cut, and a remark says why.

// REMARK: cuts.mlir:[[#@LINE+5]]:8: remark: [Missed] NotFused {{.*}}not fused with neuron.exp at loc("{{.*}}cuts.mlir":[[#@LINE+3]]:8): reduces other dimensions
// CHECK-LABEL: @other_dims
func.func @other_dims(%x: tensor<4x512xf32>) -> (tensor<4xf32>, tensor<512xf32>) {
  %0 = neuron.exp %x : tensor<4x512xf32>
  %1 = neuron.sum %0 dims [1] : (tensor<4x512xf32>) -> tensor<4xf32>
  %2 = neuron.sum %0 dims [0] : (tensor<4x512xf32>) -> tensor<512xf32>
  return %1, %2 : tensor<4xf32>, tensor<512xf32>
}

// -----

// REMARK: NotFused {{.*}}its elements are read in another order
// CHECK-LABEL: @permuted
// CHECK: neuron.kernel "exp"
// CHECK: neuron.kernel "neg" (%[[X:.*]] = %0)
// CHECK: %[[P:.*]] = neuron.permute %[[X]]
// CHECK: neuron.neg %[[P]]
func.func @permuted(%x: tensor<4x512xf32>) -> tensor<512x4xf32> {
  %0 = neuron.exp %x : tensor<4x512xf32>
  %1 = neuron.permute %0 perm [1, 0] : (tensor<4x512xf32>) -> tensor<512x4xf32>
  %2 = neuron.neg %1 : tensor<512x4xf32>
  return %2 : tensor<512x4xf32>
}

// -----

// The row is held from the first pass to the last: 8192 bytes.
// REMARK: NotFused {{.*}}SBUF budget: needs 8192 bytes of 4096 on a partition
// CHECK-LABEL: @too_long
func.func @too_long(%x: tensor<4x2048xf32>) -> tensor<4x2048xf32> {
  %0 = neuron.mean %x dims [1] keepdim : (tensor<4x2048xf32>) -> tensor<4x1xf32>
  %1 = neuron.sub %x, %0 : (tensor<4x2048xf32>, tensor<4x1xf32>) -> tensor<4x2048xf32>
  return %1 : tensor<4x2048xf32>
}

// -----

// A value computed for some of the rows only.
// REMARK: NotFused {{.*}}a value is broadcast along some rows or columns
// CHECK-LABEL: @partial_rows
// CHECK: neuron.kernel "exp"
// CHECK: neuron.kernel "fused_mul_softmax"
func.func @partial_rows(%x: tensor<2x4x512xf32>, %p: tensor<4x512xf32>) -> tensor<2x4x512xf32> {
  %0 = neuron.exp %p : tensor<4x512xf32>
  %1 = neuron.mul %x, %0 : (tensor<2x4x512xf32>, tensor<4x512xf32>) -> tensor<2x4x512xf32>
  %2 = neuron.softmax %1 dims [2] : tensor<2x4x512xf32>
  return %2 : tensor<2x4x512xf32>
}

// -----

// a -> permuted copy -> c: joining a and c would make a cycle of kernels.
// REMARK: NotFused {{.*}}another kernel has to run between them
// CHECK-LABEL: @cycle
func.func @cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = neuron.exp %x : tensor<4x4xf32>
  %1 = neuron.permute %0 perm [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = neuron.neg %1 : tensor<4x4xf32>
  %3 = neuron.mul %0, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// What is contracted would be a seventeenth dimension.
// REMARK: NotFused {{.*}}more than 16 dimensions would be needed
// CHECK-LABEL: @seventeen_dims
// CHECK: neuron.kernel "matmul"
// CHECK: neuron.kernel "add"
func.func @seventeen_dims(%a: tensor<65536x2xf32>, %b: tensor<2x1xf32>, %c: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32> {
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<65536x2xf32>, tensor<2x1xf32> -> tensor<65536x1xf32>
  %1 = neuron.reshape %0 : (tensor<65536x1xf32>) -> tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>
  %2 = neuron.add %1, %c : (tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>, tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>
  return %2 : tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>
}

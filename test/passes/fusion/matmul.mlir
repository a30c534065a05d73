// A product is an op of a row kernel: what follows on its rows and columns joins it.
// RUN: neuron-opt %s --neuron-form-kernels --neuron-verify-kernels | FileCheck %s

// Bias, activation and residual.
// CHECK-LABEL: @epilogue(
// CHECK: neuron.kernel "{{.*}}matmul
// CHECK: %[[P:.*]] = neuron.matmul
// CHECK: neuron.add %[[P]]
// CHECK: neuron.gelu
// CHECK: neuron.add
// CHECK: row_dims = array<i64: 0>, shape = array<i64: 64, 32>
// CHECK-NOT: neuron.kernel
func.func @epilogue(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>, %bias: tensor<32xf32>, %r: tensor<64x32xf32>)
    -> tensor<64x32xf32> {
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %1 = neuron.add %0, %bias : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %2 = neuron.gelu %1 : tensor<64x32xf32>
  %3 = neuron.add %2, %r : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %3 : tensor<64x32xf32>
}

// A statistic of the product's rows.
// CHECK-LABEL: @softmax_of_scores(
// CHECK: neuron.kernel
// CHECK: neuron.matmul {{.*}} batch 2 contract 1
// CHECK: neuron.softmax
// CHECK-NOT: neuron.kernel
func.func @softmax_of_scores(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32> {
  %0 = neuron.permute %k perm [0, 1, 3, 2] : (tensor<2x4x16x8xf32>) -> tensor<2x4x8x16xf32>
  %1 = neuron.matmul %q, %0 batch 2 contract 1 : tensor<2x4x16x8xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x16x16xf32>
  %2 = neuron.softmax %1 dims [3] : tensor<2x4x16x16xf32>
  return %2 : tensor<2x4x16x16xf32>
}

// Two products of the same rows and columns (a gated layer).
// CHECK-LABEL: @gate(
// CHECK: neuron.kernel
// CHECK: neuron.matmul
// CHECK: neuron.matmul
// CHECK: neuron.mul
// CHECK-NOT: neuron.kernel
func.func @gate(%x: tensor<64x16xf32>, %u: tensor<16x32xf32>, %v: tensor<16x32xf32>) -> tensor<64x32xf32> {
  %0 = neuron.matmul %x, %u batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %1 = neuron.matmul %x, %v batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %2 = neuron.silu %0 : tensor<64x32xf32>
  %3 = neuron.mul %2, %1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %3 : tensor<64x32xf32>
}

// Matrices come from HBM: what makes one is another kernel.
// CHECK-LABEL: @operand(
// CHECK: neuron.kernel "exp"
// CHECK: neuron.kernel "matmul"
func.func @operand(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>) -> tensor<64x32xf32> {
  %0 = neuron.exp %a : tensor<64x16xf32>
  %1 = neuron.matmul %0, %b batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}

// A reshape that cuts columns cuts the matrix.
// CHECK-LABEL: @heads(
// CHECK: neuron.reshape %{{.*}} : (tensor<16x32xf32>) -> tensor<16x4x8xf32>
// CHECK: neuron.matmul {{.*}} : tensor<64x16xf32>, tensor<16x4x8xf32> -> tensor<64x4x8xf32>
// CHECK: neuron.exp
// CHECK-NOT: neuron.kernel
func.func @heads(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>) -> tensor<64x4x8xf32> {
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %1 = neuron.reshape %0 : (tensor<64x32xf32>) -> tensor<64x4x8xf32>
  %2 = neuron.exp %1 : tensor<64x4x8xf32>
  return %2 : tensor<64x4x8xf32>
}

// A reduction over the rows is another kernel.
// CHECK-LABEL: @over_rows(
// CHECK: neuron.kernel "matmul"
// CHECK: neuron.kernel "sum"
func.func @over_rows(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>) -> tensor<32xf32> {
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %1 = neuron.sum %0 dims [0] : (tensor<64x32xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// Repeated along new rows, it would be computed again: it goes through HBM.
// CHECK-LABEL: @repeated(
// CHECK: neuron.kernel "matmul"
// CHECK: neuron.kernel "add"
func.func @repeated(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>, %c: tensor<5x64x32xf32>) -> tensor<5x64x32xf32> {
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %1 = neuron.add %0, %c : (tensor<64x32xf32>, tensor<5x64x32xf32>) -> tensor<5x64x32xf32>
  return %1 : tensor<5x64x32xf32>
}

// Products of different batches.
// CHECK-LABEL: @batches(
// CHECK: neuron.kernel "matmul"
// CHECK: neuron.kernel
// CHECK: neuron.matmul {{.*}} batch 1
func.func @batches(%a: tensor<6x4x8xf32>, %b: tensor<6x8x3xf32>, %c: tensor<2x12x8xf32>, %d: tensor<2x8x3xf32>)
    -> tensor<24x3xf32> {
  %0 = neuron.matmul %a, %b batch 1 contract 1 : tensor<6x4x8xf32>, tensor<6x8x3xf32> -> tensor<6x4x3xf32>
  %1 = neuron.matmul %c, %d batch 1 contract 1 : tensor<2x12x8xf32>, tensor<2x8x3xf32> -> tensor<2x12x3xf32>
  %2 = neuron.reshape %0 : (tensor<6x4x3xf32>) -> tensor<24x3xf32>
  %3 = neuron.reshape %1 : (tensor<2x12x3xf32>) -> tensor<24x3xf32>
  %4 = neuron.add %2, %3 : (tensor<24x3xf32>, tensor<24x3xf32>) -> tensor<24x3xf32>
  return %4 : tensor<24x3xf32>
}

// What follows the product of a single row waits for it, though no value of the
// kernel runs along rows.
// RUN: neuron-opt %s --neuron-lower-kernels | FileCheck %s

// CHECK-LABEL: nisa.kernel "fused_matmul_add"
// CHECK: nisa.matmul
// CHECK: "add"
// CHECK: nisa.dma_store
func.func @main(%x: tensor<1x8xf32>, %w: tensor<8x12xf32>, %b: tensor<12xf32>) -> tensor<1x12xf32> {
  %r = neuron.kernel "fused_matmul_add" (%a0 = %x, %a1 = %w, %a2 = %b) : (tensor<1x8xf32>, tensor<8x12xf32>, tensor<12xf32>) -> tensor<1x12xf32> {
    %0 = neuron.matmul %a0, %a1 batch 0 contract 1 : tensor<1x8xf32>, tensor<8x12xf32> -> tensor<1x12xf32>
    %1 = neuron.add %0, %a2 : (tensor<1x12xf32>, tensor<12xf32>) -> tensor<1x12xf32>
    neuron.yield %1 : tensor<1x12xf32>
  } {column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 1, 12>}
  return %r : tensor<1x12xf32>
}

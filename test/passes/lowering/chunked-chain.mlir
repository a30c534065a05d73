// Attention over more keys than SBUF has room for: the scores are made in chunks,
// once for each of the maximum, the sum and the products, which are added up in SBUF.
// No score goes to HBM.
// RUN: neuron-opt %s --split-input-file --neuron-form-kernels --canonicalize --cse --neuron-chain-kernels --neuron-decompose-composites --canonicalize --cse --neuron-materialize-outputs --neuron-lower-kernels="sbuf-bytes=8192" | FileCheck %s

// CHECK-LABEL: func.func @long_rows
// CHECK-NOT: nisa.scratch
// CHECK: nisa.kernel "fused_matmul_softmax_matmul"
// The sums of products, and the left matrix, once for a tile of rows.
// CHECK: [[SUM:%.*]] = nisa.alloc : memref<128x32xf32, #nisa.mem<sbuf>>
// CHECK: nisa.memset {{.*}} outs([[SUM]] :
// CHECK: nisa.transpose
// Maxima.
// CHECK: nisa.loop [[COUNT:[0-9]+]] {
// CHECK: nisa.matmul
// CHECK: nisa.tensor_reduce fn ["hw_max"] {{.*}}accumulate
// CHECK: }
// Sums of the exponentials.
// CHECK: nisa.loop [[COUNT]] {
// CHECK: nisa.matmul
// CHECK: nisa.activation fn ["exp"] {{.*}}accumulate
// CHECK: }
// CHECK: nisa.reciprocal
// The weights, and their products with a part of the values.
// CHECK: nisa.loop [[COUNT]] {
// CHECK: nisa.matmul
// CHECK: nisa.activation fn ["exp"]
// CHECK: nisa.dma_load ins(%arg2
// CHECK-SAME: row = array<i64: 0, 0, [[CHUNK:[0-9]+]]>
// CHECK: nisa.transpose
// CHECK: nisa.matmul
// CHECK: nisa.tensor_tensor fn ["add"] ins([[SUM]],
// CHECK-SAME: outs([[SUM]] :
// CHECK: }
// CHECK: nisa.dma_store
func.func @long_rows(%q: tensor<256x16xf32>, %k: tensor<16x4000xf32>, %v: tensor<4000x32xf32>) -> tensor<256x32xf32> {
  %s = neuron.matmul %q, %k batch 0 contract 1 : tensor<256x16xf32>, tensor<16x4000xf32> -> tensor<256x4000xf32>
  %p = neuron.softmax %s dims [1] : tensor<256x4000xf32>
  %o = neuron.matmul %p, %v batch 0 contract 1 : tensor<256x4000xf32>, tensor<4000x32xf32> -> tensor<256x32xf32>
  return %o : tensor<256x32xf32>
}

// -----

// Matrices with more terms than fit: both come in chunks of terms.
// CHECK-LABEL: func.func @long_terms
// CHECK: [[SUM:%.*]] = nisa.alloc : memref<64x8xf32, #nisa.mem<sbuf>>
// CHECK: nisa.memset {{.*}} outs([[SUM]] :
// CHECK: nisa.loop [[COUNT:[0-9]+]] {
// CHECK: nisa.dma_load ins(%arg0
// CHECK-SAME: column = array<i64: 0, [[TERMS:[0-9]+]]>
// CHECK: nisa.dma_load ins(%arg1
// CHECK-SAME: row = array<i64: 0, [[TERMS]]>
// CHECK: nisa.matmul
// CHECK: nisa.tensor_tensor fn ["add"] ins([[SUM]],
// CHECK: }
// CHECK: nisa.dma_store
func.func @long_terms(%a: tensor<64x40000xf32>, %b: tensor<40000x8xf32>) -> tensor<64x8xf32> {
  %o = neuron.matmul %a, %b batch 0 contract 1 : tensor<64x40000xf32>, tensor<40000x8xf32> -> tensor<64x8xf32>
  return %o : tensor<64x8xf32>
}

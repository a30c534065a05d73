// RUN: neuron-opt %s --neuron-lower-kernels --split-input-file | FileCheck %s

// Tiles of 128 rows, the rest in a smaller one; the weight is loaded once, for all
// partitions; the sum of squares comes out of the activation; x * r * w is one
// instruction, which also rounds.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[X:%[a-z0-9]+]]: memref<300x512xbf16, #nisa.mem<hbm>> {neuron.kind = "input", neuron.name = "x"}
// CHECK-SAME: [[Y:%[a-z0-9]+]]: memref<300x512xbf16, #nisa.mem<hbm>> {neuron.kind = "output", neuron.name = "y"}
// CHECK: nisa.kernel "rms_norm"
// CHECK: nisa.dma_load {{.*}} row_sizes = array<i64: 128>, row_strides = array<i64: 0>
// CHECK: nisa.loop 2 {
// CHECK: nisa.dma_load ins([[X]]
// CHECK-SAME: row = array<i64: 0, 128>
// CHECK: nisa.activation fn ["square"]
// CHECK-SAME: has_acc
// CHECK: nisa.tensor_scalar fn ["mul", "add"]
// CHECK: nisa.gpsimd_elementwise fn ["rsqrt"]
// CHECK: nisa.scalar_tensor_tensor fn ["mul", "mul"] {{.*}} outs(%{{.*}} : memref<128x512xbf16
// CHECK: nisa.dma_store {{.*}} outs([[Y]]
// CHECK: }
// CHECK: nisa.dma_load ins([[X]]
// CHECK-SAME: parts = 44
// CHECK-SAME: row = array<i64: 256>
func.func @main(%arg0: tensor<300x512xbf16> {neuron.name = "x"}, %arg1: tensor<512xbf16>) -> (tensor<300x512xbf16> {neuron.name = "y"}) {
  %0 = neuron.kernel "rms_norm" (%x = %arg0, %w = %arg1) : (tensor<300x512xbf16>, tensor<512xbf16>) -> tensor<300x512xbf16> {
    %n = neuron.constant dense<1.953125e-03> : tensor<f32>
    %eps = neuron.constant dense<1.0e-06> : tensor<f32>
    %xf = neuron.cast %x : tensor<300x512xbf16> to tensor<300x512xf32>
    %wf = neuron.cast %w : tensor<512xbf16> to tensor<512xf32>
    %1 = neuron.square %xf : tensor<300x512xf32>
    %2 = neuron.sum %1 dims [1] keepdim : (tensor<300x512xf32>) -> tensor<300x1xf32>
    %3 = neuron.mul %2, %n : (tensor<300x1xf32>, tensor<f32>) -> tensor<300x1xf32>
    %4 = neuron.add %3, %eps : (tensor<300x1xf32>, tensor<f32>) -> tensor<300x1xf32>
    %5 = neuron.rsqrt %4 : tensor<300x1xf32>
    %6 = neuron.mul %xf, %5 : (tensor<300x512xf32>, tensor<300x1xf32>) -> tensor<300x512xf32>
    %7 = neuron.mul %6, %wf : (tensor<300x512xf32>, tensor<512xf32>) -> tensor<300x512xf32>
    %8 = neuron.cast %7 : tensor<300x512xf32> to tensor<300x512xbf16>
    neuron.yield %8 : tensor<300x512xbf16>
  } {shape = array<i64: 300, 512>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<300x512xbf16>
}

// -----

// The subtraction of the row's maximum is the bias of the exponential, whose sum
// it makes on the way.
// CHECK-LABEL: func.func @softmax
// CHECK: nisa.tensor_reduce fn ["hw_max"]
// CHECK: nisa.tensor_scalar fn ["mul"]
// CHECK: nisa.activation fn ["exp"]
// CHECK-SAME: has_acc
// CHECK: nisa.reciprocal
// CHECK: nisa.tensor_scalar fn ["mul"]
// CHECK: nisa.dma_store
func.func @softmax(%arg0: tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  %0 = neuron.kernel "softmax" (%x = %arg0) : (tensor<4x1024xf32>) -> tensor<4x1024xf32> {
    %1 = neuron.max %x dims [1] keepdim {ignore_nan} : (tensor<4x1024xf32>) -> tensor<4x1xf32>
    %2 = neuron.sub %x, %1 : (tensor<4x1024xf32>, tensor<4x1xf32>) -> tensor<4x1024xf32>
    %3 = neuron.exp %2 : tensor<4x1024xf32>
    %4 = neuron.sum %3 dims [1] keepdim : (tensor<4x1024xf32>) -> tensor<4x1xf32>
    %5 = neuron.reciprocal %4 : tensor<4x1xf32>
    %6 = neuron.mul %3, %5 : (tensor<4x1024xf32>, tensor<4x1xf32>) -> tensor<4x1024xf32>
    neuron.yield %6 : tensor<4x1024xf32>
  } {shape = array<i64: 4, 1024>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x1024xf32>
}

// -----

// A row longer than SBUF: the statistic is accumulated over chunks of it, then the
// row is read again. (Scalar sums, because its clock is the faster one.)
// CHECK-LABEL: func.func @long_row
// CHECK: nisa.memset
// CHECK: nisa.loop
// CHECK: nisa.dma_load
// CHECK: nisa.activation fn ["identity"]
// CHECK-SAME: accumulate
// CHECK: }
// CHECK: nisa.loop
// CHECK: nisa.dma_load
// CHECK-NOT: has_acc
// CHECK: nisa.tensor_scalar fn ["sub"]
// CHECK: nisa.dma_store
func.func @long_row(%arg0: tensor<2x200000xf32>) -> tensor<2x200000xf32> {
  %0 = neuron.kernel "center" (%x = %arg0) : (tensor<2x200000xf32>) -> tensor<2x200000xf32> {
    %1 = neuron.sum %x dims [1] keepdim : (tensor<2x200000xf32>) -> tensor<2x1xf32>
    %2 = neuron.sub %x, %1 : (tensor<2x200000xf32>, tensor<2x1xf32>) -> tensor<2x200000xf32>
    neuron.yield %2 : tensor<2x200000xf32>
  } {shape = array<i64: 2, 200000>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<2x200000xf32>
}

// -----

// Integers of 64 bits and float64 are GpSimd's, in their own type; a NaN in max
// matters, so that is GpSimd's too.
// CHECK-LABEL: func.func @wide
// CHECK: nisa.gpsimd_elementwise fn ["add"]
// CHECK-SAME: compute = i64
// CHECK: nisa.gpsimd_reduce
// CHECK-SAME: compute = f32
// CHECK-SAME: reduce = "max"
func.func @wide(%arg0: tensor<4x8xi64>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xi64>, tensor<4x1xf32>) {
  %0:2 = neuron.kernel "wide" (%x = %arg0, %y = %arg1) : (tensor<4x8xi64>, tensor<4x8xf32>) -> (tensor<4x8xi64>, tensor<4x1xf32>) {
    %1 = neuron.add %x, %x : (tensor<4x8xi64>, tensor<4x8xi64>) -> tensor<4x8xi64>
    %2 = neuron.max %y dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
    neuron.yield %1, %2 : tensor<4x8xi64>, tensor<4x1xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0#0, %0#1 : tensor<4x8xi64>, tensor<4x1xf32>
}

// -----

// A view of an input is an access pattern: the transposed columns are strides.
// CHECK-LABEL: func.func @transposed
// CHECK: nisa.dma_load
// CHECK-SAME: col_sizes = array<i64: 4>, col_strides = array<i64: 8>
// CHECK-SAME: row_sizes = array<i64: 8>, row_strides = array<i64: 1>
func.func @transposed(%arg0: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = neuron.kernel "exp" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<8x4xf32> {
    %t = neuron.permute %x perm [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = neuron.exp %t : tensor<8x4xf32>
    neuron.yield %1 : tensor<8x4xf32>
  } {shape = array<i64: 8, 4>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<8x4xf32>
}

// -----

// Functions of numbers that no folder knows take them from a tile.
// CHECK-LABEL: func.func @numbers
// CHECK: nisa.memset
// CHECK: nisa.memset
// CHECK: nisa.activation fn ["exp"] ins(%{{.*}} : memref<1x1xf32
// CHECK: nisa.tensor_scalar fn ["mul"] ins(%{{.*}} : memref<1x1xf32, #nisa.mem<sbuf>>, f32)
func.func @numbers() -> (tensor<f32>, tensor<f32>) {
  %0:2 = neuron.kernel "numbers" () : () -> (tensor<f32>, tensor<f32>) {
    %c = neuron.constant dense<2.0> : tensor<f32>
    %d = neuron.constant dense<3.0> : tensor<f32>
    %1 = neuron.exp %c : tensor<f32>
    %2 = neuron.mul %d, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
    neuron.yield %1, %2 : tensor<f32>, tensor<f32>
  } {shape = array<i64>, row_dims = array<i64>, column_dims = array<i64>}
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

// A reduction over a broadcast reads as many elements as that stands for, also where a
// conversion lies between.
// CHECK-LABEL: func.func @sum_of_broadcast
// CHECK: nisa.tensor_copy ins({{.*}} : memref<5x1xbf16{{.*}} outs([[WIDE:%.*]] : memref<5x3xf32
// CHECK: nisa.tensor_reduce fn ["add"] ins([[WIDE]] :
func.func @sum_of_broadcast(%arg0: tensor<5xbf16>) -> tensor<5xf32> {
  %0 = neuron.kernel "sum" (%x = %arg0) : (tensor<5xbf16>) -> tensor<5xf32> {
    %1 = neuron.cast %x : tensor<5xbf16> to tensor<5xf32>
    %2 = neuron.exp %1 : tensor<5xf32>
    %3 = neuron.cast %2 : tensor<5xf32> to tensor<5xbf16>
    %4 = neuron.expand %3 : (tensor<5xbf16>) -> tensor<3x5xbf16>
    %5 = neuron.cast %4 : tensor<3x5xbf16> to tensor<3x5xf32>
    %6 = neuron.sum %5 dims [0] : (tensor<3x5xf32>) -> tensor<5xf32>
    neuron.yield %6 : tensor<5xf32>
  } {shape = array<i64: 3, 5>, row_dims = array<i64: 1>, column_dims = array<i64: 0>}
  return %0 : tensor<5xf32>
}

// -----

// An activation that sums what it computes reads all the columns: one whose operand is a
// broadcast behind a conversion would count one of them.
// CHECK-LABEL: func.func @sum_of_function_of_broadcast
// CHECK: nisa.tensor_copy {{.*}} outs([[ONE:%[0-9]+]] : memref<1x1xf16
// CHECK: ins([[ONE]]{{.*}} outs([[WIDE:%[0-9]+]] : memref<1x2xf32
// CHECK: ins([[WIDE]] : {{.*}} outs({{.*}} : memref<1x1xf32
func.func @sum_of_function_of_broadcast(%arg0: tensor<f32>) -> tensor<1xf32> {
  %0 = neuron.kernel "sum" (%x = %arg0) : (tensor<f32>) -> tensor<1xf32> {
    %1 = neuron.cast %x : tensor<f32> to tensor<f16>
    %2 = neuron.expand %1 : (tensor<f16>) -> tensor<2xf16>
    %3 = neuron.cast %2 : tensor<2xf16> to tensor<2xf32>
    %4 = neuron.square %3 : tensor<2xf32>
    %5 = neuron.sum %4 dims [0] keepdim : (tensor<2xf32>) -> tensor<1xf32>
    neuron.yield %5 : tensor<1xf32>
  } {shape = array<i64: 2>, row_dims = array<i64>, column_dims = array<i64: 0>}
  return %0 : tensor<1xf32>
}

// -----

// Small batches of products: each is a tile, and the loop over them has what DMA moves of
// several batches under way.
// CHECK-LABEL: func.func @small_batches
// CHECK: nisa.loop 64
// CHECK: nisa.alloc {buffers = 8 : i64} : memref<128x32xf32, #nisa.mem<sbuf>>
// CHECK: nisa.dma_load
// CHECK: nisa.alloc {buffers = 8 : i64} : memref<32x128xf32, #nisa.mem<sbuf>>
// CHECK: nisa.dma_load
// CHECK: nisa.matmul
// CHECK: nisa.dma_store
func.func @small_batches(%arg0: tensor<64x32x128xf32>, %arg1: tensor<64x128x32xf32>) -> tensor<64x32x32xf32> {
  %0 = neuron.kernel "matmul" (%x = %arg0, %y = %arg1) : (tensor<64x32x128xf32>, tensor<64x128x32xf32>) -> tensor<64x32x32xf32> {
    %1 = neuron.matmul %x, %y batch 1 contract 1 : tensor<64x32x128xf32>, tensor<64x128x32xf32> -> tensor<64x32x32xf32>
    neuron.yield %1 : tensor<64x32x32xf32>
  } {shape = array<i64: 64, 32, 32>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 2>}
  return %0 : tensor<64x32x32xf32>
}

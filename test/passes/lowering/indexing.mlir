// RUN: neuron-opt %s --neuron-materialize-outputs --neuron-lower-kernels="sbuf-bytes=4096" --split-input-file | FileCheck %s

// Rows by an index each: GpSimd moves whole rows; a row of the table is told by
// the index alone.
// CHECK-LABEL: @rows
// CHECK: nisa.dma_gather ins(%arg0 : {{.*}}) index(%{{.*}} : memref<6x1xi64{{.*}}>) outs(%{{.*}} : memref<6x64xf32
// CHECK-SAME: engine = #nisa.engine<gpsimd>
// CHECK-SAME: index_bound = 1000 : i64, index_stride = 64 : i64
// CHECK-SAME: row_strides = array<i64: 0>
func.func @rows(%t: tensor<1000x64xf32>, %i: tensor<6x1xi64>) -> tensor<6x64xf32> {
  %0 = neuron.kernel "gather" (%x = %t, %j = %i) : (tensor<1000x64xf32>, tensor<6x1xi64>) -> tensor<6x64xf32> {
    %1 = neuron.reshape %x : (tensor<1000x64xf32>) -> tensor<1000x1x64xf32>
    %2 = neuron.gather %1, %j : tensor<1000x1x64xf32>, tensor<6x1xi64> -> tensor<6x64xf32>
    neuron.yield %2 : tensor<6x64xf32>
  } {shape = array<i64: 6, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<6x64xf32>
}

// -----

// The destination of a scatter is copied, and the scatter writes into the copy,
// which lies in the result.
// CHECK-LABEL: @scatter
// CHECK: nisa.kernel "copy"
// CHECK: nisa.dma_store {{.*}} outs(%arg3
// CHECK: nisa.kernel "scatter"
// CHECK: nisa.dma_scatter ins(%{{.*}}, %{{.*}} : memref<6x64xf32, {{.*}}>, memref<6x1xi64, {{.*}}>) outs(%arg3
// CHECK-SAME: accumulate
// CHECK-SAME: compute = f32
// CHECK-SAME: reduce = "sum"
// CHECK-NOT: nisa.dma_store
func.func @scatter(%t: tensor<9x64xf32>, %i: tensor<6x1xi64>, %u: tensor<6x64xf32>) -> tensor<9x64xf32> {
  %0 = neuron.kernel "scatter" (%x = %t, %j = %i, %v = %u) : (tensor<9x64xf32>, tensor<6x1xi64>, tensor<6x64xf32>) -> tensor<9x1x64xf32> {
    %1 = neuron.reshape %x : (tensor<9x64xf32>) -> tensor<9x1x64xf32>
    %2 = neuron.scatter %1, %j, %v reduce "sum" : tensor<9x1x64xf32>, tensor<6x1xi64>, tensor<6x64xf32> -> tensor<9x1x64xf32>
    neuron.yield %2 : tensor<9x1x64xf32>
  } {shape = array<i64: 6, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %r = neuron.reshape %0 : (tensor<9x1x64xf32>) -> tensor<9x64xf32>
  return %r : tensor<9x64xf32>
}

// -----

// A destination that nothing else reads is not copied again.
// CHECK-LABEL: @owned
// CHECK-COUNT-1: nisa.kernel "copy"
// CHECK: nisa.kernel "first"
// CHECK-NOT: nisa.kernel "copy"
// CHECK: nisa.kernel "second"
func.func @owned(%t: tensor<9x1xf32>, %i: tensor<6xi64>, %u: tensor<6xf32>) -> tensor<9x1xf32> {
  %0 = neuron.kernel "first" (%x = %t, %j = %i, %v = %u) : (tensor<9x1xf32>, tensor<6xi64>, tensor<6xf32>) -> tensor<9x1xf32> {
    %2 = neuron.scatter %x, %j, %v reduce "none" : tensor<9x1xf32>, tensor<6xi64>, tensor<6xf32> -> tensor<9x1xf32>
    neuron.yield %2 : tensor<9x1xf32>
  } {shape = array<i64: 6>, row_dims = array<i64>, column_dims = array<i64: 0>}
  %1 = neuron.kernel "second" (%x = %0, %j = %i, %v = %u) : (tensor<9x1xf32>, tensor<6xi64>, tensor<6xf32>) -> tensor<9x1xf32> {
    %2 = neuron.scatter %x, %j, %v reduce "max" : tensor<9x1xf32>, tensor<6xi64>, tensor<6xf32> -> tensor<9x1xf32>
    neuron.yield %2 : tensor<9x1xf32>
  } {shape = array<i64: 6>, row_dims = array<i64>, column_dims = array<i64: 0>}
  return %1 : tensor<9x1xf32>
}

// -----

// A scan is one instruction; as eager, it accumulates float32 in float64.
// CHECK-LABEL: @scan
// CHECK: nisa.gpsimd_scan ins(%{{.*}}) outs(%{{.*}} : memref<4x64xf32, #nisa.mem<sbuf>>) {compute = f64, engine = #nisa.engine<gpsimd>, parts = 4 : i64, reduce = "sum"}
func.func @scan(%t: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = neuron.kernel "scan" (%x = %t) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    %1 = neuron.scan %x dims [1] kind "sum" : tensor<4x64xf32>
    neuron.yield %1 : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x64xf32>
}

// -----

// Of a row that is cut, each part goes on where the last one ended.
// CHECK-LABEL: @cut_scan
// CHECK: %[[C:.*]] = nisa.alloc : memref<4x1xf64, #nisa.mem<sbuf>>
// CHECK: nisa.memset {{.*}} outs(%[[C]]
// CHECK: nisa.loop
// CHECK: nisa.gpsimd_scan ins(%{{.*}}) outs(%{{.*}}, %[[C]] : {{.*}}) {accumulate
func.func @cut_scan(%t: tensor<4x6400xf32>) -> tensor<4x6400xf32> {
  %0 = neuron.kernel "scan" (%x = %t) : (tensor<4x6400xf32>) -> tensor<4x6400xf32> {
    %1 = neuron.scan %x dims [1] kind "sum" : tensor<4x6400xf32>
    neuron.yield %1 : tensor<4x6400xf32>
  } {shape = array<i64: 4, 6400>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x6400xf32>
}

// -----

// Values and indices of one order come from one instruction.
// CHECK-LABEL: @sort
// CHECK: nisa.gpsimd_sort ins(%{{.*}}) outs(%{{.*}}, %{{.*}} : memref<4x64xf32, #nisa.mem<sbuf>>, memref<4x64xi64, #nisa.mem<sbuf>>) {descending, engine = #nisa.engine<gpsimd>, has_acc
// CHECK-NOT: nisa.gpsimd_sort
func.func @sort(%t: tensor<4x64xf32>) -> (tensor<4x64xi64>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %0:3 = neuron.kernel "sort" (%x = %t) : (tensor<4x64xf32>) -> (tensor<4x64xi64>, tensor<4x64xf32>, tensor<4x64xf32>) {
    %1 = neuron.argsort %x dims [1] descending : tensor<4x64xf32> -> tensor<4x64xi64>
    %2 = neuron.neg %x : tensor<4x64xf32>
    %3 = neuron.sort %x dims [1] descending : tensor<4x64xf32>
    neuron.yield %1, %2, %3 : tensor<4x64xi64>, tensor<4x64xf32>, tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0#0, %0#1, %0#2 : tensor<4x64xi64>, tensor<4x64xf32>, tensor<4x64xf32>
}

// -----

// Every element has a number of its own, by row and column.
// CHECK-LABEL: @random
// CHECK: nisa.gpsimd_random ins(%{{.*}} : memref<{{.*}}x1xi64, #nisa.mem<sbuf>>) outs(%{{.*}} : memref<128x64xf32, #nisa.mem<sbuf>>)
// CHECK-SAME: index = array<i64: 0, 8192>
// CHECK-SAME: row_step = 64 : i64, step = 1 : i64
func.func @random(%t: tensor<i64>) -> tensor<256x64xf32> {
  %0 = neuron.kernel "random" (%k = %t) : (tensor<i64>) -> tensor<256x64xf32> {
    %1 = neuron.random %k : tensor<i64> -> tensor<256x64xf32>
    neuron.yield %1 : tensor<256x64xf32>
  } {shape = array<i64: 256, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<256x64xf32>
}

// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// Gathers, scatters, scans, sorts and random numbers as instructions.

// CHECK-LABEL: func.func @program
func.func @program(%x: memref<9x64xf32, #nisa.mem<hbm>>, %y: memref<9x64xf32, #nisa.mem<hbm>>) {
  nisa.kernel "k" {
    %i = nisa.alloc {offset = 0 : i64} : memref<6x1xi64, #nisa.mem<sbuf>>
    %t = nisa.alloc {offset = 8 : i64} : memref<6x64xf32, #nisa.mem<sbuf>>
    %u = nisa.alloc {offset = 264 : i64} : memref<6x64xf32, #nisa.mem<sbuf>>
    %p = nisa.alloc {offset = 520 : i64} : memref<6x64xi64, #nisa.mem<sbuf>>
    %c = nisa.alloc {offset = 1032 : i64} : memref<6x1xf64, #nisa.mem<sbuf>>
    // CHECK: nisa.dma_gather ins(%arg0 : memref<9x64xf32, #nisa.mem<hbm>>) index(%{{.*}} : memref<6x1xi64, #nisa.mem<sbuf>>) outs(%{{.*}} : memref<6x64xf32, #nisa.mem<sbuf>>)
    // CHECK-SAME: index_bound = 9 : i64, index_stride = 64 : i64
    nisa.dma_gather ins(%x : memref<9x64xf32, #nisa.mem<hbm>>) index(%i : memref<6x1xi64, #nisa.mem<sbuf>>) outs(%t : memref<6x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<gpsimd>, queue = 8 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 6>, row_strides = array<i64: 0>, col_sizes = array<i64: 64>, col_strides = array<i64: 1>, row = array<i64: 0>, column = array<i64: 0>, parts = 6 : i64, index_stride = 64 : i64, index_bound = 9 : i64}
    // CHECK: nisa.gpsimd_scan ins(%{{.*}}) outs(%{{.*}}, %{{.*}} : {{.*}}) {accumulate, compute = f64
    nisa.gpsimd_scan ins(%t : memref<6x64xf32, #nisa.mem<sbuf>>) outs(%u, %c : memref<6x64xf32, #nisa.mem<sbuf>>, memref<6x1xf64, #nisa.mem<sbuf>>) {engine = #nisa.engine<gpsimd>, parts = 6 : i64, compute = f64, reduce = "sum", accumulate}
    // CHECK: nisa.gpsimd_sort ins(%{{.*}}) outs(%{{.*}}, %{{.*}} : {{.*}}) {descending, engine = #nisa.engine<gpsimd>, has_acc
    nisa.gpsimd_sort ins(%u : memref<6x64xf32, #nisa.mem<sbuf>>) outs(%t, %p : memref<6x64xf32, #nisa.mem<sbuf>>, memref<6x64xi64, #nisa.mem<sbuf>>) {engine = #nisa.engine<gpsimd>, parts = 6 : i64, descending, has_acc}
    // CHECK: nisa.gpsimd_random ins(%{{.*}}) outs(%{{.*}}) {engine = #nisa.engine<gpsimd>, index = array<i64: 0>, parts = 6 : i64, row_step = 64 : i64, step = 1 : i64}
    nisa.gpsimd_random ins(%i : memref<6x1xi64, #nisa.mem<sbuf>>) outs(%u : memref<6x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<gpsimd>, parts = 6 : i64, index = array<i64: 0>, row_step = 64 : i64, step = 1 : i64}
    // CHECK: nisa.dma_scatter ins(%{{.*}}, %{{.*}} : {{.*}}) outs(%arg1 : memref<9x64xf32, #nisa.mem<hbm>>) {accumulate
    nisa.dma_scatter ins(%u, %i : memref<6x64xf32, #nisa.mem<sbuf>>, memref<6x1xi64, #nisa.mem<sbuf>>) outs(%y : memref<9x64xf32, #nisa.mem<hbm>>) {engine = #nisa.engine<gpsimd>, queue = 12 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 6>, row_strides = array<i64: 0>, col_sizes = array<i64: 64>, col_strides = array<i64: 1>, row = array<i64: 0>, column = array<i64: 0>, parts = 6 : i64, index_stride = 64 : i64, index_bound = 9 : i64, compute = f32, reduce = "sum", accumulate}
  }
  return
}

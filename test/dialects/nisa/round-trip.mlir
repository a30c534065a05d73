// RUN: neuron-opt %s | neuron-opt | FileCheck %s

// Structure, a DMA with its window, an instruction with its schedule.
// CHECK-LABEL: func.func @program
func.func @program(%x: memref<300x512xbf16, #nisa.mem<hbm>>, %y: memref<300x1xf32, #nisa.mem<hbm>>) {
  // CHECK: nisa.scratch : memref<4xf32, #nisa.mem<hbm>>
  %s = nisa.scratch : memref<4xf32, #nisa.mem<hbm>>
  // CHECK: nisa.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> : memref<2xf32, #nisa.mem<hbm>>
  %k = nisa.constant dense<[1.0, 2.0]> : tensor<2xf32> : memref<2xf32, #nisa.mem<hbm>>
  // CHECK: nisa.kernel "k"
  nisa.kernel "k" {
    // CHECK: nisa.alloc {buffers = 2 : i64, offset = 0 : i64, pitch = 1024 : i64} : memref<128x512xbf16, #nisa.mem<sbuf>>
    %t = nisa.alloc {offset = 0 : i64, buffers = 2 : i64, pitch = 1024 : i64} : memref<128x512xbf16, #nisa.mem<sbuf>>
    %a = nisa.alloc {offset = 2048 : i64} : memref<128x1xf32, #nisa.mem<sbuf>>
    // CHECK: nisa.loop 2 {
    nisa.loop 2 {
      // CHECK: nisa.dma_load ins(%arg0 : memref<300x512xbf16, #nisa.mem<hbm>>) outs(%{{.*}} : memref<128x512xbf16, #nisa.mem<sbuf>>)
      // CHECK-SAME: row = array<i64: 0, 128>
      // CHECK-SAME: signal
      nisa.dma_load ins(%x : memref<300x512xbf16, #nisa.mem<hbm>>) outs(%t : memref<128x512xbf16, #nisa.mem<sbuf>>) {engine = #nisa.engine<sync>, queue = 0 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 300>, row_strides = array<i64: 512>, col_sizes = array<i64: 512>, col_strides = array<i64: 1>, row = array<i64: 0, 128>, column = array<i64: 0>, parts = 128 : i64, signal}
      // CHECK: nisa.activation fn ["square"] ins(%{{.*}} : memref<128x512xbf16, #nisa.mem<sbuf>>) outs(%{{.*}} : memref<128x1xf32, #nisa.mem<sbuf>>)
      // CHECK-SAME: has_acc
      // CHECK-SAME: wait = [#nisa.wait<q0, 1 + [1]>]
      nisa.activation fn ["square"] ins(%t : memref<128x512xbf16, #nisa.mem<sbuf>>) outs(%a : memref<128x1xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<scalar>, has_acc, parts = 128 : i64, wait = [#nisa.wait<q0, 1 + [1]>]}
    }
    // CHECK: nisa.barrier
    nisa.barrier
  }
  return
}

// A kernel again, on other variables.
// CHECK-LABEL: func.func @again
func.func @again(%x: memref<4xf32, #nisa.mem<hbm>>, %y: memref<4xf32, #nisa.mem<hbm>>, %z: memref<4xf32, #nisa.mem<hbm>>) {
  nisa.kernel "k" {
  }
  // CHECK: nisa.repeat "again" of "k" from(%arg0, %arg1) to(%arg1, %arg2) : memref<4xf32, #nisa.mem<hbm>>, memref<4xf32, #nisa.mem<hbm>>
  nisa.repeat "again" of "k" from(%x, %y) to(%y, %z) : memref<4xf32, #nisa.mem<hbm>>, memref<4xf32, #nisa.mem<hbm>>
  // CHECK: nisa.repeat "touches_nothing" of "k" from() to(){{$}}
  nisa.repeat "touches_nothing" of "k" from() to()
  return
}

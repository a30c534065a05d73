// RUN: neuron-opt %s --neuron-synchronize | FileCheck %s

// In a loop: the load of an iteration waits for the last reader of the iteration
// before (its count so far: none at first), each consumer for its producer. What
// the chain implies has no wait of its own: the store waits for Vector alone.
// CHECK-LABEL: func.func @pipeline
// CHECK: nisa.loop 4 {
// CHECK: nisa.dma_load
// CHECK-SAME: signal
// CHECK-SAME: wait = [#nisa.wait<vector, 0 + [1]>]
// CHECK: nisa.tensor_scalar
// CHECK-SAME: signal
// CHECK-SAME: wait = [#nisa.wait<q0, 1 + [1]>, #nisa.wait<q4, 0 + [1]>]
// CHECK: nisa.dma_store
// CHECK-SAME: signal
// CHECK-SAME: wait = [#nisa.wait<vector, 1 + [1]>]
func.func @pipeline(%x: memref<512x8xf32, #nisa.mem<hbm>>, %y: memref<512x8xf32, #nisa.mem<hbm>>) {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    nisa.loop 4 {
      %t = nisa.alloc {offset = 0 : i64} : memref<128x8xf32, #nisa.mem<sbuf>>
      %u = nisa.alloc {offset = 32 : i64} : memref<128x8xf32, #nisa.mem<sbuf>>
      nisa.dma_load ins(%x : memref<512x8xf32, #nisa.mem<hbm>>) outs(%t : memref<128x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<sync>, queue = 0 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 512>, row_strides = array<i64: 8>, col_sizes = array<i64: 8>, col_strides = array<i64: 1>, row = array<i64: 0, 128>, column = array<i64: 0>, parts = 128 : i64}
      nisa.tensor_scalar fn ["add"] ins(%t, %one : memref<128x8xf32, #nisa.mem<sbuf>>, f32) outs(%u : memref<128x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
      nisa.dma_store ins(%u : memref<128x8xf32, #nisa.mem<sbuf>>) outs(%y : memref<512x8xf32, #nisa.mem<hbm>>) {engine = #nisa.engine<scalar>, queue = 4 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 512>, row_strides = array<i64: 8>, col_sizes = array<i64: 8>, col_strides = array<i64: 1>, row = array<i64: 0, 128>, column = array<i64: 0>, parts = 128 : i64}
    }
  }
  return
}

// One engine keeps its own order: no waits, no signals.
// CHECK-LABEL: func.func @one_engine
// CHECK-NOT: wait
// CHECK-NOT: signal
// CHECK: return
func.func @one_engine() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    %t = nisa.alloc {offset = 0 : i64} : memref<128x8xf32, #nisa.mem<sbuf>>
    nisa.memset ins(%one : f32) outs(%t : memref<128x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
    nisa.reciprocal ins(%t : memref<128x8xf32, #nisa.mem<sbuf>>) outs(%t : memref<128x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
  }
  return
}

// Two buffers, and an odd number of iterations in an inner loop: its first iteration
// uses the buffer of its last one, in the iteration of the outer loop before.
// CHECK-LABEL: func.func @odd_inner_loop
// CHECK: nisa.memset
// CHECK-SAME: wait = [#nisa.wait<q4, 0 + [9]>, #nisa.wait<q4, -1 + [9, 1]>]
func.func @odd_inner_loop(%y: memref<2304x8xf32, #nisa.mem<hbm>>) {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    nisa.loop 2 {
      nisa.loop 9 {
        %u = nisa.alloc {offset = 0 : i64, pitch = 64 : i64, buffers = 2 : i64} : memref<128x8xf32, #nisa.mem<sbuf>>
        nisa.memset ins(%one : f32) outs(%u : memref<128x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
        nisa.dma_store ins(%u : memref<128x8xf32, #nisa.mem<sbuf>>) outs(%y : memref<2304x8xf32, #nisa.mem<hbm>>) {engine = #nisa.engine<scalar>, queue = 4 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 2304>, row_strides = array<i64: 8>, col_sizes = array<i64: 8>, col_strides = array<i64: 1>, row = array<i64: 0, 1152, 128>, column = array<i64: 0>, parts = 128 : i64}
      }
    }
  }
  return
}

// RUN: neuron-opt %s --neuron-place-tiles --split-input-file | FileCheck %s --check-prefix=LARGE
// RUN: not neuron-opt %s --neuron-place-tiles='sbuf-bytes=4000' --split-input-file 2>/dev/null | FileCheck %s
// RUN: not neuron-opt %s --neuron-place-tiles='sbuf-bytes=4000' --split-input-file 2>&1 | FileCheck %s --check-prefix=SMALL

// %b begins when %a ends: it takes its bytes, if there are no others. What lives
// around a loop stays clear of what lives in it.
// LARGE-LABEL: func.func @lifetimes
// LARGE: nisa.alloc {offset = 0 : i64} : memref<4x512xf32
// LARGE: nisa.alloc {offset = 2048 : i64} : memref<4x1xf32
// LARGE: nisa.alloc {offset = 2056 : i64} : memref<4x512xbf16
// CHECK-LABEL: func.func @lifetimes
// CHECK: nisa.alloc {offset = 0 : i64} : memref<4x512xf32
// CHECK: nisa.alloc {offset = 2048 : i64} : memref<4x1xf32
// CHECK: nisa.loop
// CHECK: nisa.alloc {offset = 2056 : i64} : memref<4x256xf32
// CHECK: }
// CHECK: nisa.alloc {offset = 0 : i64} : memref<4x512xbf16
func.func @lifetimes() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    %a = nisa.alloc : memref<4x512xf32, #nisa.mem<sbuf>>
    %s = nisa.alloc : memref<4x1xf32, #nisa.mem<sbuf>>
    nisa.memset ins(%one : f32) outs(%a : memref<4x512xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    nisa.tensor_reduce fn ["add"] ins(%a : memref<4x512xf32, #nisa.mem<sbuf>>) outs(%s : memref<4x1xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    nisa.loop 3 {
      %t = nisa.alloc : memref<4x256xf32, #nisa.mem<sbuf>>
      nisa.memset ins(%one : f32) outs(%t : memref<4x256xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
      nisa.tensor_reduce fn ["add"] ins(%t : memref<4x256xf32, #nisa.mem<sbuf>>) outs(%s : memref<4x1xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64, accumulate}
    }
    nisa.tensor_scalar fn ["mul"] ins(%a, %s : memref<4x512xf32, #nisa.mem<sbuf>>, memref<4x1xf32, #nisa.mem<sbuf>>) outs(%a : memref<4x512xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    %b = nisa.alloc : memref<4x512xbf16, #nisa.mem<sbuf>>
    %z = nisa.immediate 0.0 : bf16
    nisa.memset ins(%z : bf16) outs(%b : memref<4x512xbf16, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  }
  return
}

// -----

// SMALL: M1: tiles need 8192 bytes a partition, SBUF has 4000
// LARGE-LABEL: func.func @too_much
func.func @too_much() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    %a = nisa.alloc : memref<4x2048xf32, #nisa.mem<sbuf>>
    nisa.memset ins(%one : f32) outs(%a : memref<4x2048xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  }
  return
}

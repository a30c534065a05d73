// RUN: neuron-opt %s --neuron-place-tiles --split-input-file | FileCheck %s
// RUN: not neuron-opt %s --neuron-place-tiles='psum-bytes=8192' --split-input-file 2>&1 | FileCheck %s --check-prefix=SMALL

// PSUM has places of its own, and a tile starts on a bank of 2048 bytes. A tile
// lives as long as its parts are used.
// CHECK-LABEL: func.func @banks
// CHECK: nisa.alloc {offset = 0 : i64} : memref<4x128xf32, #nisa.mem<psum>>
// CHECK: nisa.alloc {offset = 0 : i64} : memref<4x128xf32, #nisa.mem<sbuf>>
// CHECK: nisa.alloc {offset = 2048 : i64} : memref<4x1024xf32, #nisa.mem<psum>>
// CHECK: nisa.alloc {offset = 6144 : i64} : memref<4x128xf32, #nisa.mem<psum>>
// CHECK: nisa.alloc {offset = 0 : i64} : memref<4x128xf32, #nisa.mem<psum>>
// SMALL-NOT: M2
func.func @banks() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    %a = nisa.alloc : memref<4x128xf32, #nisa.mem<psum>>
    %s = nisa.alloc : memref<4x128xf32, #nisa.mem<sbuf>>
    %b = nisa.alloc : memref<4x1024xf32, #nisa.mem<psum>>
    nisa.memset ins(%one : f32) outs(%a : memref<4x128xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    nisa.memset ins(%one : f32) outs(%s : memref<4x128xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    nisa.memset ins(%one : f32) outs(%b : memref<4x1024xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    %c = nisa.alloc : memref<4x128xf32, #nisa.mem<psum>>
    nisa.memset ins(%one : f32) outs(%c : memref<4x128xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    nisa.tensor_copy ins(%a : memref<4x128xf32, #nisa.mem<psum>>) outs(%s : memref<4x128xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    %d = nisa.alloc : memref<4x128xf32, #nisa.mem<psum>>
    nisa.memset ins(%one : f32) outs(%d : memref<4x128xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    %part = nisa.subtile %b [896, 128] : memref<4x1024xf32, #nisa.mem<psum>> -> memref<4x128xf32, #nisa.mem<psum>>
    nisa.tensor_copy ins(%part : memref<4x128xf32, #nisa.mem<psum>>) outs(%s : memref<4x128xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  }
  return
}

// -----

// Each buffer starts on a bank.
// CHECK-LABEL: func.func @buffers
// CHECK: nisa.alloc {buffers = 2 : i64, offset = 0 : i64, pitch = 2048 : i64} : memref<4x128xf32, #nisa.mem<psum>>
// CHECK: nisa.alloc {offset = 4096 : i64} : memref<4x128xf32, #nisa.mem<psum>>
func.func @buffers() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    nisa.loop 3 {
      %a = nisa.alloc {buffers = 2 : i64} : memref<4x128xf32, #nisa.mem<psum>>
      nisa.memset ins(%one : f32) outs(%a : memref<4x128xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
      %b = nisa.alloc : memref<4x128xf32, #nisa.mem<psum>>
      nisa.memset ins(%one : f32) outs(%b : memref<4x128xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    }
  }
  return
}

// -----

// SMALL: M2: tiles need 10240 bytes a partition in whole banks, PSUM has 8192
func.func @too_much() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    %a = nisa.alloc {buffers = 5 : i64} : memref<4x128xf32, #nisa.mem<psum>>
    nisa.loop 5 {
      nisa.memset ins(%one : f32) outs(%a : memref<4x128xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
    }
  }
  return
}

// RUN: neuron-opt %s --neuron-synchronize | FileCheck %s

// Different parts of a tile are apart: only the reader of a part waits for who
// wrote it. The same bytes of SBUF and PSUM are apart too.
// CHECK-LABEL: func.func @parts
// CHECK: nisa.memset
// CHECK-NOT: wait
// CHECK: nisa.matmul
// CHECK-SAME: signal
// CHECK-SAME: wait = [#nisa.wait<vector, 1>]
// CHECK: nisa.memset {{.*}}%[[RIGHT:[0-9]+]] : memref<128x64xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
// CHECK: nisa.tensor_copy
// CHECK-SAME: wait = [#nisa.wait<tensor, 1>]
func.func @parts() {
  nisa.kernel "k" {
    %one = nisa.immediate 1.0 : f32
    %a = nisa.alloc {offset = 0 : i64} : memref<128x64xf32, #nisa.mem<sbuf>>
    %o = nisa.alloc {offset = 256 : i64} : memref<128x64xf32, #nisa.mem<sbuf>>
    %p = nisa.alloc {offset = 0 : i64} : memref<128x128xf32, #nisa.mem<psum>>
    %left = nisa.subtile %p [0, 64] : memref<128x128xf32, #nisa.mem<psum>> -> memref<128x64xf32, #nisa.mem<psum>>
    %right = nisa.subtile %p [64, 64] : memref<128x128xf32, #nisa.mem<psum>> -> memref<128x64xf32, #nisa.mem<psum>>
    nisa.memset ins(%one : f32) outs(%a : memref<128x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
    nisa.matmul ins(%a, %a : memref<128x64xf32, #nisa.mem<sbuf>>, memref<128x64xf32, #nisa.mem<sbuf>>) outs(%left : memref<128x64xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 128 : i64}
    nisa.memset ins(%one : f32) outs(%right : memref<128x64xf32, #nisa.mem<psum>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
    nisa.tensor_copy ins(%left : memref<128x64xf32, #nisa.mem<psum>>) outs(%o : memref<128x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<scalar>, parts = 64 : i64}
  }
  return
}

// RUN: neuron-opt %s | neuron-opt | FileCheck %s

// Tiles of PSUM, parts of tiles, what the Tensor engine does.
// CHECK-LABEL: func.func @tensor
func.func @tensor() {
  nisa.kernel "k" {
    %a = nisa.alloc : memref<64x128xbf16, #nisa.mem<sbuf>>
    %b = nisa.alloc : memref<64x512xbf16, #nisa.mem<sbuf>>
    // CHECK: %[[P:.*]] = nisa.alloc : memref<128x1024xf32, #nisa.mem<psum>>
    %p = nisa.alloc : memref<128x1024xf32, #nisa.mem<psum>>
    // CHECK: %[[V:.*]] = nisa.subtile %[[P]][512, 512] : memref<128x1024xf32, #nisa.mem<psum>> -> memref<128x512xf32, #nisa.mem<psum>>
    %v = nisa.subtile %p [512, 512] : memref<128x1024xf32, #nisa.mem<psum>> -> memref<128x512xf32, #nisa.mem<psum>>
    // CHECK: nisa.matmul ins(%{{.*}}, %{{.*}} : memref<64x128xbf16, #nisa.mem<sbuf>>, memref<64x512xbf16, #nisa.mem<sbuf>>) outs(%[[V]] : memref<128x512xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 64 : i64}
    nisa.matmul ins(%a, %b : memref<64x128xbf16, #nisa.mem<sbuf>>, memref<64x512xbf16, #nisa.mem<sbuf>>) outs(%v : memref<128x512xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 64 : i64}
    // CHECK: nisa.matmul {{.*}}accumulate
    nisa.matmul ins(%a, %b : memref<64x128xbf16, #nisa.mem<sbuf>>, memref<64x512xbf16, #nisa.mem<sbuf>>) outs(%v : memref<128x512xf32, #nisa.mem<psum>>) {accumulate, engine = #nisa.engine<tensor>, parts = 64 : i64}
    %t = nisa.alloc : memref<128x64xbf16, #nisa.mem<psum>>
    // CHECK: nisa.transpose ins(%{{.*}} : memref<64x128xbf16, #nisa.mem<sbuf>>) outs(%{{.*}} : memref<128x64xbf16, #nisa.mem<psum>>)
    nisa.transpose ins(%a : memref<64x128xbf16, #nisa.mem<sbuf>>) outs(%t : memref<128x64xbf16, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 64 : i64}
  }
  return
}

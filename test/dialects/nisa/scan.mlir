// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// tensor_tensor_scan, from an immediate and from one element a partition.

// CHECK-LABEL: func.func @scans
func.func @scans() {
  %a = nisa.alloc : memref<6x64xbf16, #nisa.mem<psum>>
  %b = nisa.alloc : memref<6x64xf32, #nisa.mem<sbuf>>
  %one = nisa.alloc : memref<6x1xf32, #nisa.mem<sbuf>>
  %zero = nisa.immediate 0.0 : f32
  // CHECK: nisa.tensor_tensor_scan fn ["mul", "add"] ins(%{{.*}}, %[[B:.*]], %{{.*}} : memref<6x64xbf16, #nisa.mem<psum>>, memref<6x64xf32, #nisa.mem<sbuf>>, f32) outs(%[[B]] : memref<6x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 6 : i64}
  nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %b, %zero : memref<6x64xbf16, #nisa.mem<psum>>, memref<6x64xf32, #nisa.mem<sbuf>>, f32) outs(%b : memref<6x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 6 : i64}
  // A source of one element is repeated.
  // CHECK: nisa.tensor_tensor_scan fn ["sub", "hw_max"] ins(%[[ONE:.*]], %{{.*}}, %[[ONE]] : memref<6x1xf32, #nisa.mem<sbuf>>, memref<6x64xbf16, #nisa.mem<psum>>, memref<6x1xf32, #nisa.mem<sbuf>>)
  // CHECK-SAME: reverse = array<i1: true, false>, signal, wait = [#nisa.wait<scalar, 1>]
  nisa.tensor_tensor_scan fn ["sub", "hw_max"] ins(%one, %a, %one : memref<6x1xf32, #nisa.mem<sbuf>>, memref<6x64xbf16, #nisa.mem<psum>>, memref<6x1xf32, #nisa.mem<sbuf>>) outs(%b : memref<6x64xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 6 : i64, reverse = array<i1: true, false>, signal, wait = [#nisa.wait<scalar, 1>]}
  return
}

// A kernel that repeats an earlier one has the same work, and a line of its own. 2 * 128 * 256 + 256 * 256 elements of
// 2 bytes.
// RUN: neuron-compile %s --report --dump | FileCheck %s

// CHECK: nisa.repeat
// CHECK: kernel HBM bytes
// CHECK-NEXT: matmul 262144 16777216 0.723 [[#]].[[#]] {{.*}} net.py:3
// CHECK-NEXT: matmul_1 262144 16777216 0.723 [[#]].[[#]] {{.*}} net.py:4
// CHECK-NEXT: sum 524288 33554432
func.func @main(%x: tensor<256x128xbf16>, %y: tensor<128x256xbf16>, %v: tensor<256x128xbf16>, %w: tensor<128x256xbf16>)
    -> (tensor<256x256xbf16>, tensor<256x256xbf16>) {
  %0 = neuron.matmul %x, %y batch 0 contract 1 : tensor<256x128xbf16>, tensor<128x256xbf16> -> tensor<256x256xbf16> loc("net.py":3:3)
  %1 = neuron.matmul %v, %w batch 0 contract 1 : tensor<256x128xbf16>, tensor<128x256xbf16> -> tensor<256x256xbf16> loc("net.py":4:3)
  return %0, %1 : tensor<256x256xbf16>, tensor<256x256xbf16>
}

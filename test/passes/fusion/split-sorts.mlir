// Rows that are too long for SBUF are sorted in blocks.
// RUN: neuron-opt %s --neuron-split-sorts='sbuf-bytes=32768' --canonicalize --cse | FileCheck %s
// RUN: neuron-opt %s --neuron-split-sorts --canonicalize | FileCheck %s --check-prefix=NONE

// NONE-NOT: neuron.slice

// 16 bytes an element: two neighbours have 2048 elements.
// CHECK-LABEL: @four_blocks(
// CHECK: %[[FIRST:.*]] = neuron.sort %{{.*}} dims [2] : tensor<2x2x2048xf32>
// CHECK: %[[ROW:.*]] = neuron.reshape %[[FIRST]]
// The second round leaves the first block and the last one.
// CHECK: %[[MIDDLE:.*]] = neuron.slice %[[ROW]] starts [0, 1024] {{.*}} -> tensor<2x2048xf32>
// CHECK: neuron.sort %{{.*}} dims [2] : tensor<2x1x2048xf32>
// CHECK-DAG: %[[HEAD:.*]] = neuron.slice %[[ROW]] starts [0, 0] {{.*}} -> tensor<2x1024xf32>
// CHECK-DAG: %[[TAIL:.*]] = neuron.slice %[[ROW]] starts [0, 3072] {{.*}} -> tensor<2x1024xf32>
// CHECK: neuron.concat %[[HEAD]], %{{.*}}, %[[TAIL]] dim 1
// CHECK-COUNT-2: neuron.sort
// CHECK-NOT: neuron.sort
func.func @four_blocks(%x: tensor<2x4096xf32>) -> tensor<2x4096xf32> {
  %0 = neuron.sort %x dims [1] : tensor<2x4096xf32>
  return %0 : tensor<2x4096xf32>
}

// Places are sorted with the values; the sorted dimension goes last, and what fills the last block is the largest.
// CHECK-LABEL: @places_along_the_first(
// CHECK: neuron.constant dense<0x7FC00000> : tensor<3x{{[0-9]+}}xf32>
// CHECK: neuron.permute %{{.*}} perm [1, 0]
// CHECK: neuron.argsort
// CHECK: neuron.iota
// CHECK: neuron.gather
// CHECK: neuron.permute %{{.*}} perm [1, 0]
func.func @places_along_the_first(%x: tensor<4097x3xf32>) -> (tensor<4097x3xi64>, tensor<4097x3xf32>) {
  %0 = neuron.argsort %x dims [0] : tensor<4097x3xf32> -> tensor<4097x3xi64>
  %1 = neuron.sort %x dims [0] : tensor<4097x3xf32>
  return %0, %1 : tensor<4097x3xi64>, tensor<4097x3xf32>
}

// CHECK-LABEL: @descending(
// CHECK: neuron.constant dense<0xFF800000>
func.func @descending(%x: tensor<4097xf32>) -> tensor<4097xf32> {
  %0 = neuron.sort %x dims [0] descending : tensor<4097xf32>
  return %0 : tensor<4097xf32>
}

// CHECK-LABEL: @short(
// CHECK-NEXT: neuron.sort
// CHECK-NEXT: return
func.func @short(%x: tensor<9x2048xf32>) -> tensor<9x2048xf32> {
  %0 = neuron.sort %x dims [1] : tensor<9x2048xf32>
  return %0 : tensor<9x2048xf32>
}

// RUN: neuron-opt %s --neuron-lower-kernels --split-input-file | FileCheck %s

// A sum over what lies outside: a tile of 128 of the results, of which each term
// lies in another row of HBM. Whole runs of 128 are loaded, and turned in squares;
// one copy for each bank of PSUM.
// CHECK-LABEL: func.func @column_sum
// CHECK: nisa.loop 2
// CHECK: [[ROW:%.*]] = nisa.alloc{{.*}} : memref<128x600xf32, #nisa.mem<sbuf>>
// CHECK: [[BANK:%.*]] = nisa.alloc{{.*}} : memref<128x512xf32, #nisa.mem<psum>>
// CHECK: nisa.dma_load {{.*}} memref<128x128xf32, #nisa.mem<sbuf>>
// CHECK-SAME: col_sizes = array<i64: 256>, col_strides = array<i64: 1>
// CHECK-SAME: column = array<i64: 0, 128>
// CHECK-SAME: row = array<i64: 0>
// CHECK-SAME: row_sizes = array<i64: 600>, row_strides = array<i64: 256>
// CHECK: nisa.transpose
// CHECK: nisa.dma_load {{.*}} row = array<i64: 128>
// CHECK: nisa.dma_load {{.*}} row = array<i64: 256>
// CHECK: nisa.dma_load {{.*}} row = array<i64: 384>
// CHECK: nisa.tensor_copy ins([[BANK]] 
// CHECK: nisa.dma_load {{.*}} memref<88x128xf32{{.*}} row = array<i64: 512>
// CHECK: nisa.transpose {{.*}} memref<88x128xf32{{.*}} memref<128x88xf32
// CHECK: nisa.tensor_reduce {{.*}} ins([[ROW]] 
// CHECK-NOT: nisa.dma_load
func.func @column_sum(%arg0: tensor<600x256xf32>) -> tensor<256x1xf32> {
  %0 = neuron.kernel "sum" (%x = %arg0) : (tensor<600x256xf32>) -> tensor<256x1xf32> {
    %t = neuron.permute %x perm [1, 0] : (tensor<600x256xf32>) -> tensor<256x600xf32>
    %1 = neuron.sum %t dims [1] keepdim : (tensor<256x600xf32>) -> tensor<256x1xf32>
    neuron.yield %1 : tensor<256x1xf32>
  } {shape = array<i64: 256, 600>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<256x1xf32>
}

// -----

// The way back: a result that lies along the rows. 16-bit types have twice the
// columns in a bank.
// CHECK-LABEL: func.func @turned_back
// CHECK: nisa.alloc{{.*}} : memref<64x200xbf16, #nisa.mem<psum>>
// CHECK: nisa.transpose {{.*}} memref<64x128xbf16{{.*}} memref<128x64xbf16, {{.*}}#nisa.mem<psum>>
// CHECK: nisa.dma_store ins({{.*}} memref<128x64xbf16
// CHECK-SAME: row_sizes = array<i64: 200>, row_strides = array<i64: 64>
// CHECK: nisa.transpose {{.*}} memref<64x72xbf16{{.*}} memref<72x64xbf16, {{.*}}#nisa.mem<psum>>
// CHECK: nisa.dma_store ins({{.*}} memref<72x64xbf16{{.*}} row = array<i64: 128>
func.func @turned_back(%arg0: tensor<200x64xbf16>) -> (tensor<64x200xbf16> {neuron.strides = array<i64: 1, 64>}) {
  %0 = neuron.kernel "neg" (%x = %arg0) : (tensor<200x64xbf16>) -> tensor<64x200xbf16> {
    %t = neuron.permute %x perm [1, 0] : (tensor<200x64xbf16>) -> tensor<64x200xbf16>
    %1 = neuron.neg %t : tensor<64x200xbf16>
    neuron.yield %1 : tensor<64x200xbf16>
  } {shape = array<i64: 64, 200>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<64x200xbf16>
}

// -----

// Integers are copied out of PSUM by Vector: Scalar would convert them.
// CHECK-LABEL: func.func @integers
// CHECK: nisa.transpose {{.*}} memref<128x128xi32
// CHECK: nisa.tensor_copy {{.*}}engine = #nisa.engine<vector>
func.func @integers(%arg0: tensor<128x128xi32>) -> tensor<128x128xi32> {
  %0 = neuron.kernel "neg" (%x = %arg0) : (tensor<128x128xi32>) -> tensor<128x128xi32> {
    %t = neuron.permute %x perm [1, 0] : (tensor<128x128xi32>) -> tensor<128x128xi32>
    %1 = neuron.neg %t : tensor<128x128xi32>
    neuron.yield %1 : tensor<128x128xi32>
  } {shape = array<i64: 128, 128>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<128x128xi32>
}

// -----

// The Tensor engine does not move types of eight bytes.
// CHECK-LABEL: func.func @too_wide
// CHECK-NOT: nisa.transpose
func.func @too_wide(%arg0: tensor<128x128xi64>) -> tensor<128x128xi64> {
  %0 = neuron.kernel "neg" (%x = %arg0) : (tensor<128x128xi64>) -> tensor<128x128xi64> {
    %t = neuron.permute %x perm [1, 0] : (tensor<128x128xi64>) -> tensor<128x128xi64>
    %1 = neuron.neg %t : tensor<128x128xi64>
    neuron.yield %1 : tensor<128x128xi64>
  } {shape = array<i64: 128, 128>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<128x128xi64>
}

// -----

// A stride along the columns that is not the rows' own: neither way has runs.
// CHECK-LABEL: func.func @no_runs
// CHECK-NOT: nisa.transpose
func.func @no_runs(%arg0: tensor<128x256xf32>) -> tensor<128x128xf32> {
  %0 = neuron.kernel "neg" (%x = %arg0) : (tensor<128x256xf32>) -> tensor<128x128xf32> {
    %s = neuron.slice %x starts [0, 0] steps [1, 2] : (tensor<128x256xf32>) -> tensor<128x128xf32>
    %t = neuron.permute %s perm [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %1 = neuron.neg %t : tensor<128x128xf32>
    neuron.yield %1 : tensor<128x128xf32>
  } {shape = array<i64: 128, 128>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<128x128xf32>
}

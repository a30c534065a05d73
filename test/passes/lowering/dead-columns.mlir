// What a causal mask takes out is not computed: the rows of a matrix run in steps,
// each with the columns that its last row sees.
// RUN: neuron-opt %s --split-input-file --neuron-form-kernels --canonicalize --cse --neuron-chain-kernels --neuron-decompose-composites --canonicalize --cse --neuron-materialize-outputs --neuron-lower-kernels | FileCheck %s

// CHECK-LABEL: func.func @causal
// CHECK: nisa.kernel "fused_matmul_select_softmax_matmul"
// The first 128 rows.
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x128xf32
// CHECK: nisa.transpose ins({{.*}} : memref<128x128xf32
// CHECK: nisa.matmul ins({{.*}} memref<128x64xf32, #nisa.mem<sbuf>>)
// CHECK-NOT: accumulate
// CHECK: nisa.dma_store
// The other 128.
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x256xf32
// CHECK: nisa.matmul {{.*}} memref<128x64xf32, #nisa.mem<sbuf>>)
// CHECK: nisa.matmul {{.*}} {accumulate
// CHECK: nisa.dma_store
func.func @causal(%q: tensor<2x256x64xf32>, %k: tensor<2x64x256xf32>, %v: tensor<2x256x64xf32>) -> tensor<2x256x64xf32> {
  %inf = neuron.constant dense<0xFF800000> : tensor<f32>
  %i = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<256xi64>
  %row = neuron.reshape %i : (tensor<256xi64>) -> tensor<256x1xi64>
  %seen = neuron.ge %row, %i : (tensor<256x1xi64>, tensor<256xi64>) -> tensor<256x256xi1>
  %s = neuron.matmul %q, %k batch 1 contract 1 : tensor<2x256x64xf32>, tensor<2x64x256xf32> -> tensor<2x256x256xf32>
  %m = neuron.select %seen, %s, %inf : (tensor<256x256xi1>, tensor<2x256x256xf32>, tensor<f32>) -> tensor<2x256x256xf32>
  %p = neuron.softmax %m dims [2] : tensor<2x256x256xf32>
  %o = neuron.matmul %p, %v batch 1 contract 1 : tensor<2x256x256xf32>, tensor<2x256x64xf32> -> tensor<2x256x64xf32>
  return %o : tensor<2x256x64xf32>
}

// -----

// The other way to say it, 100 columns further.
// CHECK-LABEL: func.func @left_out
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x256xf32
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x384xf32
func.func @left_out(%q: tensor<256x64xf32>, %k: tensor<64x384xf32>, %v: tensor<384x64xf32>) -> tensor<256x64xf32> {
  %inf = neuron.constant dense<0xFF800000> : tensor<f32>
  %far = neuron.constant dense<100> : tensor<i64>
  %i = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<256x1xi64>
  %j = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x384xi64>
  %d = neuron.sub %j, %i : (tensor<1x384xi64>, tensor<256x1xi64>) -> tensor<256x384xi64>
  %out = neuron.gt %d, %far : (tensor<256x384xi64>, tensor<i64>) -> tensor<256x384xi1>
  %s = neuron.matmul %q, %k batch 0 contract 1 : tensor<256x64xf32>, tensor<64x384xf32> -> tensor<256x384xf32>
  %m = neuron.select %out, %inf, %s : (tensor<256x384xi1>, tensor<f32>, tensor<256x384xf32>) -> tensor<256x384xf32>
  %p = neuron.softmax %m dims [1] : tensor<256x384xf32>
  %o = neuron.matmul %p, %v batch 0 contract 1 : tensor<256x384xf32>, tensor<384x64xf32> -> tensor<256x64xf32>
  return %o : tensor<256x64xf32>
}

// -----

// Who reads the weights must find the zeros.
// CHECK-LABEL: func.func @weights_returned
// CHECK: nisa.loop 2
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x256xf32
// CHECK-NOT: nisa.activation
func.func @weights_returned(%q: tensor<256x64xf32>, %k: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> (tensor<256x64xf32>, tensor<256x256xf32>) {
  %inf = neuron.constant dense<0xFF800000> : tensor<f32>
  %i = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<256x1xi64>
  %j = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x256xi64>
  %seen = neuron.ge %i, %j : (tensor<256x1xi64>, tensor<1x256xi64>) -> tensor<256x256xi1>
  %s = neuron.matmul %q, %k batch 0 contract 1 : tensor<256x64xf32>, tensor<64x256xf32> -> tensor<256x256xf32>
  %m = neuron.select %seen, %s, %inf : (tensor<256x256xi1>, tensor<256x256xf32>, tensor<f32>) -> tensor<256x256xf32>
  %p = neuron.softmax %m dims [1] : tensor<256x256xf32>
  %o = neuron.matmul %p, %v batch 0 contract 1 : tensor<256x256xf32>, tensor<256x64xf32> -> tensor<256x64xf32>
  return %o, %p : tensor<256x64xf32>, tensor<256x256xf32>
}

// -----

// What is masked by a finite number still counts.
// CHECK-LABEL: func.func @finite
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x256xf32
// CHECK-NOT: nisa.activation
func.func @finite(%q: tensor<256x64xf32>, %k: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %low = neuron.constant dense<-10000.0> : tensor<f32>
  %i = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<256x1xi64>
  %j = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x256xi64>
  %seen = neuron.ge %i, %j : (tensor<256x1xi64>, tensor<1x256xi64>) -> tensor<256x256xi1>
  %s = neuron.matmul %q, %k batch 0 contract 1 : tensor<256x64xf32>, tensor<64x256xf32> -> tensor<256x256xf32>
  %m = neuron.select %seen, %s, %low : (tensor<256x256xi1>, tensor<256x256xf32>, tensor<f32>) -> tensor<256x256xf32>
  %p = neuron.softmax %m dims [1] : tensor<256x256xf32>
  %o = neuron.matmul %p, %v batch 0 contract 1 : tensor<256x256xf32>, tensor<256x64xf32> -> tensor<256x64xf32>
  return %o : tensor<256x64xf32>
}

// -----

// Rows that see nothing: all of their columns are minus infinity, and eager's are NaN.
// CHECK-LABEL: func.func @sees_nothing
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x256xf32
// CHECK-NOT: nisa.activation
func.func @sees_nothing(%q: tensor<256x64xf32>, %k: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %inf = neuron.constant dense<0xFF800000> : tensor<f32>
  %i = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<256x1xi64>
  %j = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x256xi64>
  %seen = neuron.gt %i, %j : (tensor<256x1xi64>, tensor<1x256xi64>) -> tensor<256x256xi1>
  %s = neuron.matmul %q, %k batch 0 contract 1 : tensor<256x64xf32>, tensor<64x256xf32> -> tensor<256x256xf32>
  %m = neuron.select %seen, %s, %inf : (tensor<256x256xi1>, tensor<256x256xf32>, tensor<f32>) -> tensor<256x256xf32>
  %p = neuron.softmax %m dims [1] : tensor<256x256xf32>
  %o = neuron.matmul %p, %v batch 0 contract 1 : tensor<256x256xf32>, tensor<256x64xf32> -> tensor<256x64xf32>
  return %o : tensor<256x64xf32>
}

// -----

// Nothing is left out of one square: rows of several matrices stay in one tile.
// CHECK-LABEL: func.func @small_matrices
// CHECK-NOT: nisa.loop
// CHECK: nisa.activation fn ["exp"] ins({{.*}} : memref<128x16xf32
// CHECK-NOT: nisa.activation
func.func @small_matrices(%q: tensor<8x16x64xf32>, %k: tensor<64x16xf32>, %v: tensor<16x64xf32>) -> tensor<8x16x64xf32> {
  %inf = neuron.constant dense<0xFF800000> : tensor<f32>
  %i = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<16x1xi64>
  %j = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<1x16xi64>
  %seen = neuron.ge %i, %j : (tensor<16x1xi64>, tensor<1x16xi64>) -> tensor<16x16xi1>
  %s = neuron.matmul %q, %k batch 0 contract 1 : tensor<8x16x64xf32>, tensor<64x16xf32> -> tensor<8x16x16xf32>
  %m = neuron.select %seen, %s, %inf : (tensor<16x16xi1>, tensor<8x16x16xf32>, tensor<f32>) -> tensor<8x16x16xf32>
  %p = neuron.softmax %m dims [2] : tensor<8x16x16xf32>
  %o = neuron.matmul %p, %v batch 0 contract 1 : tensor<8x16x16xf32>, tensor<16x64xf32> -> tensor<8x16x64xf32>
  return %o : tensor<8x16x64xf32>
}

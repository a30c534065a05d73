// RUN: neuron-opt %s --cse --neuron-raise-named-ops --split-input-file | FileCheck %s
// softmax and log_softmax in their spellings, and what only looks like them.

// CHECK-LABEL: @softmax
// CHECK-NEXT: neuron.softmax %arg0 dims [1]
// CHECK-NEXT: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = neuron.max %x dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = neuron.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = neuron.exp %d : tensor<4x8xf32>
  %s = neuron.sum %e dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %r = neuron.div %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Along the first dimension, without keepdim, times the reciprocal; x + (-m).
// CHECK-LABEL: @softmax_columns
// CHECK-NEXT: neuron.softmax %arg0 dims [0]
func.func @softmax_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = neuron.max %x dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %n = neuron.neg %m : tensor<8xf32>
  %d = neuron.add %x, %n : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %e = neuron.exp %d : tensor<4x8xf32>
  %s = neuron.sum %e dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %i = neuron.reciprocal %s : tensor<8xf32>
  %r = neuron.mul %e, %i : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Statistics through reshape and expand.
// CHECK-LABEL: @softmax_views
// CHECK-NEXT: neuron.softmax %arg0 dims [1]
func.func @softmax_views(%x: tensor<4x8x2xf32>) -> tensor<4x8x2xf32> {
  %m = neuron.max %x dims [1] : (tensor<4x8x2xf32>) -> tensor<4x2xf32>
  %mr = neuron.reshape %m : (tensor<4x2xf32>) -> tensor<4x1x2xf32>
  %me = neuron.expand %mr : (tensor<4x1x2xf32>) -> tensor<4x8x2xf32>
  %d = neuron.sub %x, %me : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
  %e = neuron.exp %d : tensor<4x8x2xf32>
  %s = neuron.sum %e dims [1] : (tensor<4x8x2xf32>) -> tensor<4x2xf32>
  %sr = neuron.reshape %s : (tensor<4x2xf32>) -> tensor<4x1x2xf32>
  %r = neuron.div %e, %sr : (tensor<4x8x2xf32>, tensor<4x1x2xf32>) -> tensor<4x8x2xf32>
  return %r : tensor<4x8x2xf32>
}

// -----

// The maximum and the sum are of other dimensions.
// CHECK-LABEL: @other_dims
// CHECK-NOT: neuron.softmax
func.func @other_dims(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = neuron.max %x dims [0] keepdim : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %d = neuron.sub %x, %m : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %e = neuron.exp %d : tensor<4x8xf32>
  %s = neuron.sum %e dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %r = neuron.div %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A square input: the sum of each row meets the columns.
// CHECK-LABEL: @not_aligned
// CHECK-NOT: neuron.softmax
func.func @not_aligned(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = neuron.max %x dims [1] keepdim : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %d = neuron.sub %x, %m : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %e = neuron.exp %d : tensor<8x8xf32>
  %s = neuron.sum %e dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %r = neuron.div %e, %s : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// Without the maximum; with the sum returned as well.
// CHECK-LABEL: @not_softmax
// CHECK-NOT: neuron.softmax
func.func @not_softmax(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>) {
  %e = neuron.exp %x : tensor<4x8xf32>
  %s = neuron.sum %e dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %r = neuron.div %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %m2 = neuron.max %y dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d2 = neuron.sub %y, %m2 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e2 = neuron.exp %d2 : tensor<4x8xf32>
  %s2 = neuron.sum %e2 dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %r2 = neuron.div %e2, %s2 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r, %r2, %s2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>
}

// -----

// CHECK-LABEL: @log_softmax
// CHECK-NEXT: neuron.log_softmax %arg0 dims [1]
// CHECK-NEXT: return
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = neuron.max %x dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = neuron.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = neuron.exp %d : tensor<4x8xf32>
  %s = neuron.sum %e dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %l = neuron.log %s : tensor<4x1xf32>
  %r = neuron.sub %d, %l : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// x - logsumexp(x), the statistics without their dimension; x is a sum.
// CHECK-LABEL: @minus_logsumexp
// CHECK: %[[X:.*]] = neuron.add %arg0, %arg1
// CHECK-NEXT: neuron.log_softmax %[[X]] dims [1]
func.func @minus_logsumexp(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %x = neuron.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %m = neuron.max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mk = neuron.reshape %m : (tensor<4xf32>) -> tensor<4x1xf32>
  %d = neuron.sub %x, %mk : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = neuron.exp %d : tensor<4x8xf32>
  %s = neuron.sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %l = neuron.log %s : tensor<4xf32>
  %lse = neuron.add %l, %m : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %k = neuron.reshape %lse : (tensor<4xf32>) -> tensor<4x1xf32>
  %r = neuron.sub %x, %k : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The logarithm meets the columns of a square input; the maximum is missing.
// CHECK-LABEL: @not_log_softmax
// CHECK-NOT: neuron.log_softmax
func.func @not_log_softmax(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %m = neuron.max %x dims [1] keepdim : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %d = neuron.sub %x, %m : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %e = neuron.exp %d : tensor<8x8xf32>
  %s = neuron.sum %e dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %l = neuron.log %s : tensor<8xf32>
  %r = neuron.sub %d, %l : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %lk = neuron.reshape %l : (tensor<8xf32>) -> tensor<8x1xf32>
  %q = neuron.sub %x, %lk : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  return %r, %q : tensor<8x8xf32>, tensor<8x8xf32>
}

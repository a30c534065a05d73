// Patterns that make operations.
// RUN: neuron-opt %s --canonicalize --split-input-file | FileCheck %s

// The constant is the right operand.
// CHECK-LABEL: @commute(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @commute(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xi1>) {
  // CHECK: %[[C:.*]] = neuron.constant
  %c = neuron.constant dense<2.0> : tensor<f32>
  // CHECK: neuron.mul %[[X]], %[[C]]
  %0 = neuron.mul %c, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.gt %[[X]], %[[C]]
  %1 = neuron.lt %c, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xi1>
  // CHECK: neuron.le %[[X]], %[[C]]
  %2 = neuron.ge %c, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xi1>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xi1>, tensor<8xi1>
}

// -----

// Subtraction does not commute.
// CHECK-LABEL: @no_commute(
func.func @no_commute(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[C:.*]] = neuron.constant
  %c = neuron.constant dense<2.0> : tensor<f32>
  // CHECK: neuron.sub %[[C]], %{{.*}}
  %0 = neuron.sub %c, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A splat has rank 0 where the operation broadcasts it.
// CHECK-LABEL: @scalar(
func.func @scalar(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: neuron.constant dense<2.000000e+00> : tensor<f32>
  // CHECK: neuron.mul %{{.*}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %c = neuron.constant dense<2.0> : tensor<4x8xf32>
  %0 = neuron.mul %x, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A splat that gives the result its shape keeps it.
// CHECK-LABEL: @not_scalar(
func.func @not_scalar(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: neuron.mul %{{.*}} : (tensor<8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %c = neuron.constant dense<2.0> : tensor<4x1xf32>
  %0 = neuron.mul %x, %c : (tensor<8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The operation broadcasts, not the operand: expanded, or with sizes of 1 at the left.
// CHECK-LABEL: @absorb(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>
func.func @absorb(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = neuron.expand %b : (tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %[[SUM:.*]] = neuron.add %[[X]], %[[B]] : (tensor<4x8xf32>, tensor<8xf32>)
  %1 = neuron.add %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = neuron.reshape %b : (tensor<8xf32>) -> tensor<1x8xf32>
  // CHECK-NEXT: neuron.sub %[[SUM]], %[[B]] : (tensor<4x8xf32>, tensor<8xf32>)
  %3 = neuron.sub %1, %2 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// The result would be smaller.
// CHECK-LABEL: @no_absorb(
func.func @no_absorb(%x: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: neuron.expand
  %0 = neuron.expand %b : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = neuron.add %x, %0 : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @square(
func.func @square(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>, tensor<8xf32>) {
  %two = neuron.constant dense<2.0> : tensor<f32>
  %itwo = neuron.constant dense<2> : tensor<i32>
  %three = neuron.constant dense<3.0> : tensor<f32>
  // CHECK: neuron.square %{{.*}} : tensor<8xf32>
  %0 = neuron.pow %x, %two : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: neuron.square %{{.*}} : tensor<8xi32>
  %1 = neuron.pow %i, %itwo : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  // CHECK: neuron.pow
  %2 = neuron.pow %x, %three : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xi32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @even(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @even(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = neuron.neg %x : tensor<8xf32>
  // CHECK-NEXT: neuron.abs %[[X]]
  %1 = neuron.abs %0 : tensor<8xf32>
  // CHECK-NEXT: neuron.square %[[X]]
  %2 = neuron.square %1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @select(
// CHECK-SAME: %[[C:.*]]: tensor<8xi1>, %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<4x8xf32>
func.func @select(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %true = neuron.constant dense<true> : tensor<i1>
  // CHECK: %[[A:.*]] = neuron.expand %[[X]] : (tensor<8xf32>) -> tensor<4x8xf32>
  %0 = neuron.select %true, %x, %y : (tensor<i1>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %not = neuron.logical_not %c : (tensor<8xi1>) -> tensor<8xi1>
  // CHECK: %[[B:.*]] = neuron.select %[[C]], %[[Y]], %[[X]]
  %1 = neuron.select %not, %x, %y : (tensor<8xi1>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A number's negation is not its condition.
// CHECK-LABEL: @select_by_number(
func.func @select_by_number(%c: tensor<8xf32>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: neuron.logical_not
  %not = neuron.logical_not %c : (tensor<8xf32>) -> tensor<8xi1>
  // CHECK: neuron.select
  %0 = neuron.select %not, %x, %y : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Without elements, there is nothing to compute.
// CHECK-LABEL: @empty(
func.func @empty(%x: tensor<4x0xf32>) -> (tensor<4x0xf32>, tensor<0xi32>, tensor<4x0xf32>, tensor<0x4xf32>) {
  // CHECK-NOT: neuron.softmax
  // CHECK-NOT: neuron.iota
  // CHECK-NOT: neuron.exp
  // CHECK-NOT: neuron.permute
  // CHECK-COUNT-3: neuron.constant dense<> : tensor<
  // CHECK: return
  %0 = neuron.softmax %x dims [1] : tensor<4x0xf32>
  %1 = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<0xi32>
  %2 = neuron.exp %x : tensor<4x0xf32>
  %3 = neuron.permute %x perm [1, 0] : (tensor<4x0xf32>) -> tensor<0x4xf32>
  return %0, %1, %2, %3 : tensor<4x0xf32>, tensor<0xi32>, tensor<4x0xf32>, tensor<0x4xf32>
}

// -----

// Casts that lose nothing merge.
// CHECK-LABEL: @casts(
// CHECK-SAME: %[[X:.*]]: tensor<8xbf16>, %[[I:.*]]: tensor<8xi32>
func.func @casts(%x: tensor<8xbf16>, %i: tensor<8xi32>) -> (tensor<8xbf16>, tensor<8xf64>, tensor<8xi8>, tensor<8xf32>) {
  %0 = neuron.cast %x : tensor<8xbf16> to tensor<8xf32>
  %1 = neuron.cast %0 : tensor<8xf32> to tensor<8xbf16>
  // CHECK-DAG: %[[A:.*]] = neuron.cast %[[X]] : tensor<8xbf16> to tensor<8xf64>
  %2 = neuron.cast %0 : tensor<8xf32> to tensor<8xf64>
  // CHECK-DAG: %[[B:.*]] = neuron.cast %[[I]] : tensor<8xi32> to tensor<8xi8>
  %3 = neuron.cast %i : tensor<8xi32> to tensor<8xui16>
  %4 = neuron.cast %3 : tensor<8xui16> to tensor<8xi8>
  // CHECK-DAG: %[[C:.*]] = neuron.cast %[[I]] : tensor<8xi32> to tensor<8xf32>
  %5 = neuron.cast %i : tensor<8xi32> to tensor<8xf64>
  %6 = neuron.cast %5 : tensor<8xf64> to tensor<8xf32>
  // CHECK: return %[[X]], %[[A]], %[[B]], %[[C]]
  return %1, %2, %4, %6 : tensor<8xbf16>, tensor<8xf64>, tensor<8xi8>, tensor<8xf32>
}

// -----

// A cast that rounds, wraps, or goes out of range stays.
// CHECK-LABEL: @casts_that_lose(
func.func @casts_that_lose(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>, tensor<8xi8>, tensor<8xi64>) {
  // CHECK-COUNT-8: neuron.cast
  %0 = neuron.cast %x : tensor<8xf32> to tensor<8xbf16>
  %1 = neuron.cast %0 : tensor<8xbf16> to tensor<8xf32>
  %2 = neuron.cast %i : tensor<8xi32> to tensor<8xf32>
  %3 = neuron.cast %2 : tensor<8xf32> to tensor<8xi32>
  %4 = neuron.cast %x : tensor<8xf32> to tensor<8xf64>
  %5 = neuron.cast %4 : tensor<8xf64> to tensor<8xi8>
  %6 = neuron.cast %i : tensor<8xi32> to tensor<8xui32>
  %7 = neuron.cast %6 : tensor<8xui32> to tensor<8xi64>
  return %1, %3, %5, %7 : tensor<8xf32>, tensor<8xi32>, tensor<8xi8>, tensor<8xi64>
}

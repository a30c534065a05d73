// Reductions of one element, of none, and of equal ones.
// RUN: neuron-opt %s --canonicalize --split-input-file | FileCheck %s

// Over no dimension or dimensions of size 1, nothing is reduced.
// CHECK-LABEL: @of_nothing(
// CHECK-SAME: %[[X:.*]]: tensor<1x8xf32>, %[[I:.*]]: tensor<1x8xi32>, %[[B:.*]]: tensor<8xi1>
func.func @of_nothing(%x: tensor<1x8xf32>, %i: tensor<1x8xi32>, %b: tensor<8xi1>)
    -> (tensor<1x8xf32>, tensor<1x8xi32>, tensor<8xi1>) {
  %0 = neuron.max %x dims [0] keepdim : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = neuron.sum %i dims [0] keepdim : (tensor<1x8xi32>) -> tensor<1x8xi32>
  %2 = neuron.any %b dims [] : (tensor<8xi1>) -> tensor<8xi1>
  // CHECK: return %[[X]], %[[I]], %[[B]]
  return %0, %1, %2 : tensor<1x8xf32>, tensor<1x8xi32>, tensor<8xi1>
}

// -----

// Without keepdim, the shape changes.
// CHECK-LABEL: @to_reshape(
func.func @to_reshape(%x: tensor<1x8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: neuron.min
  // CHECK: neuron.reshape %{{.*}} : (tensor<1x8xf32>) -> tensor<8xf32>
  %0 = neuron.min %x dims [0] : (tensor<1x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// PyTorch's sum of -0.0 is 0.0, any makes bools of numbers, and a norm is not negative.
// CHECK-LABEL: @of_one(
func.func @of_one(%x: tensor<1x8xf32>, %i: tensor<8x1xi32>) -> (tensor<1x8xf32>, tensor<1x8xf32>, tensor<8xi1>, tensor<1x8xf32>) {
  // CHECK: neuron.sum
  %0 = neuron.sum %x dims [0] keepdim : (tensor<1x8xf32>) -> tensor<1x8xf32>
  // CHECK: neuron.mean
  %1 = neuron.mean %x dims [0] keepdim : (tensor<1x8xf32>) -> tensor<1x8xf32>
  // CHECK: neuron.any
  %2 = neuron.any %i dims [1] : (tensor<8x1xi32>) -> tensor<8xi1>
  // CHECK: neuron.norm
  %3 = neuron.norm %x dims [0] keepdim ord 2.0 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %0, %1, %2, %3 : tensor<1x8xf32>, tensor<1x8xf32>, tensor<8xi1>, tensor<1x8xf32>
}

// -----

// The place of the only element is 0.
// CHECK-LABEL: @argmax(
func.func @argmax(%x: tensor<1x8xf32>) -> tensor<8xi64> {
  // CHECK: neuron.constant dense<0> : tensor<8xi64>
  %0 = neuron.argmax %x dims [0] : (tensor<1x8xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// -----

// Of no elements, a reduction is its identity.
// CHECK-LABEL: @of_no_elements(
func.func @of_no_elements(%x: tensor<4x0xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = neuron.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[ONE:.*]] = neuron.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[FALSE:.*]] = neuron.constant dense<false> : tensor<4xi1>
  // CHECK-DAG: %[[TRUE:.*]] = neuron.constant dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[NAN:.*]] = neuron.constant dense<0x7FC00000> : tensor<4xf32>
  %0 = neuron.sum %x dims [1] : (tensor<4x0xf32>) -> tensor<4xf32>
  %1 = neuron.prod %x dims [1] : (tensor<4x0xf32>) -> tensor<4xf32>
  %2 = neuron.any %x dims [1] : (tensor<4x0xf32>) -> tensor<4xi1>
  %3 = neuron.all %x dims [1] : (tensor<4x0xf32>) -> tensor<4xi1>
  %4 = neuron.mean %x dims [1] : (tensor<4x0xf32>) -> tensor<4xf32>
  %5 = neuron.var %x dims [1] correction 1.0 : (tensor<4x0xf32>) -> tensor<4xf32>
  %6 = neuron.norm %x dims [1] ord 2.0 : (tensor<4x0xf32>) -> tensor<4xf32>
  // CHECK: return %[[ZERO]], %[[ONE]], %[[FALSE]], %[[TRUE]], %[[NAN]], %[[NAN]], %[[ZERO]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// No result is empty, and nothing is left.
// CHECK-LABEL: @empty_result(
func.func @empty_result(%x: tensor<0x8xf32>) -> tensor<0xf32> {
  // CHECK: neuron.constant dense<> : tensor<0xf32>
  %0 = neuron.max %x dims [1] : (tensor<0x8xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// CHECK-LABEL: @of_equal(
func.func @of_equal() -> (tensor<4xf32>, tensor<4xi8>, tensor<4xi64>, tensor<4xi1>) {
  %x = neuron.constant dense<2.5> : tensor<4x8xf32>
  %i = neuron.constant dense<100> : tensor<4x8xi8>
  // CHECK-DAG: %[[MAX:.*]] = neuron.constant dense<2.500000e+00> : tensor<4xf32>
  // 800 wraps to 32.
  // CHECK-DAG: %[[SUM:.*]] = neuron.constant dense<32> : tensor<4xi8>
  // CHECK-DAG: %[[PLACE:.*]] = neuron.constant dense<0> : tensor<4xi64>
  // CHECK-DAG: %[[ALL:.*]] = neuron.constant dense<true> : tensor<4xi1>
  %0 = neuron.max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = neuron.sum %i dims [1] : (tensor<4x8xi8>) -> tensor<4xi8>
  %2 = neuron.argmin %x dims [1] : (tensor<4x8xf32>) -> tensor<4xi64>
  %3 = neuron.all %i dims [1] : (tensor<4x8xi8>) -> tensor<4xi1>
  // CHECK: return %[[MAX]], %[[SUM]], %[[PLACE]], %[[ALL]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi8>, tensor<4xi64>, tensor<4xi1>
}

// -----

// A floating sum rounds in an order that is the device's.
// CHECK-LABEL: @sum_of_equal(
func.func @sum_of_equal() -> tensor<4xf32> {
  %x = neuron.constant dense<0.1> : tensor<4x8xf32>
  // CHECK: neuron.sum
  %0 = neuron.sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A reshape that puts the reduced dimensions back is keepdim.
// CHECK-LABEL: @keepdim(
func.func @keepdim(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  // CHECK-NEXT: %[[R:.*]] = neuron.var %{{.*}} dims [1] keepdim correction 1.000000e+00 : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %0 = neuron.var %x dims [1] correction 1.0 : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = neuron.reshape %0 : (tensor<4xf32>) -> tensor<4x1xf32>
  // CHECK-NEXT: return %[[R]]
  return %1 : tensor<4x1xf32>
}

// -----

// Another use, or another place: the reshape stays.
// CHECK-LABEL: @no_keepdim(
func.func @no_keepdim(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x1xf32>, tensor<1x4xf32>) {
  // CHECK: neuron.sum %{{.*}} dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = neuron.sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: neuron.reshape
  %1 = neuron.reshape %0 : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = neuron.mean %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: neuron.reshape
  %3 = neuron.reshape %2 : (tensor<4xf32>) -> tensor<1x4xf32>
  return %0, %1, %3 : tensor<4xf32>, tensor<4x1xf32>, tensor<1x4xf32>
}
